"""A decoder-only model that finishes the sentences of `data.jobs`: one stack, one text.

It reads the start, ⟨SOS⟩ and what is written as one text.
"""

from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_lib.model.transformer import DecoderOnlyTransformer

from ..data.jobs import VOCABULARY, sentences, written
from ..data.pairs import SOS
from .jobs import RECIPE, SIZES, Batch
from .measures import by_probability
from .small_model import SmallModel

#: Two blocks in one stack, where 00's model has one in each of two.
ONE_STACK = replace(SIZES, n_decoder_layers=2, max_length=16)


def loss(model: DecoderOnlyTransformer, batch: Batch) -> Tensor:
    """Return the cross-entropy of what is written alone: the words after ⟨SOS⟩.

    Source: D3.10; Liu et al. (2018), §4.2.3, for two texts in one.
    """
    source, whole = batch
    ids = torch.cat([source, whole], dim=1)  # (B, S + T + 1)
    logits = model(ids[:, :-1])[:, source.size(1) :]  # (B, T, V)
    return F.cross_entropy(logits.flatten(0, 1), whole[:, 1:].flatten())


MODEL = SmallModel(
    name="one_stack",
    build=lambda: DecoderOnlyTransformer(ONE_STACK),
    batch=sentences,
    loss=loss,
    recipe=RECIPE,
    seeds=(),
)


def next_word(model: DecoderOnlyTransformer, start: str) -> dict[str, float]:
    """Return how likely each word is to follow a start, as 00's `jobs.next_word` does.

    Raises:
        ValueError: a word is not in the vocabulary, or there are too many.
    """
    ids = torch.tensor([VOCABULARY.encode(f"{start} {SOS} {written(start)}")])
    with torch.inference_mode():
        return by_probability(model(ids)[0, -1], VOCABULARY)
