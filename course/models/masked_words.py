"""An encoder-only Transformer that fills in the masked words of a sentence."""

from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.model.transformer import EncoderOnlyTransformer

from ..data.grammar_sentences import MOST_WORDS, learned, padded
from ..data.masked_words import MASK, NOTHING, VOCABULARY, mask_tokens
from .measures import by_probability
from .small_model import Recipe, SmallModel

SIZES = TransformerConfig(
    vocabulary_size=len(VOCABULARY),
    d_model=32,
    n_heads=4,
    n_encoder_layers=6,
    d_ff=64,
    dropout=0.0,
    max_length=MOST_WORDS + 2,
)
RECIPE = Recipe.plain(3000, 1e-3)
Batch = tuple[Tensor, Tensor]


@cache
def corpus() -> Tensor:
    """Return the ids (6000, 18) of the sentences that all seeds learn from."""
    return padded(VOCABULARY, learned())


def batch(draw: torch.Generator, count: int) -> Batch:
    """Draw sentences with words masked by `mask_tokens`: ids and targets (B, S)."""
    rows = torch.randint(len(corpus()), (count,), generator=draw)
    return mask_tokens(corpus()[rows], draw)


def loss(model: EncoderOnlyTransformer, batch: Batch) -> Tensor:
    """Return the cross-entropy of the words that are asked.

    Source: Devlin et al. (2019), §3.1.
    """
    read, asked = batch
    return F.cross_entropy(logits(model, read).mT, asked, ignore_index=NOTHING)


def logits(model: EncoderOnlyTransformer, ids: Tensor, *, right: bool = True) -> Tensor:
    """Score every word at every place: ids (B, S) to (B, S, V).

        logits = encoder(ids) Eᵀ

    E is the embedding's own matrix, and padding is hidden from all. Without `right`,
    what stands on the right of a place is hidden from it too.
    """
    mask = padding_mask(ids, pad_id=VOCABULARY.pad_id)  # (B, 1, 1, S)
    if not right:
        mask = mask & causal_mask(ids.size(1))  # (B, 1, S, S)
    return model.embedding.logits(model(ids, mask))


def fill_in(
    model: EncoderOnlyTransformer, sentence: str, *, right: bool = True
) -> dict[str, float]:
    """Return how likely each word is to stand where ⟨MASK⟩ stands, the likeliest first.

    Args:
        model: which model.
        sentence: of the words that it knows.
        right: whether it sees what stands on the right.

    Raises:
        ValueError: there is not one ⟨MASK⟩, or a word is not in the vocabulary, or
            there are over 16.
    """
    words = sentence.split()
    if words.count(MASK) != 1 or len(words) > MOST_WORDS:
        wanted = f"hold one {MASK} and at most {MOST_WORDS} words"
        raise ValueError(f"sentence must {wanted}, got {sentence!r}")
    ids = padded(VOCABULARY, [words])  # (1, 18)
    with torch.inference_mode():
        scores = logits(model, ids, right=right)[0, words.index(MASK) + 1]  # (V,)
    return by_probability(scores, VOCABULARY)


def measure(model: EncoderOnlyTransformer) -> dict[str, float]:
    """Return the mean loss of 640 sentences that are learned, newly masked."""
    with torch.inference_mode():
        return {
            "loss": float(loss(model, batch(torch.Generator().manual_seed(1), 640)))
        }


MODEL = SmallModel(
    name="masked_words",
    build=lambda: EncoderOnlyTransformer(SIZES),
    batch=batch,
    loss=loss,
    recipe=RECIPE,
    words=VOCABULARY.words,
    measure=measure,
)
begin, trained, new_model = MODEL.begin, MODEL.trained, MODEL.untrained
