"""Where a translator looks, beside the word that the grammar knows it should."""

from collections.abc import Sequence

import torch
from torch import Tensor

from ...data.french import Sentence
from ...data.french_sentences import PAD_ID, in_ids
from ...model.masks import padding_mask
from ...model.transformer import Transformer
from ...runtime.recording import record

WEIGHTS = "decoder.blocks.{}.cross_attention.weights"


def looked_at(model: Transformer, sentences: Sequence[Sentence]) -> Tensor:
    """Find at which English word each head looks most, for each French one.

    Returns:
        places (layers, H, B, T): that of the French word t is of the query that scores
        it, which has read the words before it.
    """
    source, target = in_ids(sentences)
    with torch.inference_mode(), record(model) as tensors:
        model(source, target[:, :-1], padding_mask(source, pad_id=PAD_ID))
    blocks = range(model.config.n_decoder_layers)
    weights = torch.stack([tensors[WEIGHTS.format(n)] for n in blocks])
    return weights.argmax(-1).transpose(1, 2)  # (layers, H, B, T)


def aligned(model: Transformer, sentences: Sequence[Sentence]) -> Tensor:
    """Give each head's share (layers, H) of French words for which it looks right.

    Right is an English word that the French one comes from, as the grammar has it.
    """
    places = looked_at(model, sentences)
    right = torch.zeros(places.shape[:2])
    asked = 0
    for b, sentence in enumerate(sentences):
        for t, own in enumerate(sentence.comes_from):
            right += torch.isin(places[:, :, b, t], torch.tensor([*own]))
            asked += 1
    return right / asked


def best_head(model: Transformer, sentences: Sequence[Sentence]) -> tuple[int, int]:
    """Name the block and the head that look right most often.

    To say how well it does, ask it about other sentences than these.
    """
    shares = aligned(model, sentences)
    place = int(shares.argmax())
    return divmod(place, shares.size(1))


def diagonal(sentences: Sequence[Sentence]) -> float:
    """Give the share of French words that come from the English one in their place."""
    right = [t in own for s in sentences for t, own in enumerate(s.comes_from)]
    return sum(right) / len(right)
