"""Two questions about the order of random words, and their baselines."""

import math
from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
import torch
from numpy.polynomial.polynomial import polypow
from numpy.typing import NDArray
from torch import Tensor

Task = Literal["two to the left", "who comes first"]
TASKS: tuple[Task, ...] = get_args(Task)
WORDS = (
    *("Ajish", "Mia", "cat", "dog", "bird", "mat"),
    *("tree", "box", "street", "AI", "math", "music"),
)
SEEN = (4, 12)  # words in a sentence of the training
MIDDLE = (13, 24)
LONG = (48, 48)
EARLY = (0, 11)  # positions that training met
LATE = (12, 47)
#: Measured separately: sentences of these lengths, questions about these positions.
RANGES = ((SEEN, EARLY), (MIDDLE, EARLY), (MIDDLE, LATE), (LONG, EARLY), (LONG, LATE))
UNASKED = -100  # what cross_entropy skips
Batch = tuple[Tensor, Tensor]
Shares = tuple[float, ...]
Counts = tuple[NDArray[Any], NDArray[Any]]  # right and asked, (n,) each


def sentences(task: Task, T: int, draw: torch.Generator, count: int = 64) -> Batch:
    """Draw sentences of T random words (B, T), and the answers (B, T)."""
    if task == "two to the left":
        ids = torch.randint(len(WORDS), (count, T), generator=draw)
        return ids, two_to_the_left(ids)
    ids = torch.randint(2, len(WORDS), (count, T), generator=draw)
    two = torch.rand(count, T, generator=draw).topk(2).indices  # (B, 2)
    ids.scatter_(1, two, torch.tensor([[0, 1]]).expand(count, 2))
    return ids, who_comes_first(ids)


def two_to_the_left(ids: Tensor) -> Tensor:
    """The word two places to the left (B, T); the first two words are not asked."""
    answers = ids.roll(2, dims=1)
    answers[:, :2] = UNASKED
    return answers


def who_comes_first(ids: Tensor) -> Tensor:
    """At Ajish: 1 if Mia comes before him, 0 if after; other words are not asked."""
    ajish, mia = (ids == 0).int().argmax(1), (ids == 1).int().argmax(1)  # (B,)
    answers = torch.full_like(ids, UNASKED)
    return answers.scatter(1, ajish[:, None], (mia < ajish).long()[:, None])


def last_places(task: Task, ids: Tensor) -> Tensor:
    """The last position in a question (B, T): the word's own, or the later name's.

    If training never met this position, the question counts as one about new positions.
    """
    place = torch.arange(ids.size(1)).expand(ids.shape)
    if task == "two to the left":
        return place
    return ((ids < 2) * place).amax(1, keepdim=True).expand(ids.shape)


def baselines(task: Task) -> dict[str, Shares]:
    """The accuracy of the best rules that do not compare positions: the bar to clear.

    "ignoring order" knows only how often each word occurs. The word two to the left is
    one of the n − 1 others, most likely the one that occurs most often; of two names
    either may be first. "own place alone" also knows the position of Ajish: if he is in
    the second half, it answers that Mia comes before him.

    Returns:
        by rule, the expected accuracy in each of `RANGES`.
    """
    if task == "two to the left":
        return {"ignoring order": by_range(_most_common)}
    alone = by_range(_own_place)
    return {"ignoring order": (0.5,) * len(RANGES), "own place alone": alone}


def by_range(counts: Callable[[int, int], Counts]) -> Shares:
    """Return the accuracy in each of `RANGES`.

    Args:
        counts: (length, number of lengths in its range) → how many answers are right
            and how many are asked, by position.
    """
    found = {
        n: np.array(counts(n, high - low + 1))  # (2, n)
        for low, high in (SEEN, MIDDLE, LONG)
        for n in range(low, high + 1)
    }
    shares = []
    for (low, high), (first, last) in RANGES:
        tables = [found[n][:, first : last + 1] for n in range(low, high + 1)]
        right, asked = np.hstack(tables).sum(axis=1)
        shares.append(float(right / asked))
    return tuple(shares)


def _most_common(n: int, _: int) -> Counts:
    """The expected share of the most common of N = n − 1 random words out of V.

    P(most ≤ m) = N! / V^N · [x^N] (Σ_{j ≤ m} x^j / j!)^V
    """
    N = n - 1
    V = len(WORDS)
    terms = [1 / math.factorial(j) for j in range(N + 1)]
    found = [polypow(terms[: m + 1], V)[N:][:1].sum() for m in range(N)]
    at_most = np.array(found) * math.factorial(N) / float(V**N)  # (N,)
    asked = np.where(np.arange(n) < 2, 0.0, 1.0)
    return asked * (1 - at_most).sum() / N, asked


def _own_place(n: int, _: int) -> Counts:
    """Over all pairs of positions, how often the half with Ajish gives the answer."""
    ajish, mia = np.indices((n, n))
    before = np.heaviside(ajish - (n - 1) / 2, 0.5)  # in the middle, either answer
    asked = (mia != ajish) / (n * (n - 1))
    right = asked * np.where(mia < ajish, before, 1 - before)
    last = np.maximum(ajish, mia).ravel()
    return np.bincount(last, right.ravel()), np.bincount(last, asked.ravel())
