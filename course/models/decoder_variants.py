"""Four ways to train a decoder: with the shift or without, with the mask or without."""

from collections.abc import Mapping
from typing import NamedTuple

import torch.nn.functional as F
from torch import Tensor

from transformer_lib.checks.validation import check_option
from transformer_lib.model.masks import Mask
from transformer_lib.model.transformer import Transformer
from transformer_lib.training import Training

from ..data.jobs import sentences
from .jobs import SIZES, Batch
from .small_model import Recipe, SmallModel

RECIPE = Recipe.plain(300, 1e-3, batch_size=128)


class Variant(NamedTuple):
    """What a decoder is given in training.

    shifted: whether its input is the target shifted one position to the right.
    masked: whether the causal mask hides the positions that follow.
    """

    shifted: bool
    masked: bool


#: The variants, by name.
VARIANTS: Mapping[str, Variant] = {
    "shift and mask": Variant(shifted=True, masked=True),
    "mask alone": Variant(shifted=False, masked=True),
    "shift alone": Variant(shifted=True, masked=False),
    "neither": Variant(shifted=False, masked=False),
}


class WithoutMask(Transformer):
    """An encoder-decoder whose target sees its own future."""

    def _add_causal_mask(self, ids: Tensor, mask: Mask, past: int) -> Mask:
        return mask


def model_of(variant: str) -> SmallModel[Transformer, Batch]:
    """Return the small model of a variant, trained on the sentences of `data.jobs`.

    The target is always the sentence and ⟨EOS⟩. With the shift, the decoder's input is
    ⟨SOS⟩ and the sentence; without it, the input is the target itself.

    Args:
        variant: one of VARIANTS.

    Raises:
        ValueError: there is no such variant.

    Source: Vaswani et al. (2017), §3.1; D2.7.
    """
    check_option("variant", variant, [*VARIANTS])
    shifted, masked = VARIANTS[variant]

    def loss(model: Transformer, batch: Batch) -> Tensor:
        source, whole = batch
        target = whole[:, 1:]  # the sentence and ⟨EOS⟩
        decoder_input = whole[:, :-1] if shifted else target
        logits = model(source, decoder_input)  # (B, T, V)
        return F.cross_entropy(logits.flatten(0, 1), target.flatten())

    return SmallModel(
        name=variant,
        build=lambda: (Transformer if masked else WithoutMask)(SIZES),
        batch=sentences,
        loss=loss,
        recipe=RECIPE,
        seeds=(),
        settings={"shifted": shifted, "masked": masked},
    )


def begin(
    variant: str, seed: int = 0, steps: int | None = None
) -> tuple[Transformer, Training]:
    """Return a new model of a variant, and its training.

    Args:
        variant: one of VARIANTS.
        seed: of the initial weights and of the sentences, the same for every variant.
        steps: how many batches; those of the recipe without it.

    Returns:
        the model, and an iterator that takes a step each time it is asked for the
        next loss: see `fit_steps`.

    Raises:
        ValueError: there is no such variant.
    """
    return model_of(variant).begin(seed, steps)
