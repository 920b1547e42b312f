"""Four ways to train a decoder: with the shift or without, with the mask or without."""

from collections.abc import Mapping
from typing import NamedTuple

import torch.nn.functional as F
from torch import Tensor

from transformer_lib.checks.validation import check_option
from transformer_lib.model.masks import Mask
from transformer_lib.model.transformer import Transformer
from transformer_lib.training import Training, fit_steps, seeded

from ..data.jobs import sentences
from .jobs import SIZES, Batch

STEPS = 300


class Way(NamedTuple):
    """What a decoder is given in training.

    shifted: whether it reads the sentence one place to the right of what it says.
    masked: whether a place of it may look at itself and the past alone.
    """

    shifted: bool
    masked: bool


#: By what they have.
WAYS: Mapping[str, Way] = {
    "shift and mask": Way(shifted=True, masked=True),
    "mask alone": Way(shifted=False, masked=True),
    "shift alone": Way(shifted=True, masked=False),
    "neither": Way(shifted=False, masked=False),
}


class WithoutMask(Transformer):
    """An encoder-decoder whose target sees its own future."""

    def _hide_future(self, ids: Tensor, mask: Mask, past: int) -> Mask:
        return mask


def learn(way: str, steps: int = STEPS, seed: int = 0) -> tuple[Transformer, Training]:
    """Give a model, and its training on the sentences of `data.jobs`.

    It always has to say the written sentence and ⟨EOS⟩. With the shift it reads ⟨SOS⟩
    and the sentence; without, it reads what it has to say.

    Args:
        way: one of WAYS.
        steps: batches to learn from.
        seed: of the first weights and of the sentences, the same in every way.

    Returns:
        the model, and one after another, the loss of every step: see `fit_steps`.

    Raises:
        ValueError: there is no such way.

    Source: Vaswani et al. (2017), §3.1; D2.7.
    """
    check_option("way", way, [*WAYS])
    shifted, masked = WAYS[way]
    with seeded(seed):
        model = (Transformer if masked else WithoutMask)(SIZES)

    def loss(batch: Batch) -> Tensor:
        source, whole = batch
        says = whole[:, 1:]  # the sentence and ⟨EOS⟩
        reads = whole[:, :-1] if shifted else says
        logits = model(source, reads)  # (B, T, V)
        return F.cross_entropy(logits.flatten(0, 1), says.flatten())

    return model, fit_steps(model, sentences, loss, steps, lr=1e-3, seed=seed)
