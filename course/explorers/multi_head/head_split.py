"""head_split: one set of queries, keys and values, cut into 1, 2, 4, … heads."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from explorable import Array, Axis, Explorer, Sheet, Style, Table
from explorable.controls import stops
from explorable.inputs import some_words, token_axes, whole_number


def head_split(
    tokens: Sequence[str] = ("Ajish", "works", "as", "an", "AI"),
    d_model: int = 8,
    n_heads: int | None = None,
    seed: int = 7,
) -> Explorer:
    """Divide the same random queries, keys and values among any number of heads.

    Args:
        tokens: T words, 1 to 16.
        d_model: D, 1 to 32.
        n_heads: H to begin with, a divisor of D; by default 2, or 1 for an odd D.
        seed: of the random queries, keys and values, 0 to 2³² − 1.

    Returns:
        an Explorer with the control "n_heads".

    Raises:
        TypeError, ValueError: a size or a word does not fit.

    Source: Vaswani et al. (2017), §3.2.2; D0.3.3, D2.3.3, D3.5.
    """
    words = some_words("tokens", tokens, 1, 16)  # of 32, 200 fast moves came late
    D = whole_number("d_model", d_model, 1, 32)
    start = whole_number("seed", seed, 0, 2**32 - 1)
    always: dict[str, Any] = {"words": words, "d_model": D, "seed": start}
    controls = {"n_heads": divisors(D, n_heads)}
    return Explorer(
        "head_split",
        head_split_sheet,
        controls,
        title="Dividing features among heads",
        task="Choose the number of heads, and see how their attention weights differ.",
        **always,
    )


def divisors(d_model: int, n_heads: int | None) -> Any:
    """A slider over the numbers of heads that divide d_model, set to n_heads."""
    n_heads = 2 - d_model % 2 if n_heads is None else n_heads
    H = whole_number("n_heads", n_heads, 1, d_model)
    if d_model % H:
        raise ValueError(f"n_heads must divide d_model, got {n_heads=} and {d_model=}")
    return stops("heads", [h for h in range(1, d_model + 1) if d_model % h == 0], H)


def head_split_sheet(words: list[str], d_model: int, seed: int, n_heads: int) -> Sheet:
    """The weights of every head, and the outputs of all heads, concatenated.

    head_h = attention(Q_h, K_h, V_h), with the features (h − 1) d_k + 1 … h d_k.
    """
    T = len(words)
    H = n_heads
    d_k = d_model // n_heads
    drawn = 1.5 * np.random.default_rng(seed).normal(size=(3, T, H, d_k))
    s = Sheet()
    query, key = token_axes(words, T, T)
    size = ("small" if H <= 2 else "plain") if T <= 7 else "tiny"
    followed = T // 2
    heads, weighed = [], []
    for h in range(H):
        own = zip("qkv", (query, key, key), drawn[:, :, h], strict=True)
        q, k, v = (s.leaf(f"{n}{h + 1}", axis, "feature", x) for n, axis, x in own)
        by = "÷", math.sqrt(d_k), f"√{d_k}"
        scores = s.matmul(f"scores {h + 1}", q, k, by, transposed=True)
        weights = s.softmax(f"head {h + 1}", scores)
        first = h * d_k + 1
        mine = f"s {first}–{first + d_k - 1}" if d_k > 1 else f" {first}"
        look: Style = {"size": size, "followed": followed, "note": ""}
        show_head(s, weights, formula=f"feature{mine}", **look)
        weighed.append(weights.values[followed])
        heads.append(s.matmul(f"output {h + 1}", weights, v))
    columns = [f"{h + 1}·{k + 1}" for h in range(H) for k in range(d_k)]
    names = [f"head {h + 1}" for h in range(H)]
    joined = s.concat("joined", Axis("head·feature", columns), heads, names)
    look = {"formula": f"{H} × {d_k} features, side by side"}
    look |= {"note": _said(words, followed, np.array(weighed)), "concludes": True}
    look |= {"followed": followed, "opens": followed}
    if H > 4:  # in two rows: lines would cross each other
        look["sources"] = ()
    look |= {"palette": "output", "size": "" if T <= 8 else "tiny", "group": 1}
    look["vmax"] = 3.0  # one scale for any number of heads
    s.show(joined, sentence="output for “{row}”, head·feature {column}", **look)
    return s


def _said(words: list[str], query: int, weights: Array) -> str:
    """State which keys (H, T) two of the heads prefer, as different as they are."""
    wins = weights.argmax(axis=1)
    order = np.argsort(-weights.max(axis=1), kind="stable")
    first = order[0]
    other = next((h for h in order if wins[h] != wins[first]), None)
    said = f"“{words[query]}” looks most at “{words[wins[first]]}”"
    if other is None:
        return said + " in all heads" * (len(weights) > 1)
    h, k = sorted((first, other))
    at = f"at “{words[wins[h]]}” in head {h + 1}, at “{words[wins[k]]}” in head {k + 1}"
    return f"“{words[query]}” looks {at}"


def show_head(s: Sheet, weights: Table, **look: Any) -> None:
    """Show the weights of one head; all heads highlight the same cell together."""
    said = f"{weights.name}: weight of the key “{{column}}” for the query “{{row}}”"
    s.show(weights, **{"sentence": said, "vmax": 1.0, "shares": "tokens", **look})
