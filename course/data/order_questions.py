"""Two questions about the order of random words, and how well one answers blindly."""

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
EARLY = (0, 11)  # places that training met
LATE = (12, 47)
#: What is measured apart: sentences of so many words, questions about such places.
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
    """At Ajish: 1 where Mia stands before him, 0 where after; others are not asked."""
    ajish, mia = (ids == 0).int().argmax(1), (ids == 1).int().argmax(1)  # (B,)
    answers = torch.full_like(ids, UNASKED)
    return answers.scatter(1, ajish[:, None], (mia < ajish).long()[:, None])


def last_places(task: Task, ids: Tensor) -> Tensor:
    """The last place that a question is about (B, T): its word's, or the later name's.

    A question about places that training never met is one whose last place is such.
    """
    place = torch.arange(ids.size(1)).expand(ids.shape)
    if task == "two to the left":
        return place
    return ((ids < 2) * place).amax(1, keepdim=True).expand(ids.shape)


def baselines(task: Task) -> dict[str, Shares]:
    """What the best answers come to that do not compare places: the bar to clear.

    "ignoring order" knows how often each word occurs: the word two to the left is any
    of the n − 1 others, most likely the one that occurs most; of two names either may
    be first. "own place alone" knows where Ajish stands besides: in the second half
    it says that Mia stands before him.

    Returns:
        by rule, the expected share of right answers in each of `RANGES`.
    """
    if task == "two to the left":
        return {"ignoring order": by_range(_most_common)}
    alone = by_range(_own_place)
    return {"ignoring order": (0.5,) * len(RANGES), "own place alone": alone}


def by_range(counts: Callable[[int, int], Counts]) -> Shares:
    """Share what is right of what is asked, in each of `RANGES`.

    Args:
        counts: takes a length and how many lengths its range has, and gives what is
            right and what is asked, by place.
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
    """Expect the share of the most common among N = n − 1 random words of V.

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
    """Over all pairs of places, how often the half in which Ajish stands is right."""
    ajish, mia = np.indices((n, n))
    before = np.heaviside(ajish - (n - 1) / 2, 0.5)  # in the middle either is said
    asked = (mia != ajish) / (n * (n - 1))
    right = asked * np.where(mia < ajish, before, 1 - before)
    last = np.maximum(ajish, mia).ravel()
    return np.bincount(last, right.ravel()), np.bincount(last, asked.ravel())
