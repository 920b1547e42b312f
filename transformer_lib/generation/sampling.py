"""Generation: choose the next token by its score, append it, and repeat."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from ..checks.validation import check_arguments
from .prediction import Model, join, predicting
from .settings import Decoding, Sampling


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
