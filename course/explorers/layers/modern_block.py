"""modern_block: the block of 2017, one switch for each change since, and what it costs.

The sizes are those of the smallest GPT-2, so that its well-known count comes out.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import nn

from explorable import Axis, Explorer, Sheet, Style, plots
from explorable.controls import choice, stops, switch
from explorable.drawings.bars import Bars
from explorable.drawings.tiles import Tiles
from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.layers import EncoderBlock

from ...data.configurations import GPT2
from ...models.costs import costs

LENGTHS = (256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072)
GATED = 2048  # hidden features with a gate: three matrices cost what two did
#: The block of 2017 in a decoder-only model, of GPT-2's sizes.
FIRST = replace(
    GPT2,
    positions="sinusoidal",
    activation="relu",
    norm_first=False,
    scale_embeddings=True,
)
HEADS = FIRST.n_heads
ORDERS = ("post-norm", "pre-norm")
NORMS = {"layer norm": "layer", "RMSNorm": "rms"}
NETWORKS = ("ReLU", "GELU", "SwiGLU")
POSITIONS = ("sinusoidal", "learned", "rotary")
WINDOWS = {"none": None, "1,024": 1_024, "256": 256}
SHARING = (1, 2, 3, 4, 6, 12)
BYTES = 2  # of a number in a cache: 16-bit floating point
ACROSS = 50.0  # characters of a line of formulas


def modern_block(network: str = "SwiGLU") -> Explorer:
    """Switch between the block of 2017 and the changes that models have taken up since.

    Args:
        network: "ReLU" as in 2017, "GELU" or "SwiGLU": a first change to look at.

    Returns:
        an Explorer with a control for each change: "order", "norm", "network",
        "positions", "heads" (of keys and values), "bias", "qk_norm" and "window"; and
        "length", the tokens whose keys and values are kept. Its values are "formulas",
        "parts" (what the parts of a block have learned, in thousands of numbers),
        "costs" (2, 3), and "sharing" (key-value heads, query heads).

    Raises:
        TypeError, ValueError: there is no such network.

    Source: see `TransformerConfig`.
    """
    controls = {
        "order": choice("order", ORDERS),
        "norm": choice("norm", [*NORMS]),
        "network": choice("network", NETWORKS, network),
        "positions": choice("positions", POSITIONS),
        "heads": stops("key-value heads", SHARING, HEADS),
        "bias": switch("biases", True),
        "qk_norm": switch("QK-norm", False),
        "window": choice("window", [*WINDOWS]),
        "length": stops("text length", LENGTHS, 1_024),
    }
    return Explorer(
        "modern_block",
        block_sheet,
        controls,
        title="The block since 2017",
        task="Make one change at a time. Which line changes, and which costs?",
    )


def configured(
    *,
    order: str,
    norm: str,
    network: str,
    positions: str,
    heads: int,
    bias: bool,
    qk_norm: bool,
    window: str,
) -> TransformerConfig:
    """The configuration that the switches stand for."""
    gated = network == "SwiGLU"
    changes: dict[str, Any] = {
        "norm_first": order == "pre-norm",
        "norm": NORMS[norm],
        "gated": gated,
        "activation": "silu" if gated else network.lower(),
        "d_ff": GATED if gated else FIRST.d_ff,
        "positions": positions,
        "n_kv_heads": heads,
        "bias": bias,
        "qk_norm": qk_norm,
        "window": WINDOWS[window],
    }
    return replace(FIRST, **changes)


def formulas(config: TransformerConfig) -> list[tuple[str, str]]:
    """What each line of a block is called, and its formula.

    A bias is written as b wherever it is.
    """
    c = config
    b = " + b" if c.bias else ""
    norm = "RMS" if c.norm == "rms" else "LN"
    added = {"sinusoidal": " + sinusoids(p)", "learned": " + table[p]   p < 1,024"}
    place = "RMS(q), RMS(k)" if c.qk_norm else "q, k"
    if c.positions == "rotary":
        place = f"rotate({place}; p)"
    few = c.n_kv_heads not in (None, c.n_heads)
    shared = f"; {c.n_kv_heads} k, v heads" if few else ""
    looks = "causal" if c.window is None else f"causal, {c.window:,} back"
    f = {"relu": "ReLU", "gelu": "GELU", "silu": "SiLU"}[c.activation]
    read = f"{norm}(x)" if c.norm_first else "x"
    gate = f" ⊙ ({read} W_3{b})" if c.gated else ""
    end = "x + {}" if c.norm_first else norm + "(x + {})"
    return [
        ("input", f"x = √D · E[token]{added.get(c.positions, '')}"),
        ("projections", f"q, k, v = {read} (W_Q, W_K, W_V){b}{shared}"),
        ("positions", "q, k as they are" if place == "q, k" else f"q, k = {place}"),
        ("attention", f"a = softmax(q k^T ÷ √d_k; {looks}) v"),
        ("add", f"x = {end.format(f'a W_O{b}')}"),
        ("hidden", f"h = {f}({read} W_1{b}){gate}"),
        ("add", f"x = {end.format(f'h W_2{b}')}"),
    ]


def parts_of(config: TransformerConfig) -> dict[str, int]:
    """How many numbers each part of a block learns."""
    with torch.device("meta"):  # the shapes without the numbers
        block = EncoderBlock(config)
    attention, network = block.self_attention, block.feed_forward
    norms = block.add_norm_1, block.add_norm_2, attention.q_norm, attention.k_norm
    return {
        "W_Q": _learned(attention.W_Q),
        "W_K": _learned(attention.W_K),
        "W_V": _learned(attention.W_V),
        "W_O": _learned(attention.W_O),
        "W_1": _learned(network.W_1),
        "W_3": _learned(network.W_3),
        "W_2": _learned(network.W_2),
        "norms": _learned(*norms),
    }


def _learned(*modules: nn.Module | None) -> int:
    """How many numbers modules learn; None is one that a block does not have."""
    own = [p for module in modules if module for p in module.parameters()]
    return sum(p.numel() for p in own)


def block_sheet(*, length: int, **switches: Any) -> Sheet:
    """Show the formulas, who shares keys, and what the model costs next to 2017's."""
    s = Sheet()
    config = configured(**switches)
    totals = [_totals(c, length) for c in (FIRST, config)]
    _show_formulas(s, config, _said(totals))
    _show_costs(s, totals, length)
    _show_sharing(s, config.n_kv_heads or HEADS)
    now, before = (parts_of(c) for c in (config, FIRST))
    changed = sum(now.values()) - sum(before.values())
    than = "fewer than" if changed < 0 else "more than"
    bars = Bars(
        name="parts",
        title="parameters of one block",
        formula="in thousands · pale: as in 2017 · dashed: 2017",
        labels=[*now],
        palette="output",
        faint=[now[name] == n for name, n in before.items()],
        ghosts=[n / 1e3 for n in before.values()],
        scale=(0.0, 2_500.0),
        sentence="thousands of parameters in {label}",
        digits=0,
        band=1,
        note=f"in all: {abs(changed) / 1e3:,.0f} thousand {than} in 2017",
    )
    s.draw(bars, np.transpose([[*now.values()]]) / 1e3)
    return s


