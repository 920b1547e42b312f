"""head_split: one set of queries, keys and values, cut into 1, 2, 4, … heads."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import torch

from ...model.attention import scaled_dot_product_attention
from ...support.validation import check_size
from ..toolkit.controls import stops
from ..toolkit.explorer import Arrays, Explorer
from ..toolkit.inputs import some_words
from ..toolkit.panel import Panel

MOST_TOKENS, WIDEST = 16, 32  # of 32 words, 200 fast moves came 120 ms too late


def head_split(
    tokens: Sequence[str] = ("Ajish", "works", "as", "an", "AI"),
    d_model: int = 8,
    n_heads: int = 2,
    seed: int = 7,
) -> Explorer:
    """The same untrained queries, keys and values, shared out to any number of heads.

    Args:
        tokens: T words, 1 to 16.
        d_model: D, 1 to 32.
        n_heads: H to begin with, a divisor of D.
        seed: of the random queries, keys and values.

    Returns:
        an Explorer with the control "n_heads".

    Raises:
        TypeError, ValueError: a size or a word does not fit.

    Source: Vaswani et al. (2017), §3.2.2; D0.3.3, D2.3.3, D3.5.
    """
    words = some_words("tokens", tokens, MOST_TOKENS)
    check_size("d_model", d_model)
    check_size("n_heads", n_heads)
    if d_model > WIDEST:
        raise ValueError(f"d_model may be {WIDEST} at most, got {d_model}")
    if d_model % n_heads:
        raise ValueError(f"n_heads must divide d_model, got {n_heads=} and {d_model=}")
    divisors = [h for h in range(1, d_model + 1) if d_model % h == 0]
    return Explorer(
        lambda *, n_heads: head_split_steps(len(words), d_model, n_heads, seed),
        lambda arrays, *, n_heads: _panels(words, d_model, n_heads),
        {"n_heads": stops("heads", divisors, n_heads)},
        {},
    )


def head_split_steps(length: int, d_model: int, n_heads: int, seed: int) -> Arrays:
    """Weights of every head and the heads side by side.

        head_h = attention(Q_h, K_h, V_h) with features (h − 1) d_k + 1 … h d_k

    Returns:
        "head 1" … "head H" (T, T), and "joined" (T, D), before W_O.
    """
    q, k, v = (
        x.view(length, n_heads, -1).transpose(0, 1)
        for x in _random(length, d_model, seed)
    )
    heads, weights = scaled_dot_product_attention(q, k, v)  # (H, T, d_k), (H, T, T)
    named = {f"head {h}": w.numpy() for h, w in enumerate(weights, start=1)}
    return {**named, "joined": heads.transpose(0, 1).flatten(1).numpy()}


@lru_cache(maxsize=8)
def _random(length: int, d_model: int, seed: int) -> torch.Tensor:
    r = np.random.default_rng(seed)
    return torch.from_numpy(1.5 * r.normal(size=(3, length, d_model)))


def _panels(words: Sequence[str], d_model: int, n_heads: int) -> list[Panel]:
    """The weights of every head, and what all of them found, side by side."""
    grid = [_head(words, h, d_model, n_heads) for h in range(1, n_heads + 1)]
    return [*grid, _joined(words, d_model, n_heads)]


def _head(words: Sequence[str], h: int, d_model: int, n_heads: int) -> Panel:
    d_k = d_model // n_heads
    return Panel(
        name=f"head {h}",
        title=f"head {h}",
        formula=_span((h - 1) * d_k + 1, h * d_k),
        rows=words,
        columns=words,
        axes=("query", "key"),
        size="small" if n_heads <= 2 and len(words) <= 7 else "tiny",
        shares="tokens",
        sentence=f"head {h}: the share that “{{row}}” gives to “{{column}}”",
    )


def _joined(words: Sequence[str], d_model: int, n_heads: int) -> Panel:
    d_k = d_model // n_heads
    numbers = 4 * d_model * d_model
    return Panel(
        name="joined",
        title="joined",
        formula=f"{n_heads} × {d_k} features, side by side",
        rows=words,
        columns=[f"{c // d_k + 1}·{c % d_k + 1}" for c in range(d_model)],
        axes=("query", "head·feature"),
        palette="output",
        limit=3.0,
        sentence="“{row}”: head and feature {column}",
        group=1,
        note=f"W_Q, W_K, W_V and W_O: {numbers} numbers, however many the heads",
    )


def _span(first: int, last: int) -> str:
    return f"feature {first}" if first == last else f"features {first}–{last}"
