"""Pairs of texts: what is read, and what is to be written of it."""

from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from transformer_lib.checks.validation import require
from transformer_lib.text.vocabulary import Vocabulary

PAD, SOS, EOS = "⟨PAD⟩", "⟨SOS⟩", "⟨EOS⟩"


class Pairs(NamedTuple):
    """Sources (B, S), and targets (B, T) from ⟨SOS⟩ to ⟨EOS⟩, padded behind."""

    source: Tensor
    target: Tensor


class PairTask(Protocol):
    """What an encoder-decoder can learn: pairs to learn from, and held-out ones."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The words of both sides, with ⟨PAD⟩, ⟨SOS⟩ and ⟨EOS⟩."""

    @property
    def max_length(self) -> int:
        """The most tokens of a source or a target."""

    def batch(self, draw: torch.Generator, count: int = 64) -> Pairs:
        """Draw pairs to learn from; no held-out one is among them."""

    def held_out(self, count: int = 1000, seed: int = 1) -> Pairs:
        """Draw pairs of which no batch holds one."""


def validation(task: PairTask, count: int) -> Pairs:
    """Draw held-out pairs to choose settings by.

    None is among the first 1,000 that `task.held_out` draws, which judge models.

    Raises:
        ValueError: there are not so many others.
    """
    known = {*_words(task, task.held_out().source)}
    source, target = task.held_out(4 * count, seed=2)
    own = [n for n, one in enumerate(_words(task, source)) if one not in known][:count]
    require(len(own) == count, "count", f"be at most {len(own)}", count)
    return Pairs(source[own], target[own])


def _words(task: PairTask, ids: Tensor) -> list[tuple[int, ...]]:
    pad_id = task.vocabulary.pad_id
    return [tuple(row[row != pad_id].tolist()) for row in ids]
