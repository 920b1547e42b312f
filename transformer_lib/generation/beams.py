"""Beams: the likeliest texts side by side, some that go on and some that have ended."""

import torch
from torch import Tensor

from .reading import Reader
from .settings import Decoding


class Beams:
    """K texts that go on and the best N that have ended, for each of B prompts.

    Args:
        reader: has read the prompts, one row each.
        decoding: tells when a text is over.
        beams: K.
        length_penalty: the exponent of the penalty.
        n_best: N.
    """

    def __init__(
        self,
        reader: Reader,
        decoding: Decoding,
        beams: int,
        length_penalty: float,
        n_best: int,
    ) -> None:
        ids, B = reader.prompt.ids, len(reader.prompt.ids)
        self.end_id, self.exponent = decoding.end_id, length_penalty
        self.limits = decoding.max_length - reader.prompt.lengths[:, None]  # (B, 1)
        self.texts = ids.new_full((B, beams, reader.steps), decoding.fill)
        self.scores = torch.full((B, beams), -torch.inf, device=ids.device)
        self.scores[:, 0] = 0.0  # at first there is one text, the prompt
        self.best_texts = self.texts[:, :n_best]  # (B, N, steps)
        self.best_lengths = ids.new_zeros(B, n_best)
        self.best_scores = self.scores[:, :n_best] - torch.inf  # (B, N)

    def grow(self, log_p: Tensor, n: int) -> tuple[Tensor, Tensor]:
        """Put every token behind every text, as the n-th, and keep the best K.

        Args:
            log_p: (B · K, V).
            n: counts from 1.

        Returns:
            the rows, of B · K, that the new texts grew from, and their tokens (B · K,).
        """
        B, K = self.scores.shape
        sums = self.scores[:, :, None] + log_p.view(B, K, -1)  # (B, K, V)
        self.scores, chosen = sums.flatten(1).topk(K)  # (B, K)
        parent, token = chosen // sums.size(2), chosen % sums.size(2)
        self.texts = _pick(self.texts, parent)
        self.texts[:, :, n - 1] = token
        first = K * torch.arange(B, device=token.device)[:, None]  # (B, 1)
        return (first + parent).flatten(), token.flatten()

    def collect(self, n: int) -> None:
        """Move the texts that end with their n-th token among the best, if they are."""
        over = (self.limits <= n).expand_as(self.scores)
        if self.end_id is not None:
            over = over | (self.texts[:, :, n - 1] == self.end_id)
        ended = (self.scores / self._penalty(n)).masked_fill(~over, -torch.inf)
        scores = torch.cat([self.best_scores, ended], dim=1)  # (B, N + K)
        texts = torch.cat([self.best_texts, self.texts], dim=1)
        lengths = torch.cat(
            [self.best_lengths, torch.full_like(over, n, dtype=torch.long)], 1
        )
        self.best_scores, which = scores.topk(self.best_scores.size(1))  # (B, N)
        self.best_texts = _pick(texts, which)
        self.best_lengths = lengths.gather(1, which)
        self.scores = self.scores.masked_fill(over, -torch.inf)

    def settled(self) -> bool:
        """Tell whether no text that goes on can still come among the best.

        Σ log p only falls, so at best it stays as it is, at the largest penalty.
        """
        hope = self.scores / self._penalty(self.limits)  # (B, K)
        return bool((self.best_scores[:, -1:] >= hope).all())

    def _penalty(self, n: Tensor | int) -> Tensor | float:
        """Weigh a length: ((5 + n) / 6)^exponent."""
        penalty: Tensor | float = ((5 + n) / 6) ** self.exponent
        return penalty


def search(reader: Reader, log_p: Tensor, beams: Beams) -> None:
    """Grow the beams to the end, given log p (B, V) of the first token."""
    K = beams.scores.size(1)
    reader.widen(K)
    log_p = log_p.repeat_interleave(K, dim=0)  # (B · K, V)
    for n in range(1, reader.steps + 1):
        rows, tokens = beams.grow(log_p, n)
        beams.collect(n)
        if beams.settled():
            break
        reader.follow(rows)
        log_p = reader.read(tokens[:, None])


def _pick(texts: Tensor, which: Tensor) -> Tensor:
    """Pick texts (B, K, steps) of each row by number: which (B, N) to (B, N, steps)."""
    return texts.gather(1, which[:, :, None].expand(-1, -1, texts.size(2)))
