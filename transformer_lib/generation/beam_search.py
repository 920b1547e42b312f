"""Beam search: grow the most likely texts side by side."""

from collections import deque
from collections.abc import Iterator

import torch
from torch import Tensor

from ..checks.validation import check_arguments, require
from .prediction import Decoding, Model, Predictor, Prompt, join, predicting
from .sampling import Generated


@check_arguments
def beam_search(
    model: Model,
    ids: Tensor,
    decoding: Decoding,
    beams: int,
    length_penalty: float = 0.0,
    n_best: int = 1,
) -> Generated:
    """Grow the `beams` most likely texts side by side, and keep the best that end.

        score = Σ log p / ((5 + n) / 6)^length_penalty, for n new tokens

    Each step tries every token after every unfinished text, and keeps the best `beams`
    by Σ log p. Finished texts are set aside. The search ends when no unfinished text
    can still be among the `n_best`. One beam is `greedy`.

    Args:
        model: as in `greedy`.
        ids: prompts or sources, as in `greedy`.
        decoding: where texts start and end.
        beams: how many texts grow at once.
        length_penalty: 0 compares plain sums, which favor short texts; the 2017 paper
            used 0.6.
        n_best: how many texts to return for each row.

    Raises:
        TypeError, ValueError, IndexError: as `greedy`; or beams is not in 1 … V, n_best
            not in 1 … beams, or length_penalty not a number in [0, 10].

    Source: D0.2.3; Wu et al. (2016), §7; Vaswani et al. (2017), §6.1.
    """
    check_beams(model, beams, length_penalty, n_best)
    with predicting(model, ids, decoding, beams) as predictor:
        found = Beams(predictor, decoding, beams, length_penalty, n_best)
        deque(growing(predictor, found), maxlen=0)
    return found.best()


def growing(
    predictor: Predictor, found: "Beams"
) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Grow texts token by token, until no unfinished one can be among the best.

    Yields:
        after each step log p of every token after every text (B · K, V); and the rows
        that the kept texts grew from, and their new tokens, both (B · K,).
    """
    new = predictor.prompt.ids
    for n in range(1, predictor.steps + 1):
        log_p = predictor.read(new)
        rows, tokens = found.grow(log_p, n)
        found.collect(n)
        yield log_p, rows, tokens
        if found.settled():
            return
        predictor.follow(rows)
        new = tokens[:, None]


class Beams:
    """For each of B prompts, K unfinished texts, and the best N finished ones."""

    def __init__(
        self,
        predictor: Predictor,
        decoding: Decoding,
        beams: int,
        length_penalty: float,
        n_best: int,
    ) -> None:
        self.prompt = Prompt(*(x[::beams] for x in predictor.prompt))  # B rows
        self.end_id = decoding.end_id
        self.exponent = length_penalty
        self.limits = decoding.max_length - self.prompt.lengths[:, None]  # (B, 1)
        ids = self.prompt.ids
        B = len(ids)
        self.texts = ids.new_full((B, beams, predictor.steps), decoding.fill)
        # In float64, so that rounding does not make two scores equal.
        self.scores = ids.new_full((B, beams), -torch.inf, dtype=torch.float64)
        self.scores[:, 0] = 0.0  # at first there is one text, the prompt
        self.best_texts = self.texts[:, :n_best]  # (B, N, steps)
        self.best_lengths = ids.new_zeros(B, n_best)
        self.best_scores = self.scores[:, :n_best] - torch.inf  # (B, N)
        self.dtype = torch.float32  # of log p, once there is any

    def grow(self, log_p: Tensor, n: int) -> tuple[Tensor, Tensor]:
        """Try every token as the n-th of every text, by log_p (B · K, V); keep K best.

        Return the rows that they grew from, and their new tokens, both (B · K,).
        """
        self.dtype = log_p.dtype
        B, K = self.scores.shape
        sums = self.scores[:, :, None] + log_p.view(B, K, -1)  # (B, K, V)
        self.scores, chosen = _largest(sums.flatten(1), K)  # (B, K)
        parent, token = chosen // sums.size(2), chosen % sums.size(2)
        self.texts = _pick(self.texts, parent)
        self.texts[:, :, n - 1] = token
        first = K * torch.arange(B, device=token.device)[:, None]  # (B, 1)
        return (first + parent).flatten(), token.flatten()

    def collect(self, n: int) -> None:
        """Set texts that end with their n-th token aside, if among the best."""
        over = (self.limits <= n).expand_as(self.scores)
        if self.end_id is not None:
            over = over | (self.texts[:, :, n - 1] == self.end_id)
        if not over.any():
            return
        ended = (self.scores / self._penalty(n)).masked_fill(~over, -torch.inf)
        scores = torch.cat([self.best_scores, ended], dim=1)  # (B, N + K)
        lengths = torch.cat([self.best_lengths, over * 0 + n], dim=1)
        self.best_scores, which = _largest(scores, self.best_scores.size(1))  # (B, N)
        self.best_texts = _pick(torch.cat([self.best_texts, self.texts], dim=1), which)
        self.best_lengths = lengths.gather(1, which)
        self.scores = self.scores.masked_fill(over, -torch.inf)

    def settled(self) -> bool:
        """Return whether no unfinished text can still be among the best.

        Σ log p only decreases, so the bound is its value now, at the largest penalty.
        """
        hope = self.scores / self._penalty(self.limits)  # (B, K)
        return bool((self.best_scores[:, -1:] >= hope).all())

    def best(self) -> Generated:
        """Return the best texts (B, N, L), with their prompts, and scores (B, N)."""
        B, N, _ = self.best_texts.shape
        prompt = self.prompt.repeat(N)
        lengths = self.best_lengths.flatten()
        texts = join(prompt, self.best_texts.flatten(0, 1), lengths)
        scores = self.best_scores.to(self.dtype)
        return Generated(texts.view(B, N, texts.size(1)), scores)

    def _penalty(self, n: int | Tensor) -> Tensor:
        length = torch.as_tensor(n, dtype=torch.float64, device=self.scores.device)
        return ((5 + length) / 6) ** self.exponent


def _largest(x: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return the k largest of each row and their indices; of equal ones, the first."""
    ordered, indices = x.topk(min(k + 1, x.size(1)), dim=1)
    if (ordered[:, 1:] == ordered[:, :-1]).any():  # topk takes any of equal numbers
        ordered, indices = x.sort(dim=1, descending=True, stable=True)
    return ordered[:, :k], indices[:, :k]


def _pick(texts: Tensor, which: Tensor) -> Tensor:
    """Pick texts (B, K, steps) of each row by number (B, N): (B, N, steps)."""
    return texts.gather(1, which[:, :, None].expand(-1, -1, texts.size(2)))


@check_arguments
def check_beams(model: Model, beams: int, length_penalty: float, n_best: int) -> None:
    """Raise unless 1 ≤ n_best ≤ beams ≤ V, and the penalty is from 0 to 10."""
    V = model.config.vocabulary_size
    require(beams <= V, "beams", f"be at most the vocabulary's {V}", beams)
    got = f"n_best={n_best} and beams={beams}"
    require(n_best <= beams, "n_best", "be at most beams", got)
