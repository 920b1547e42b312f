"""A decoder-only model that finishes the sentences of `data.jobs`: one stack, one text.

It reads the start, ⟨SOS⟩ and what is written as one text.
"""

from dataclasses import replace
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_lib.model.transformer import DecoderOnlyTransformer
from transformer_lib.training import Training, fit_steps, seeded

from ..data.jobs import SOS, VOCABULARY, sentences, written
from .jobs import SENTENCES, SIZES, Batch, falling

#: Two blocks in one stack, where 00's model has one in each of two.
ONE_STACK = replace(SIZES, n_decoder_layers=2, max_length=16)


def learn(steps: int, seed: int = 0) -> tuple[DecoderOnlyTransformer, Training]:
    """Give a model, and its training: with batches and rate of 00's model.

    The loss asks for what is written alone: the words after ⟨SOS⟩.

    Args:
        steps: batches to learn from.
        seed: of the first weights and of the sentences.

    Returns:
        the model, and one after another, the loss of every step: see `fit_steps`.

    Source: D3.10; Liu et al. (2018), §4.2.3, for two texts in one.
    """
    with seeded(seed):
        model = DecoderOnlyTransformer(ONE_STACK)

    def loss(batch: Batch) -> Tensor:
        source, whole = batch
        ids = torch.cat([source, whole], dim=1)  # (B, S + T + 1)
        logits = model(ids[:, :-1])[:, source.size(1) :]  # (B, T, V)
        return F.cross_entropy(logits.flatten(0, 1), whole[:, 1:].flatten())

    batch = partial(sentences, count=SENTENCES)
    return model, fit_steps(model, batch, loss, steps, lr=falling(steps), seed=seed)


def next_word(model: DecoderOnlyTransformer, start: str) -> dict[str, float]:
    """Give how likely each word is to follow a start, as 00's `jobs.next_word` does.

    Raises:
        ValueError: a word is not in the vocabulary, or there are too many.
    """
    ids = torch.tensor([VOCABULARY.encode(f"{start} {SOS} {written(start)}")])
    with torch.inference_mode():
        p = model(ids)[0, -1].softmax(-1)  # (V,)
    return dict(zip(VOCABULARY.words, p.tolist(), strict=True))
