"""Which words come near each other: rows that learn what stands beside a word."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch.nn.functional as F
from torch import Tensor, nn

from transformer_lib.model.embedding import TokenEmbedding
from transformer_lib.text.vocabulary import Vocabulary

from ..data.side_by_side import SENTENCES, make_vocabulary, pairs
from .small_model import Recipe, SmallModel

D_MODEL = 8
STEPS = 200


@dataclass(frozen=True)
class Trained:
    """An embedding before training, and after it or in its middle.

    Args:
        vocabulary: every word of `SENTENCES`, behind ⟨UNK⟩.
        before, after: the matrix E (V, D), first as it was drawn.
        losses: of every step.
    """

    vocabulary: Vocabulary
    before: Tensor
    after: Tensor
    losses: list[float]

    def distance(self, a: str, b: str) -> tuple[float, float]:
        """Return the cosine distance of two words, before and after."""
        i, j = self.vocabulary.encode([a, b])
        before = cosine_distance(self.before)[i, j]
        after = cosine_distance(self.after)[i, j]
        return float(before), float(after)


class Neighbors(nn.Module):
    """Say from a word alone which words stand beside it.

        logits = √D E[id] W,  p(neighbor | word) = softmax(logits)

    Two words with the same neighbors are best answered by the same row of E. With
    `shared`, W is Eᵀ, as in the models of the library.

    Args:
        vocabulary_size: V.
        shared: whether the logits have no matrix of their own.

    Source: Mikolov et al. (2013), the skip-gram model; D2.1.4.
    """

    def __init__(self, vocabulary_size: int, *, shared: bool = False) -> None:
        super().__init__()
        self.embedding = TokenEmbedding(vocabulary_size, D_MODEL)
        self.output = None
        if not shared:
            self.output = nn.Linear(D_MODEL, vocabulary_size, bias=False)

    def forward(self, ids: Tensor) -> Tensor:
        """Turn ids (N,) into the logits of their neighbors (N, V)."""
        x: Tensor = self.embedding(ids)  # (N, D)
        logits: Tensor = (self.output or self.embedding.logits)(x)
        return logits


def train(
    sentences: Sequence[str] = SENTENCES, *, seed: int = 0, shared: bool = False
) -> Trained:
    """Train an embedding on all pairs of words that stand side by side.

    Args:
        sentences: a word that `SENTENCES` have not is ⟨UNK⟩.
        seed: of the first weights.
        shared: see `Neighbors`.

    Returns:
        the embedding before and after.

    Raises:
        ValueError: there is no pair of words.
    """
    *_, trained = train_steps(sentences, seed=seed, shared=shared)
    return trained


def train_steps(
    sentences: Sequence[str] = SENTENCES, *, seed: int = 0, shared: bool = False
) -> Iterator[Trained]:
    """Do what `train` does, a step at a time.

    Returns:
        the embedding before the first of `STEPS` steps, and after each.
    """
    vocabulary = make_vocabulary()
    words = pairs(sentences)  # (N, 2)
    model, training = SmallModel(
        name="nearness",
        build=lambda: Neighbors(len(vocabulary), shared=shared),
        batch=lambda draw, count: words,  # all of them each time
        loss=lambda model, words: F.cross_entropy(model(words[:, 0]), words[:, 1]),
        recipe=Recipe.plain(STEPS, 0.02),
        seeds=(),
    ).begin(seed)
    before = model.embedding.weight.detach().clone()
    losses: list[float] = []
    yield Trained(vocabulary, before, before, losses)
    for new in training:
        losses = [*losses, new]
        now = model.embedding.weight.detach().clone()
        yield Trained(vocabulary, before, now, losses)


def cosine_distance(E: Tensor) -> Tensor:
    """Compare the directions of every two rows of E (V, D): distances (V, V).

        1 − e_i · e_j / (|e_i| |e_j|)

    0 for the same direction, 1 for perpendicular rows, 2 for opposite ones.
    """
    unit = F.normalize(E, dim=1)  # (V, D)
    return 1 - unit @ unit.T
