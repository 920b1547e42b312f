"""Which words come near each other: rows that learn what stands beside a word."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..checks.validation import check_option
from ..model.embedding import TokenEmbedding
from ..text.vocabulary import Vocabulary
from ..training import fit

#: "AI" and "Engineer" stand between the same words, and so do "mat" and "chair".
SENTENCES = """\
the AI works .
the AI asks Ajish .
the AI is powerful .
the AI is weak .
Ajish asks an AI .
I love AI .
the Engineer works .
the Engineer asks Ajish .
the Engineer is powerful .
the Engineer is weak .
Ajish asks an Engineer .
Ajish works as an Engineer .
the cat sat on a mat .
the dog sat on a mat .
a mat lies here .
I love a mat .
a soft mat .
an old mat .
the cat sat on a chair .
the dog sat on a chair .
a chair lies here .
I love a chair .
a soft chair .
an old chair .""".splitlines()
UNKNOWN = "⟨UNK⟩"
D_MODEL, STEPS, LR = 8, 200, 0.02


@dataclass(frozen=True)
class Trained:
    """An embedding before and after training.

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
        """Give the cosine distance of two words, before and after."""
        i, j = self.vocabulary.encode([a, b])
        both = cosine_distance(self.before), cosine_distance(self.after)
        return float(both[0][i, j]), float(both[1][i, j])

    def nearest(self, word: str, count: int = 1) -> list[str]:
        """Give the words whose rows are nearest after training, nearest first.

        ⟨UNK⟩ is left out: its row was never trained.
        """
        [i] = self.vocabulary.encode([word])
        order = cosine_distance(self.after)[i].argsort().tolist()
        others = [j for j in order if j not in (i, self.vocabulary.unknown_id)]
        return self.vocabulary.decode(others[:count])


class Neighbours(nn.Module):
    """Say from a word alone which words stand beside it.

        logits = √D E[id] W,  p(neighbour | word) = softmax(logits)

    Two words with the same neighbours are best answered by the same row of E. With
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
        """Turn ids (N,) into the logits of their neighbours (N, V)."""
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
        shared: see `Neighbours`.

    Returns:
        the embedding before and after.

    Raises:
        ValueError: there is no pair of words.
    """
    vocabulary = make_vocabulary()
    pairs = torch.tensor(_pairs(vocabulary, sentences)).view(-1, 2)  # (N, 2)
    if not len(pairs):
        raise ValueError(f"sentences must hold two words in a row, got {sentences}")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Neighbours(len(vocabulary), shared=shared)
    before = model.embedding.weight.detach().clone()

    def loss(pairs: Tensor) -> Tensor:
        return F.cross_entropy(model(pairs[:, 0]), pairs[:, 1])

    losses = fit(model, lambda _: pairs, loss, STEPS, lr=LR)
    return Trained(vocabulary, before, model.embedding.weight.detach(), losses)


def exchanged(a: str, b: str, sentences: Sequence[str] = SENTENCES) -> list[str]:
    """Write b wherever a stands, and a wherever b stands.

    Raises:
        ValueError: a or b is no word of the data.
    """
    for name, word in (("a", a), ("b", b)):
        check_option(name, word, make_vocabulary().words)
    other = {a: b, b: a}
    return [" ".join(other.get(w, w) for w in s.split()) for s in sentences]


def neighbours(
    words: Sequence[str], sentences: Sequence[str] = SENTENCES
) -> tuple[Tensor, list[str]]:
    """Count what stands beside some words: counts (len(words), C), and the C words."""
    vocabulary = make_vocabulary()
    counts = torch.zeros(len(vocabulary), len(vocabulary))
    for i, j in _pairs(vocabulary, sentences):
        counts[i, j] += 1
    rows = counts[vocabulary.encode(words)]
    beside = rows.any(0).nonzero().flatten()  # (C,)
    return rows[:, beside], vocabulary.decode(beside)


def cosine_distance(E: Tensor) -> Tensor:
    """Compare the directions of every two rows of E (V, D): distances (V, V).

        1 − e_i · e_j / (|e_i| |e_j|)

    0 for the same direction, 1 for perpendicular rows, 2 for opposite ones.
    """
    unit = F.normalize(E, dim=1)  # (V, D)
    return 1 - unit @ unit.T


def make_vocabulary() -> Vocabulary:
    """Number the words of `SENTENCES` behind ⟨UNK⟩."""
    words = [word for sentence in SENTENCES for word in sentence.split()]
    return Vocabulary(words, unknown=UNKNOWN)


def _pairs(vocabulary: Vocabulary, sentences: Sequence[str]) -> list[tuple[int, int]]:
    """A word and one beside it, both ways round."""
    pairs = []
    for ids in map(vocabulary.encode, sentences):
        for i, j in pairwise(ids):
            pairs += [(i, j), (j, i)]
    return pairs