def _show_formulas(s: Sheet, config: TransformerConfig, said_of_costs: str) -> None:
    """The lines of a block, one below the other; colored where 2017 had another."""
    lines, first = formulas(config), formulas(FIRST)
    same = [line == old for line, old in zip(lines, first, strict=True)]
    places = np.zeros((len(lines), 3))
    places[:, 1] = np.arange(len(lines))
    places[:, 2] = np.where(same, 0, 3)
    changed = len(same) - sum(same)
    said = ["as in 2017" if one else "changed since 2017" for one in same]
    drawing = Tiles(
        name="formulas",
        title="the block, line by line",
        formula="LN, RMS: the norms · colored: changed since 2017",
        palette="output",
        faces=[("", text) for _, text in lines],
        sayings=[f"{n}: {what}" for (n, _), what in zip(lines, said, strict=True)],
        board=(ACROSS + 1.0, float(len(lines))),
        wide=[ACROSS] * len(lines),
        note=f"{changed} of {len(lines)} lines changed{said_of_costs}",
        concludes=True,
    )
    s.draw(drawing, places)


def _totals(config: TransformerConfig, length: int) -> list[float]:
    """Parameters, cache and work of the whole model, by the library's own count."""
    found = costs(config, 1, length - 1, BYTES)
    return [found.parameters / 1e6, found.cache_bytes / 1e6, found.flops / 1e9]


def _said(totals: Sequence[Sequence[float]]) -> str:
    """Say which costs have changed since 2017, and by what share."""
    shares = [now / then - 1 for then, now in zip(*totals, strict=True)]
    named = zip(("parameters", "cache", "work"), shares, strict=True)
    moved = [f"{name} {share:+.0%}" for name, share in named if abs(share) >= 0.005]
    return ": " + ", ".join(moved).replace("-", "−") if moved else ", at the same cost"


def _show_costs(s: Sheet, rows: Sequence[Sequence[float]], length: int) -> None:
    """Show what the whole model costs, in 2017 and now."""
    named = "params (M)", "cache (MB)", "GFLOPs"
    table = s.leaf("costs", Axis("", ("2017", "now")), Axis("", named), rows)
    look: Style = {"size": "large", "digits": 2, "palette": "weights"}
    look["formula"] = f"{length:,} tokens · framed: changed"
    look["note"] = "GFLOPs: for one more token"
    printed = np.round(rows, 2)
    look["outlined"] = printed != printed[0]
    look |= {"vmax": plots.UNSHADED, "sentence": "{column}, {row}", "leads": True}
    look["opens"] = 1
    s.show(table, "the whole model", **look)


def _show_sharing(s: Sheet, heads: int) -> None:
    """Which head of queries reads which head of keys and values."""
    group = HEADS // heads
    which = np.arange(HEADS) // group == np.arange(heads)[:, None]
    rows = Axis.numbered("key-value head", heads)
    table = s.leaf("sharing", rows, Axis.numbered("query head", HEADS), which)
    look: Style = {"size": "minute", "digits": 0, "palette": "key", "blank_zeros": True}
    shared = f"{group} query heads share each" if group > 1 else "none is shared"
    look["formula"] = shared
    look["sentence"] = "whether query head {column} reads key-value head {row}"
    s.show(table, "heads", vmax=2.0, **look)
