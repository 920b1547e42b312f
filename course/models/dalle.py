"""A small DALL-E: it draws what a caption says, cell by cell."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_lib.checks.validation import check_ids, require
from transformer_lib.generation.prediction import Decoding
from transformer_lib.generation.sampling import Sampling, greedy, sample
from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.transformer import DecoderOnlyTransformer

from ..data.captions import LENGTH, VOCABULARY, captions, captions_for, in_ids
from ..data.shapes import (
    COLORS,
    SCENES,
    SIDE,
    Scene,
    Split,
    drawings,
    held_out_scenes,
    learned_scenes,
    numbers,
    seen,
)
from .small_model import Recipe, SmallModel

WORDS = len(VOCABULARY)  # the cells' tokens come behind the words'
CELLS = SIDE**2
KINDS = 1 + len(COLORS)  # of cells: dark, and one for each color
SIZES = TransformerConfig(
    vocabulary_size=WORDS + KINDS,
    d_model=64,
    n_heads=4,
    n_decoder_layers=2,
    d_ff=256,
    dropout=0.0,
    max_length=LENGTH + CELLS,
    positions="learned",
    activation="gelu",
    norm_first=True,
)
RECIPE = Recipe(steps=2000, peak=3e-3, warmup=100, batch_size=16)
PICTURE = Decoding(max_length=LENGTH + CELLS)
ADVISED = 0.7  # the highest temperature with 95 % right on validation scenes
AS_ADVISED = Sampling(temperature=ADVISED)


def examples(
    draw: torch.Generator, count: int = 16, split: Split = "triples"
) -> Tensor:
    """Draw captions and their pictures: tokens (B, LENGTH + 64).

    Padding after a caption counts as a word, so each cell has the same position
    whatever the length of the caption.
    """
    known = numbers(learned_scenes(split))
    scenes = known[torch.randint(len(known), (count,), generator=draw)]
    return of_scenes(scenes, scenes, draw)


def of_scenes(shown: Tensor, told: Tensor, draw: torch.Generator) -> Tensor:
    """Draw pictures of some scenes with captions of others, both by number (B,)."""
    cells = drawings(shown, draw).flatten(1)  # (B, 64)
    return torch.cat([captions(told, draw), WORDS + cells], dim=1)


def drawing_loss(model: DecoderOnlyTransformer, tokens: Tensor) -> Tensor:
    """Return the mean −log p of the cells, given the caption and the preceding cells.

    Caption and picture form one sequence with a causal mask, and the objective is the
    next token; the tokens of the caption itself are not part of the loss.

    Source: Ramesh et al. (2021), §2.2; D0.6.multi.
    """
    logits = model(tokens[:, :-1])[:, LENGTH - 1 :]  # (B, 64, V)
    return F.cross_entropy(logits.mT, tokens[:, LENGTH:])


def draw(
    model: DecoderOnlyTransformer,
    said: Sequence[str],
    sampling: Sampling | None = None,
    generator: torch.Generator | None = None,
    begun: Tensor | None = None,
) -> Tensor:
    """Draw a picture of each caption: cells (B, 8, 8), 0 for dark.

    A cell for which the model predicts a word is −1.

    Args:
        model: the model that draws.
        said: captions, in words.
        sampling: how each cell is drawn by chance; without it the likeliest is taken.
        generator: what chance comes from.
        begun: the first cells of every picture, row by row, (n,) with n up to 63.

    Raises:
        TypeError, ValueError: a caption is empty, longer than 12 words, or has an
            unknown word; or `begun` does not hold cells.
    """
    ids = tokens_of(said, begun)
    if sampling is None:
        written = greedy(model, ids, PICTURE).ids
    else:
        written = sample(model, ids, PICTURE, sampling, generator).ids
    cells = (written[:, LENGTH:] - WORDS).clamp(min=-1)
    return cells.view(-1, SIDE, SIDE)


def probabilities(
    model: DecoderOnlyTransformer,
    said: Sequence[str],
    cells: Tensor,
    sampling: Sampling | None = None,
) -> Tensor:
    """Return the probability of each kind of cell at each step: (B, n + 1, 9).

    Step k, from 0, is given the caption and the first k cells. The rest of the
    probability, up to 1, belongs to words.

    Args:
        model: the model that draws.
        said: captions, in words: the same drawing behind each of them.
        cells: the cells drawn so far, row by row, (n,). If there are all 64, there are
            64 steps.
        sampling: by which cells are drawn; the model's own probabilities without it.

    Raises:
        TypeError, ValueError: as `draw`.
    """
    check_cells(cells, CELLS)
    with torch.inference_mode():
        logits = model(tokens_of(said, cells[: CELLS - 1]))[:, LENGTH - 1 :]
    return (sampling or Sampling()).probabilities(logits)[..., WORDS:]


def tokens_of(said: Sequence[str], cells: Tensor | None = None) -> Tensor:
    """Return captions followed by the same first cells (n,): ids (B, LENGTH + n).

    Raises:
        TypeError, ValueError: as `draw`.
    """
    ids = in_ids(said)
    if cells is None:
        return ids
    check_cells(cells, CELLS - 1)
    return torch.cat([ids, WORDS + cells.expand(len(ids), -1)], dim=1)


def check_cells(cells: Tensor, most: int) -> None:
    """Raise unless these are at most so many first cells of a picture, (n,)."""
    check_ids("cells", cells, batch=False)
    shape = tuple(cells.shape)
    fits = len(shape) == 1 and len(cells) <= most
    require(fits, "cells", f"have shape (n ≤ {most},)", shape)
    others = cells[(cells < 0) | (cells >= KINDS)].tolist()
    require(not others, "cells", f"lie between 0 and {KINDS - 1}", others[:1])


def accuracy(
    model: DecoderOnlyTransformer,
    scenes: Sequence[Scene],
    sampling: Sampling | None = None,
    seed: int = 1,
) -> float:
    """Return the fraction of scenes that a model draws exactly, each from one caption.

    Exactly: color, shape and place are right, and nothing else is in the picture.

    Args:
        model: the model that draws.
        scenes: the scenes to draw.
        sampling: as in `draw`.
        seed: for the choice of captions and for the drawing.
    """
    chance = torch.Generator().manual_seed(seed)
    drawn = draw(model, captions_for(scenes, seed), sampling, chance)
    hits = [seen(cells) == scene for cells, scene in zip(drawn, scenes, strict=True)]
    return sum(hits) / len(hits)


def measure(model: DecoderOnlyTransformer) -> dict[str, float]:
    """Measure how often it draws exactly what a held-out caption says."""
    asked = 2 * held_out_scenes()
    return {
        "the likeliest cells": accuracy(model, asked),
        f"temperature {ADVISED}": accuracy(model, asked, AS_ADVISED),
        "by chance": 1 / len(SCENES),
    }


MODEL = SmallModel(
    name="dalle",
    build=lambda: DecoderOnlyTransformer(SIZES),
    batch=examples,
    loss=drawing_loss,
    recipe=RECIPE,
    words=VOCABULARY.words,
    measure=measure,
    half=True,
)
begin, trained = MODEL.begin, MODEL.trained
