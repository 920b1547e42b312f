"""attention_bench: scaled dot-product attention, every number of it, on the bench."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from ... import plots
from ...model.attention import scaled_dot_product_attention
from ...model.masks import causal_mask
from ..toolkit import panels
from ..toolkit.controls import choice, slider, switch
from ..toolkit.explorer import Arrays, Explorer
from ..toolkit.inputs import matrix_input, token_labels
from ..toolkit.panel import Panel

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
            fit, a size is above 64, or the tokens are not one word per row.

    Source: Vaswani et al. (2017), §3.2.1; D0.5, D1.11, D1.14.
    """
    inputs = {n: matrix_input(n, x) for n, x in (("Q", Q), ("K", K), ("V", V))}
    queries, keys = token_labels(tokens, len(inputs["Q"]), len(inputs["K"]))

    def shown(arrays: Arrays, **settings: Any) -> list[Panel]:
        return bench_panels(arrays, queries, keys, **settings)

    return Explorer(attention_steps, shown, bench_controls(), inputs)


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
    divisor = _divisor_text(arrays["Q"].shape[1], scale, temperature)
    names = ("parts", "total", "open", "shift")
    softmax = {"of": "scaled", "power": True} | {n: f"weights.{n}" for n in names}
    derived = [
        _scores(arrays, queries, keys),
        _scaled(arrays, queries, keys, divisor),
        panels.weights(queries, keys, "softmax of each row", softmax),
        panels.output(queries, arrays["V"]),
    ]
    if mask == "causal":
        hidden = arrays["weights.open"] == 0
        derived[1:3] = [replace(panel, hidden=hidden) for panel in derived[1:3]]
    return [
        panels.given("Q", "queries", "query", queries, arrays["Q"]),
        panels.given("K", "keys", "key", keys, arrays["K"]),
        panels.given("V", "values", "value", keys, arrays["V"]),
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
        limit=max(1.0, 1.6 * panels.largest(arrays["scores"])),
        sentence="score of “{row}” for “{column}”: its query · that key",
        recipe={
            "kind": "dot",
            "left": "Q",
            "right": "K",
            "across": "row",
            "products": "scores.products",
        },
        note="each a dot product",
    )


def _scaled(
    arrays: Arrays, queries: Sequence[str], keys: Sequence[str], divisor: str
) -> Panel:
    by = plots.number(float(arrays["divisor"][0, 0]), 3)
    steps = [[f"÷ {divisor}", "divisor"]] if divisor else []
    return replace(
        _scores(arrays, queries, keys),  # one limit: the scale's effect is seen
        name="scaled",
        title="scaled",
        formula=f"scores ÷ {divisor}" if divisor else "scores, not scaled",
        digits=panels.digits_for(queries, keys),
        sentence="scaled score of “{row}” for “{column}”",
        recipe={"kind": "apply", "of": "scores", "lead": "score", "steps": steps},
        note=f"divided by {by}",
    )


def _divisor_text(d_k: int, scale: bool, temperature: float) -> str:
    """√d_k and the temperature, as far as they change anything."""
    parts = [f"√{d_k}"] if scale else []
    if temperature != 1.0:
        parts.append(plots.number(temperature, 1))
    return parts[0] if len(parts) == 1 else f"({' · '.join(parts)})" if parts else ""
