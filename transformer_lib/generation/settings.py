"""The settings of generation: when to stop, and how to draw a token."""

from dataclasses import dataclass

import torch
from torch import Tensor

from ..checks.validation import check_logits, check_size, check_values, require


@dataclass(frozen=True, kw_only=True)
class Decoding:
    """Where a text starts and ends, and whether keys and values are cached.

    Args:
        max_length: the largest number of tokens in a text, including its prompt.
        end_id: the token that ends a text; without one it ends at max_length.
        pad_id: the padding of shorter prompts and sources, on the left or the right,
            and of shorter results after their end (by default end_id). It must differ
            from end_id: otherwise an end within a prompt would look like padding.
        start_id: the first token of every target of an encoder-decoder; a decoder-only
            model has none, since it starts from the prompt.
        use_cache: keep keys and values; False computes them again for each token.

    Raises:
        TypeError, ValueError: a field is of the wrong type, max_length is below 2, or
            pad_id is end_id.
    """

    max_length: int
    end_id: int | None = None
    pad_id: int | None = None
    start_id: int | None = None
    use_cache: bool = True

    def __post_init__(self) -> None:
        check_size("max_length", self.max_length, least=2)
        check_values(vars(self), type(self).__annotations__)
        apart = self.pad_id is None or self.pad_id != self.end_id
        require(apart, "pad_id", "differ from end_id", f"{self.pad_id} for both")

    @property
    def fill(self) -> int:
        """The id after the end of a text; without any, all texts end together."""
        return next((i for i in (self.pad_id, self.end_id) if i is not None), 0)


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How scores become the distribution from which the next token is drawn.

    Args:
        temperature: below 1 sharpens the distribution, above 1 flattens it.
        top_k: keep only the k likeliest tokens.
        top_p: keep only the likeliest tokens that together reach the probability p.

    Raises:
        TypeError, ValueError: a number is not above 0, or top_p is above 1.

    Source: D3.10.steps; Fan et al. (2018) for top-k, Holtzman et al. (2020) for top-p.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None

    def __post_init__(self) -> None:
        check_values(vars(self), type(self).__annotations__)

    def probabilities(self, logits: Tensor) -> Tensor:
        """Apply temperature, then top-k, then top-p, and rescale what is left.

            p = softmax(logits / temperature), 0 outside the kept tokens

        Args:
            logits: (..., V), or their log-softmax.

        Returns:
            probabilities (..., V), whose rows sum to 1.

        Raises:
            TypeError, ValueError: logits are not a floating-point tensor, top_k is
                above V, or a row holds NaN, ∞ or only −∞.
        """
        check_logits(logits)
        best = logits.amax(dim=-1, keepdim=True)  # (..., 1), NaN where there is one
        for worst in best[~torch.isfinite(best)].tolist():
            require(False, "logits", "have a finite largest in each row", worst)
        V = logits.size(-1)
        k, top_p = self.top_k or V, self.top_p or 1.0
        require(k <= V, "top_k", f"be at most the vocabulary's size {V}", k)
        below = logits - best  # ≤ 0, so nothing overflows
        p = torch.softmax(below.double() / self.temperature, dim=-1)
        p = keep_top_k(p, k) if k < V else p
        p = keep_top_p(p, top_p) if top_p < 1 else p
        return p.to(logits.dtype)


def keep_top_k(p: Tensor, k: int) -> Tensor:
    """Keep the k largest of the probabilities p (..., V); scale them to sum to 1."""
    best, where = p.topk(k, dim=-1)  # (..., k)
    kept = torch.zeros_like(p).scatter(-1, where, best)
    return kept / kept.sum(dim=-1, keepdim=True)


def keep_top_p(p: Tensor, top_p: float) -> Tensor:
    """Keep the fewest largest of p (..., V) that reach top_p; scale them to sum to 1.

    A token stays while the likelier ones before it have not reached top_p.
    """
    ordered, where = p.sort(dim=-1, descending=True, stable=True)
    before = ordered.cumsum(dim=-1) - ordered  # what the likelier tokens hold
    inside = torch.empty_like(p, dtype=torch.bool).scatter(-1, where, before < top_p)
    kept = p.masked_fill(~inside, 0.0)
    return kept / kept.sum(dim=-1, keepdim=True)
