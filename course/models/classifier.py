"""Which of WordNet's 25 kinds of noun is defined? A model's vector is classified.

The model is a GPT or a BERT of `dictionary`, pre-trained or with random weights. It
reads a definition without its word: ⟨SOS⟩ ⟨noun⟩ ⟨MEANS⟩ … ⟨EOS⟩, as it did now and
then in its pre-training.
"""

from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_lib.checks.validation import check_option
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.model.transformer import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
)
from transformer_lib.training import Training, fit_steps, linear_warmup_decay

from ..data.dictionary import KINDS, Entry, in_ids
from .dictionary import LENGTH, PAD_ID, padded, without_word

Model = DecoderOnlyTransformer | EncoderOnlyTransformer
Pooling = Literal["first", "last", "mean"]
POOLINGS: tuple[Pooling, ...] = ("first", "last", "mean")
NAMES = [*KINDS.values()]
BATCH = 32
MIXED = 2  # batches that are sorted by length together


class Labeled(NamedTuple):
    """Definitions of nouns: their tokens, and the numbers of their kinds (N,)."""

    texts: list[Tensor]
    kinds: Tensor


def labeled(entries: Iterable[Entry]) -> Labeled:
    """Take the nouns among some entries; their words are left out."""
    nouns = [entry for entry in entries if entry.kind]
    texts = [without_word(torch.tensor(in_ids(entry)))[:LENGTH] for entry in nouns]
    return Labeled(texts, torch.tensor([NAMES.index(entry.kind) for entry in nouns]))


def hidden_states(model: Model, ids: Tensor) -> Tensor:
    """Return the vectors of the last layer: ids (B, T), padded behind, to (B, T, D)."""
    if isinstance(model, EncoderOnlyTransformer):
        return model(ids, padding_mask(ids, pad_id=PAD_ID))
    x = model.embedding(ids) + model.positions(torch.arange(ids.size(1)))  # (B, T, D)
    return model.decoder(x, causal_mask(ids.size(1)))


def pooled(hidden: Tensor, ids: Tensor, pooling: Pooling) -> Tensor:
    """Take one vector for each text: (B, T, D) to (B, D).

    Args:
        hidden: the vectors of the tokens.
        ids: (B, T), padded behind.
        pooling: the "first" token's vector, the "last" one's, or the "mean" of all.

    Raises:
        ValueError: pooling is none of these.
    """
    check_option("pooling", pooling, [*POOLINGS])
    is_token = ids != PAD_ID  # (B, T)
    if pooling == "first":
        return hidden[:, 0]
    if pooling == "last":
        return hidden[range(len(ids)), is_token.sum(1) - 1]
    return (hidden * is_token[..., None]).sum(1) / is_token.sum(1, keepdim=True)


class Classifier(nn.Module):
    """Score the 25 kinds of noun from a definition.

        scores = W · pooled(model(ids)) + b

    Args:
        model: a GPT or a BERT.
        pooling: which of its vectors is read: see `pooled`. A GPT's last token alone
            has seen the whole definition; the first token of a BERT is a class token.
    """

    def __init__(self, model: Model, pooling: Pooling) -> None:
        super().__init__()
        self.model = model
        self.pooling = pooling
        self.head = nn.Linear(model.config.d_model, len(NAMES))

    def forward(self, ids: Tensor) -> Tensor:
        """Turn ids (B, T), padded behind, into scores (B, 25)."""
        scores: Tensor = self.head(self.vectors(ids))
        return scores

    def vectors(self, ids: Tensor) -> Tensor:
        """Return what the linear layer reads: (B, D)."""
        return pooled(hidden_states(self.model, ids), ids, self.pooling)


def batch(known: Labeled, draw: torch.Generator) -> tuple[Tensor, Tensor]:
    """Draw 32 texts of similar length, if there are as many: ids (B, T), kinds (B,).

    Two batches are drawn and sorted by length, and one of them is taken: so little of
    it is padding.
    """
    chosen = torch.randperm(len(known.texts), generator=draw)[: MIXED * BATCH]
    lengths = torch.tensor([len(known.texts[n]) for n in chosen.tolist()])
    parts = torch.split(chosen[lengths.argsort(stable=True)], BATCH)
    taken = parts[int(torch.randint(len(parts), (), generator=draw))]
    return padded([known.texts[n] for n in taken.tolist()]), known.kinds[taken]


def fit(
    classifier: Classifier, known: Labeled, steps: int, rate: float, seed: int = 0
) -> Training:
    """Return the training of a classifier: see `fit_steps`.

    The learning rate rises for a tenth of the steps, and falls to 0 after that.
    """

    def loss(asked: tuple[Tensor, Tensor]) -> Tensor:
        return F.cross_entropy(classifier(asked[0]), asked[1])

    return fit_steps(
        classifier,
        lambda draw: batch(known, draw),
        loss,
        steps,
        lr=linear_warmup_decay(rate, steps // 10, steps),
        clip=1.0,
        seed=seed,
    )


def by_batch(
    function: Callable[[Tensor], Tensor], texts: list[Tensor], count: int = 100
) -> Tensor:
    """Apply a function of ids (B, T) to texts, those of similar length together."""
    order = sorted(range(len(texts)), key=lambda n: len(texts[n]))
    parts = [order[first : first + count] for first in range(0, len(order), count)]
    with torch.inference_mode():
        found = [function(padded([texts[n] for n in part])) for part in parts]
    return torch.cat(found)[torch.tensor(order).argsort()]


def evaluate(classifier: Classifier, asked: Labeled) -> dict[str, float]:
    """Return the "accuracy" on some definitions, and the mean "loss"."""
    scores = by_batch(classifier, asked.texts)  # (N, 25)
    right = (scores.argmax(-1) == asked.kinds).float().mean()
    return {
        "accuracy": float(right),
        "loss": float(F.cross_entropy(scores, asked.kinds)),
    }


def bag_of_words(C: float) -> Any:
    """Return a classifier of texts that sees which words are in them, in no order.

    Each word has a weight, tf-idf: larger if it is often in a text, and smaller if it
    is in many texts. Logistic regression scores the classes by a sum over the words.

    Args:
        C: the larger, the less the weights of the sum are held back.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    rule = LogisticRegression(C=C, max_iter=300)
    return make_pipeline(TfidfVectorizer(sublinear_tf=True), rule)
