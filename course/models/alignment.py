"""Where a translator looks, beside the word that the grammar knows it should."""

from collections.abc import Sequence

import torch
from torch import Tensor

from transformer_lib.model.masks import padding_mask
from transformer_lib.model.transformer import Transformer
from transformer_lib.runtime.recording import record

from ..data.french import Sentence
from ..data.french_sentences import PAD_ID
from ..data.pairs import Pairs

# PAD_ID is that of every task of pairs: their vocabularies begin with ⟨PAD⟩.
WEIGHTS = "decoder.blocks.{}.cross_attention.weights"
ComesFrom = Sequence[Sequence[set[int]]]


def cross_weights(model: Transformer, pairs: Pairs) -> Tensor:
    """Return how each head of each block looks from the targets at the sources.

    Returns:
        weights (layers, H, B, T, S): row t is of the query that scores the target's
        word t, from 0, which has read the words before it.
    """
    source, target = pairs
    with torch.inference_mode(), record(model) as tensors:
        model(source, target[:, :-1], padding_mask(source, pad_id=PAD_ID))
    blocks = range(model.config.n_decoder_layers)
    weights = torch.stack([tensors[WEIGHTS.format(n)] for n in blocks])
    return weights.transpose(1, 2)


def aligned(model: Transformer, pairs: Pairs, comes_from: ComesFrom) -> Tensor:
    """Return each head's share (layers, H) of target words for which it looks right.

    Right is a word of the source from which the target's comes: it has the largest of
    the weights.

    Args:
        model: whose cross-attention.
        pairs: sources and targets.
        comes_from: of each target's words the places in its source.
    """
    places = cross_weights(model, pairs).argmax(-1)  # (layers, H, B, T)
    right = torch.zeros(places.shape[:2])
    asked = 0
    for b, words in enumerate(comes_from):
        for t, own in enumerate(words):
            right += torch.isin(places[:, :, b, t], torch.tensor([*own]))
            asked += 1
    return right / asked


def best_head(
    model: Transformer, pairs: Pairs, comes_from: ComesFrom
) -> tuple[int, int]:
    """Name the block and the head that look right most often.

    To say how well it does, ask it about other sentences than these.
    """
    shares = aligned(model, pairs, comes_from)
    place = int(shares.argmax())
    return divmod(place, shares.size(1))


def diagonal(sentences: Sequence[Sentence]) -> float:
    """Return the share of French words that come from the word at their position."""
    right = [t in own for s in sentences for t, own in enumerate(s.comes_from)]
    return sum(right) / len(right)
