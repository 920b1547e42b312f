"""A small BERT: encoder-only, it learns to say hidden words from both sides of them.

Made by the command `python -m course.models.language.bert`. The model of
`encoder.masked_words` is deeper, to show what each of its layers does, and has read
sentences of every kind; this one has never read some pairs of words together.
"""

import sys
from collections import deque
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple, cast

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_lib.checkpoints import Provenance, load_checkpoint, save_checkpoint
from transformer_lib.model.config import Positions, TransformerConfig
from transformer_lib.model.transformer import EncoderOnlyTransformer
from transformer_lib.training import Training, fit_steps, linear_warmup_decay, seeded

from ...data.grammar_sentences import MOST_WORDS, padded
from ...data.masked_words import (
    NOTHING,
    VOCABULARY,
    Gaps,
    gaps,
    hide,
    joined,
    knowable,
    learned,
    rules,
)
from ...progress import with_progress
from ...trained import CHECKPOINTS
from ..encoder.masked_words import Batch, logits
from ..encoder.masked_words import fill_in as fill_in

BOTH = CHECKPOINTS / "bert.safetensors"
LEFT = CHECKPOINTS / "bert_left.safetensors"
SIZES = TransformerConfig(
    vocabulary_size=len(VOCABULARY),
    d_model=48,
    n_heads=4,
    n_encoder_layers=2,
    d_ff=96,
    dropout=0.0,
    norm_first=True,
    max_length=MOST_WORDS + 2,
)
STEPS = 1500


class Asked(NamedTuple):
    """Gaps in new sentences, and which of their words can be known."""

    gaps: Gaps
    knowable: Tensor
    words: list[tuple[list[str], int]]


def begin(
    seed: int = 0,
    steps: int = STEPS,
    *,
    right: bool = True,
    positions: Positions = "sinusoidal",
) -> tuple[EncoderOnlyTransformer, Training]:
    """Give a model that has learnt nothing, and its training.

    A batch is 64 sentences with words hidden by `hide`; the loss is the cross-entropy
    of the words that are asked.

    Args:
        seed: of the first weights and of the batches.
        steps: how many batches.
        right: whether the model sees what stands on the right of a place, or has the
            mask of a GPT.
        positions: of the model; with "none" it reads a bag of words.

    Returns:
        the model, and one after another, the loss of every step: see `fit_steps`.

    Source: Devlin et al. (2019), §3.1.
    """
    with seeded(seed):
        model = EncoderOnlyTransformer(replace(SIZES, positions=positions))
    written = learned()

    def batch(draw: torch.Generator) -> Batch:
        chosen = torch.randint(len(written), (64,), generator=draw).tolist()
        return hide(padded(VOCABULARY, [written[i] for i in chosen]), draw)

    def loss(batch: Batch) -> Tensor:
        read, asked = batch
        said = logits(model, read, right=right)
        return F.cross_entropy(said.mT, asked, ignore_index=NOTHING)

    rate = linear_warmup_decay(0.008, min(100, steps // 2), steps)
    training = fit_steps(
        model, batch, loss, steps, lr=rate, beta2=0.98, clip=1.0, seed=seed
    )
    return model, training


@cache
def trained(*, right: bool = True) -> EncoderOnlyTransformer:
    """Give the model of the course; or the one that never saw what is on the right."""
    return cast(EncoderOnlyTransformer, load_checkpoint(BOTH if right else LEFT)[0])


def of_length(steps: int, seed: int, *, right: bool = True) -> EncoderOnlyTransformer:
    """Give the model of the course if it has these steps; else train one that has."""
    if (steps, seed) == (STEPS, 0):
        return trained(right=right)
    model, training = begin(seed, steps, right=right)
    deque(training, maxlen=0)
    return model


@cache
def new_gaps(count: int = 200, seed: int = 1) -> Asked:
    """Hide each word once, of sentences that join what no learned one does."""
    written = joined(count, seed, new=True)
    sure = [certain for words in written for certain in knowable(words)]
    places = [(words, i) for words in written for i in range(len(words))]
    return Asked(gaps(padded(VOCABULARY, written)), torch.tensor(sure), places)


def score(
    model: EncoderOnlyTransformer, asked: Asked, *, right: bool = True
) -> dict[str, float]:
    """Give the shares of hidden words that are said: "knowable" ones, and "others"."""
    ids, place, word = asked.gaps
    with torch.inference_mode():
        said = logits(model, ids, right=right)[range(len(ids)), place].argmax(1)
    return _shares(said == word, asked)


def floors(asked: Asked) -> dict[str, dict[str, float]]:
    """Give the same shares of who counts what stood between which words."""
    return {
        name: _shares(
            torch.tensor([rule(ws, i) == ws[i] for ws, i in asked.words]), asked
        )
        for name, rule in rules(learned()).items()
    }


def _shares(right: Tensor, asked: Asked) -> dict[str, float]:
    parts = {"knowable": asked.knowable, "others": ~asked.knowable}
    return {name: float(right[part].double().mean()) for name, part in parts.items()}


def main(path: Path = BOTH, left: Path = LEFT, steps: int = STEPS) -> None:
    """Train both models; say how many new words they know, beside their floors."""
    asked = new_gaps()
    told = {}
    for file, right in ((path, True), (left, False)):
        model, training = begin(steps=steps, right=right)
        deque(with_progress(training), maxlen=0)
        save_checkpoint(model, file, Provenance(words=VOCABULARY.words), half=True)
        model = cast(EncoderOnlyTransformer, load_checkpoint(file)[0])
        told["both sides" if right else "the left alone"] = score(
            model, asked, right=right
        )
    for what, shares in {**told, **floors(asked)}.items():
        said = "  ".join(f"{name} {share:6.1%}" for name, share in shares.items())
        sys.stdout.write(f"{what:16} {said}\n")


if __name__ == "__main__":
    main()
