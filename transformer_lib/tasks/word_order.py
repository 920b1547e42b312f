"""Four ways to tell a small model where a word stands, trained and compared live."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..model.config import TransformerConfig
from ..model.transformer import EncoderOnlyTransformer
from ..support.validation import check_option, check_size
from ..training import fit

Way = Literal["none", "number", "sinusoidal", "learned"]
Task = Literal["two to the left", "who comes first"]
WAYS: tuple[Way, ...] = get_args(Way)
TASKS: tuple[Task, ...] = get_args(Task)
WORDS = (
    *("Ajish", "Mia", "cat", "dog", "bird", "mat"),
    *("tree", "box", "street", "AI", "math", "music"),
)
SEEN = (4, 12)  # words in a sentence in training
LENGTHS = (SEEN, (13, 24), (48, 48))
UNASKED = -100  # what cross_entropy skips
Batch = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class WordOrder:
    """What the four ways came to.

    Args:
        task: what was asked.
        lengths: the ranges of sentence lengths, the first of them seen in training.
        accuracy: for each way, the share of right answers in each range.
        losses: for each way, the loss at every step of its training.
    """

    task: Task
    lengths: tuple[tuple[int, int], ...]
    accuracy: dict[Way, tuple[float, ...]]
    losses: dict[Way, list[float]]


class Reader(nn.Module):
    """One encoder block that is told positions in one of four ways, and answers.

    "number" gives the last of the D features to the position's number 0, 1, 2, …
    "sinusoidal" and "learned" add a vector, "none" adds nothing. All else is equal,
    but for the rows that "learned" has for every position.

    Args:
        way: one of the four.
        answers: how many there are to choose from.
        d_model: D.

    Raises:
        ValueError: the way is none of the four.

    Source: D1.8, D1.9.3.
    """

    def __init__(self, way: Way, answers: int, d_model: int = 32) -> None:
        super().__init__()
        check_option("way", way, WAYS)
        self.way = way
        config = TransformerConfig(
            vocabulary_size=len(WORDS),
            d_model=d_model,
            n_heads=4,
            n_encoder_layers=1,
            d_ff=64,
            dropout=0.0,
            max_length=LENGTHS[-1][1],
            positions="none" if way == "number" else way,
        )
        self.model = EncoderOnlyTransformer(config)
        self.output = nn.Linear(d_model, answers)

    def forward(self, ids: Tensor) -> Tensor:
        """Turn ids (B, T) into the logits of the answers (B, T, answers)."""
        hidden = self._numbered(ids) if self.way == "number" else self.model(ids)
        logits: Tensor = self.output(hidden)  # (B, T, answers)
        return logits

    def _numbered(self, ids: Tensor) -> Tensor:
        features = self.model.embedding(ids)[..., :-1]  # (B, T, D − 1)
        place = torch.arange(ids.size(1), dtype=features.dtype).expand(ids.shape)
        x = torch.cat([features, place[..., None]], dim=-1)  # (B, T, D)
        hidden: Tensor = self.model.encoder(x)
        return hidden


def run(
    task: Task = "two to the left",
    *,
    ways: Sequence[Way] = WAYS,
    steps: int = 400,
    seed: int = 0,
) -> WordOrder:
    """Train one model for each way on short sentences; ask it about longer ones too.

    Every model starts from the same seed and sees the same sentences of 4 to 12
    words; then it is asked about new ones of 4–12, 13–24 and 48 words. "learned" has
    rows for all 48 positions, but those above 12 never met a sentence: they are the
    random numbers they began as.

    Args:
        task: "two to the left": say, at every word, which word stands two places to
            its left; or "who comes first": say, at Ajish, whether Mia stands before.
        ways: which to compare.
        steps: the batches, of 64 sentences, that each model learns from.
        seed: of weights and sentences.

    Returns:
        accuracies and losses.

    Raises:
        TypeError, ValueError: the task or a way is unknown, or steps is below 1.

    Source: D1.8, D1.9.2.
    """
    check_option("task", task, TASKS)
    check_size("steps", steps)
    accuracy: dict[Way, tuple[float, ...]] = {}
    losses: dict[Way, list[float]] = {}
    for way in ways:
        model, losses[way] = _trained(task, way, steps, seed)
        accuracy[way] = tuple(_accuracy(model, task, length) for length in LENGTHS)
    return WordOrder(task, LENGTHS, accuracy, losses)


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


def sentences(
    task: Task, lengths: tuple[int, int], draw: torch.Generator, count: int = 64
) -> Batch:
    """Draw random words (B, T) of one length from the range, and the answers (B, T)."""
    T = int(torch.randint(lengths[0], lengths[1] + 1, (1,), generator=draw))
    if task == "two to the left":
        ids = torch.randint(len(WORDS), (count, T), generator=draw)
        return ids, two_to_the_left(ids)
    ids = torch.randint(2, len(WORDS), (count, T), generator=draw)
    two = torch.rand(count, T, generator=draw).topk(2).indices  # (B, 2)
    ids.scatter_(1, two, torch.tensor([[0, 1]]).expand(count, 2))
    return ids, who_comes_first(ids)


def _trained(task: Task, way: Way, steps: int, seed: int) -> tuple[Reader, list[float]]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Reader(way, len(WORDS) if task == "two to the left" else 2)

    def loss(batch: Batch) -> Tensor:
        ids, answers = batch
        return F.cross_entropy(
            model(ids).flatten(0, 1), answers.flatten(), ignore_index=UNASKED
        )

    losses = fit(
        model, lambda draw: sentences(task, SEEN, draw), loss, steps, seed=seed
    )
    return model, losses


def _accuracy(model: Reader, task: Task, lengths: tuple[int, int]) -> float:
    """The share of right answers over 16 batches that no training has seen."""
    draw = torch.Generator().manual_seed(48)
    right = asked = 0
    for _ in range(16):
        ids, answers = sentences(task, lengths, draw)
        with torch.no_grad():
            said = model(ids).argmax(-1)  # (B, T)
        right += int((said == answers).sum())
        asked += int((answers != UNASKED).sum())
    return right / asked
