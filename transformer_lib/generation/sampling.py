"""Generation: choose the next token by its score, append it, and repeat."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from ..checks.validation import check_arguments, check_logits, check_values, require
from .prediction import Decoding, Model, join, predicting


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


class Generated(NamedTuple):
    """Generated texts, and how likely they are.

    ids: (B, L): the prompt (of an encoder-decoder, the start token), the new tokens,
        and padding after the end. L is the length of the longest text.
    scores: (B,): Σ log p of the new tokens, including the end token.

    From `beam_search`: ids (B, n_best, L) and scores (B, n_best), the latter divided by
    the length penalty, the best first.
    """

    ids: Tensor
    scores: Tensor


@check_arguments
def greedy(model: Model, ids: Tensor, decoding: Decoding) -> Generated:
    """Append the most likely token, again and again.

        token_t = argmax p(token | prompt, token_1 … token_(t−1))

    The model runs without dropout, and keeps its mode. Each row is generated as if it
    were alone, whatever the lengths of the others.

    Args:
        model: decoder-only, or encoder-decoder.
        ids: prompts (B, T) for the former, sources (B, S) for the latter.
        decoding: where texts start and end.

    Raises:
        TypeError, IndexError: an argument has the wrong type, or an id is not in V.
        ValueError: a prompt is empty or not shorter than max_length, a text would be
            longer than the model's max_length, or a special token is missing.

    Source: D0.2.3, D2.7.infer, D3.10.loop.
    """
    return _write(model, ids, decoding, lambda log_p: log_p.argmax(dim=-1))


@check_arguments
def sample(
    model: Model,
    ids: Tensor,
    decoding: Decoding,
    sampling: Sampling | None = None,
    generator: torch.Generator | None = None,
) -> Generated:
    """Draw each next token from the model's distribution, reshaped by `sampling`.

        token_t ~ sampling.probabilities(logits_t)

    Scores are log p of the model itself, before temperature, top-k and top-p.

    Args:
        model: as in `greedy`.
        ids: prompts or sources, as in `greedy`.
        decoding: where texts start and end.
        sampling: temperature, top-k and top-p; by default the model's distribution.
        generator: of random numbers; by default a new one, seeded by the system.

    Raises:
        TypeError, ValueError, IndexError: as `greedy`; or top_k is above V.

    Source: D3.10.loop; Holtzman et al. (2020).
    """
    sampling = Sampling() if sampling is None else sampling
    if generator is None:
        generator = torch.Generator(model.embedding.weight.device)
        generator.seed()

    def draw(log_p: Tensor) -> Tensor:
        p = sampling.probabilities(log_p)
        return torch.multinomial(p, 1, generator=generator).squeeze(1)  # (B,)

    return _write(model, ids, decoding, draw)


def _write(
    model: Model, ids: Tensor, decoding: Decoding, choose: Callable[[Tensor], Tensor]
) -> Generated:
    """Let `choose` pick tokens (B,) by log p (B, V) until every text has ended."""
    with predicting(model, ids, decoding) as predictor:
        prompt = predictor.prompt
        lengths = decoding.max_length - prompt.lengths  # (B,), of the new tokens
        new = prompt.ids
        tokens = [new[:, :0]]
        gains = [torch.zeros(len(ids), 0, device=ids.device)]  # log p of each token
        for n in range(1, predictor.steps + 1):
            log_p = predictor.read(new)  # (B, V)
            new = choose(log_p)[:, None]  # (B, 1)
            tokens.append(new)
            gains.append(log_p.gather(1, new))
            if decoding.end_id is not None:
                ended = new[:, 0] == decoding.end_id
                lengths = torch.where(ended, lengths.clamp(max=n), lengths)
                if (lengths <= n).all():
                    break
    written, gained = torch.cat(tokens, 1), torch.cat(gains, 1)  # (B, n)
    behind = torch.arange(written.size(1), device=ids.device) >= lengths[:, None]
    texts = join(prompt, written.masked_fill(behind, decoding.fill), lengths)
    return Generated(texts, gained.masked_fill(behind, 0.0).sum(1))


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
