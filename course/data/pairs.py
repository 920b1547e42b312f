"""Pairs of texts: what is read, and what is to be written of it."""

from typing import NamedTuple, Protocol

import torch
from torch import Tensor

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
