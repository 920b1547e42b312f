"""attention_bench: scaled dot-product attention, every number of it, on the bench."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from .. import plots
from ..attention import scaled_dot_product_attention
from ..masks import causal_mask
from .controls import choice, slider, switch
from .explorer import Arrays, Explorer
from .inputs import matrix_input, token_labels
from .views import Panel

LARGEST = 32  # tokens, and features per vector
Matrix = NDArray[np.float64]


def attention_bench(
    Q: ArrayLike, K: ArrayLike, V: ArrayLike, tokens: Sequence[str] | None = None
) -> Explorer:
    """Attention on numbers that can be changed: scores, scale, softmax, output.

    Args:
        Q: queries (T, d_k). Q, K and V can be edited in the explorer.
        K: keys (S, d_k).
        V: values (S, d_v).
        tokens: a word for each row when T = S; by default 1, 2, ….

    Returns:
        an Explorer with controls "scale", "temperature" and "mask".

    Raises:
        TypeError, ValueError: a matrix is no finite matrix of numbers, shapes do not
            fit, a size is above 32, or the tokens are not one word per row.

    Source: Vaswani et al. (2017), §3.2.1; D0.5, D1.11, D1.14.
    """
    inputs = {n: matrix_input(n, x, LARGEST) for n, x in (("Q", Q), ("K", K), ("V", V))}
    queries, keys = token_labels(tokens, len(inputs["Q"]), len(inputs["K"]))

    def panels(arrays: Arrays, **settings: Any) -> list[Panel]:
        return bench_panels(arrays, queries, keys, **settings)

    return Explorer(attention_steps, panels, bench_controls(), inputs)


def bench_controls() -> dict[str, Any]:
    """The controls of the bench, by the names that `attention_steps` gives them."""
    return {
        "scale": switch("divide by √d_k", True),
        "temperature": slider("temperature", 1.0, 0.1, 5.0, 0.1),
        "mask": choice("mask", ["none", "causal"]),
    }


def attention_steps(
    Q: Matrix,
    K: Matrix,
    V: Matrix,
    *,
    scale: bool = True,
    temperature: float = 1.0,
    mask: str = "none",
) -> Arrays:
    """Every step of attention, named.

        weights = softmax(Q Kᵀ / (√d_k · temperature)),  output = weights V

    Args:
        Q: queries (T, d_k).
        K: keys (S, d_k).
        V: values (S, d_v).
        scale: whether to divide by √d_k.
        temperature: finite, above 0; large flattens the weights, small sharpens them.
        mask: "none" or "causal" (which needs T = S).

    Returns:
        "Q", "K", "V", "scores", "scaled", "weights" (T, S), "output" (T, d_v), the
        products and exponentials that they are sums of, and "divisor" (1, 1).

    Raises:
        ValueError: the temperature or the mask is none of these, or shapes do not fit.
    """
    if not (math.isfinite(temperature) and temperature > 0):
        raise ValueError(f"temperature must be finite and above 0, got {temperature}")
    q, k, v = (torch.from_numpy(x) for x in (Q, K, V))
    divisor = temperature * (math.sqrt(q.size(-1)) if scale else 1.0)
    may_look = _mask(mask, len(q), len(k))
    # The library divides by √d_k; what the settings ask for beyond that goes into q.
    adjusted = q * (math.sqrt(q.size(-1)) / divisor)
    output, weights = scaled_dot_product_attention(adjusted, k, v, may_look)
    scores = q @ k.T  # (T, S)
    scaled = scores / divisor
    steps = {"scores": scores, "scaled": scaled, "weights": weights, "output": output}
    return {
        "Q": Q,
        "K": K,
        "V": V,
        **{name: x.numpy() for name, x in steps.items()},
        **_parts(q, k, v, scaled, weights, may_look),
        "divisor": np.array([[divisor]]),
    }


def _mask(kind: str, T: int, S: int) -> torch.Tensor | None:
    if kind == "none":
        return None
    if kind != "causal":
        raise ValueError(f"mask must be 'none' or 'causal', got {kind!r}")
    if T != S:
        raise ValueError(
            f"a causal mask needs as many queries as keys, got {T} and {S}"
        )
    return causal_mask(T)


def _parts(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    scaled: torch.Tensor,
    weights: torch.Tensor,
    may_look: torch.Tensor | None,
) -> Arrays:
    """What each cell is a sum of: the terms that the view lists."""
    open_ = torch.ones_like(scaled, dtype=torch.bool) if may_look is None else may_look
    top = scaled.masked_fill(~open_, -torch.inf).amax(-1, keepdim=True)
    top = torch.where(top.abs() < 5, torch.zeros_like(top), top)
    exps = (scaled - top).masked_fill(~open_, -torch.inf).exp()  # (T, S)
    return {
        "scores.products": (q[:, None] * k).numpy(),  # (T, S, d_k)
        "weights.parts": exps.numpy(),
        "weights.total": exps.sum(-1, keepdim=True).numpy(),  # (T, 1)
        "weights.shift": top.numpy(),  # (T, 1)
        "weights.open": open_.double().numpy(),
        "output.products": (weights[:, None] * v.T).numpy(),  # (T, d_v, S)
    }


def bench_panels(
    arrays: Arrays,
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    scale: bool,
    temperature: float,
    mask: str,
) -> list[Panel]:
    """The seven matrices of the bench, in the order in which they come about."""
    features = [str(n + 1) for n in range(arrays["Q"].shape[1])]
    contents = [str(n + 1) for n in range(arrays["V"].shape[1])]
    divisor = _divisor_text(len(features), scale, temperature)
    derived = [
        _scores(arrays, queries, keys),
        _scaled(arrays, queries, keys, divisor),
        _weights(queries, keys),
        _output(arrays, queries, contents),
    ]
    if mask == "causal":
        hidden = arrays["weights.open"] == 0
        derived[1:3] = [replace(panel, hidden=hidden) for panel in derived[1:3]]
    return [
        _given("Q", "queries", "query", queries, features, arrays),
        _given("K", "keys", "key", keys, features, arrays),
        _given("V", "values", "value", keys, contents, arrays),
        *(replace(p, group=1, step=n) for n, p in enumerate(derived, 1)),
    ]


def _scores(arrays: Arrays, queries: Sequence[str], keys: Sequence[str]) -> Panel:
    return Panel(
        name="scores",
        title="scores",
        formula="QKᵀ",
        rows=queries,
        columns=keys,
        axes=("query", "key"),
        palette="scores",
        limit=_score_limit(arrays),
        sentence="score of “{row}” for “{column}”: its query · that key",
        recipe={"kind": "dot", "left": "Q", "right": "K", "across": "row"}
        | {"products": "scores.products"},
        note="each a dot product",
    )


def _scaled(
    arrays: Arrays, queries: Sequence[str], keys: Sequence[str], divisor: str
) -> Panel:
    by = plots.number(float(arrays["divisor"][0, 0]), 3)
    return Panel(
        name="scaled",
        title="scaled",
        formula=f"scores ÷ {divisor}" if divisor else "scores, not scaled",
        rows=queries,
        columns=keys,
        axes=("query", "key"),
        palette="scores",
        limit=_score_limit(arrays),
        digits=_digits(queries, keys),
        sentence="scaled score of “{row}” for “{column}”",
        recipe={"kind": "apply", "of": "scores", "lead": "score"}
        | {"steps": [[f"÷ {divisor}", "divisor"]] if divisor else []},
        note=f"divided by {by}",
    )


def _weights(queries: Sequence[str], keys: Sequence[str]) -> Panel:
    return Panel(
        name="weights",
        title="weights",
        formula="softmax of each row",
        rows=queries,
        columns=keys,
        axes=("query", "key"),
        digits=_digits(queries, keys),
        sentence="the share of its attention that “{row}” gives to “{column}”",
        recipe={"kind": "share", "of": "scaled", "power": True}
        | {part: f"weights.{part}" for part in ("parts", "total", "open", "shift")},
        note="each row sums to 1",
    )


def _output(arrays: Arrays, queries: Sequence[str], contents: Sequence[str]) -> Panel:
    return Panel(
        name="output",
        title="output",
        formula="weights · V",
        rows=queries,
        columns=contents,
        axes=("query", "feature"),
        palette="output",
        limit=1.5 * _largest(arrays["V"]),
        digits=_digits(queries, contents),
        sentence="output of “{row}”, feature {column}: the values, averaged",
        recipe={"kind": "dot", "left": "weights", "right": "V", "across": "column"}
        | {"products": "output.products"},
        note="averages of V's rows",
    )


def _given(
    name: str,
    title: str,
    role: str,
    rows: Sequence[str],
    columns: Sequence[str],
    arrays: Arrays,
) -> Panel:
    return Panel(
        name=name,
        title=name,
        formula=title,
        rows=rows,
        columns=columns,
        axes=(role, "feature"),
        palette=role,
        limit=1.5 * _largest(arrays[name]),
        sentence=f"{role} of “{{row}}”, feature {{column}}",
        recipe={"kind": "plain"},
        editable=True,
    )


def _digits(rows: Sequence[str], columns: Sequence[str]) -> int:
    return 4 if max(len(rows), len(columns)) <= 4 else 2


def _largest(values: Matrix) -> float:
    return float(np.abs(values).max()) or 1.0


def _score_limit(arrays: Arrays) -> float:
    """One limit before and after the scale, so that its effect is seen."""
    return max(1.0, 1.6 * _largest(arrays["scores"]))


def _divisor_text(d_k: int, scale: bool, temperature: float) -> str:
    """√d_k and the temperature, as far as they change anything."""
    parts = [f"√{d_k}"] if scale else []
    if temperature != 1.0:
        parts.append(plots.number(temperature, 1))
    return parts[0] if len(parts) == 1 else f"({' · '.join(parts)})" if parts else ""
