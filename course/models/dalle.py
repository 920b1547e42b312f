"""A small DALL-E: it draws what a caption says, one cell after another."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_lib.checks.validation import check_ids, require
from transformer_lib.generation.sampling import greedy, sample
from transformer_lib.generation.settings import Decoding, Sampling
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

    Padding behind a caption is a word like others: so every cell has a position of its
    own, whatever the length of the caption.
    """
    known = numbers(learned_scenes(split))
    scenes = known[torch.randint(len(known), (count,), generator=draw)]
    return of_scenes(scenes, scenes, draw)


def of_scenes(shown: Tensor, told: Tensor, draw: torch.Generator) -> Tensor:
    """Draw pictures of some scenes with captions of others, both by number (B,)."""
    cells = drawings(shown, draw).flatten(1)  # (B, 64)
    return torch.cat([captions(told, draw), WORDS + cells], dim=1)


def drawing_loss(model: DecoderOnlyTransformer, tokens: Tensor) -> Tensor:
    """Return the mean −log p of every cell, behind the caption and the cells before it.

    The mask is causal, the input one text of two languages, the objective the next
    token; that of the caption is not asked for.

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

    Where the model says a word in the place of a cell, there stands −1.

    Args:
        model: who draws.
        said: captions, in words.
        sampling: how each cell is drawn by chance; without it the likeliest is taken.
        generator: what chance comes from.
        begun: the first cells of every picture, row after row, (n,) with n up to 63.

    Raises:
        TypeError, ValueError: a caption has a word that is not in the vocabulary, none,
            or over 12; or what is begun is no cells.
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
    """Return how likely each kind of cell is at each step of a drawing: (B, n + 1, 9).

    The k-th step, from 0, knows the caption and the first k cells. What is missing to a
    sum of 1 goes to words.

    Args:
        model: who draws.
        said: captions, in words: the same drawing behind each of them.
        cells: those that were drawn, row after row, (n,). With all 64 there are as many
            steps.
        sampling: by which cells are drawn; the model's own probabilities without it.

    Raises:
        TypeError, ValueError: as `draw`.
    """
    check_cells(cells, CELLS)
    with torch.inference_mode():
        logits = model(tokens_of(said, cells[: CELLS - 1]))[:, LENGTH - 1 :]
    return (sampling or Sampling()).probabilities(logits)[..., WORDS:]


def tokens_of(said: Sequence[str], cells: Tensor | None = None) -> Tensor:
    """Write captions, and behind each the same first cells (n,): ids (B, LENGTH + n).

    Raises:
        TypeError, ValueError: as `draw`.
    """
    ids = in_ids(said)
    if cells is None:
        return ids
    check_cells(cells, CELLS - 1)
    return torch.cat([ids, WORDS + cells.expand(len(ids), -1)], dim=1)


def check_cells(cells: Tensor, most: int) -> None:
    """Raise unless these are the first cells of a picture, (n,), up to so many."""
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

    Color, shape and place are right, and there is nothing else in the picture.

    Args:
        model: who draws.
        scenes: what is asked for.
        sampling: as in `draw`.
        seed: of the captions and of the drawing.
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
