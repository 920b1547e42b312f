"""The pictures of positional_encoding: table, curves, products, plane and turn."""

import math
from typing import Any

from .. import plots
from .curves import Curves, Plane
from .drawing import Drawing
from .explorer import Arrays
from .panel import Panel

FINE, TINY, SMALL = 24, 12, 7  # from how many rows or columns on cells shrink
DOTTED = 48  # positions up to which each has its marker
SAME = 1e-9  # numbers that differ by less are the same to float64's eyes


def encoding_panels(
    arrays: Arrays,
    *,
    d_model: int,
    length: int,
    base: float,
    p: int,
    k: int,
    pair: int,
) -> list[Drawing]:
    """The table beside the curves; below them the plane beside the turn in numbers."""
    drawings: list[Drawing] = [
        _table(arrays, base),
        _waves(arrays, base, p, k, pair),
        _products(arrays, k),
    ]
    if "R" in arrays:
        drawings += [_plane(arrays, p, k, pair), *_turn(arrays, p, k)]
    return drawings


def _table(arrays: Arrays, base: float) -> Panel:
    """The heat map: a row for each position, a column for each dimension."""
    length, d_model = arrays["PE"].shape
    most = max(length, d_model)
    size = "fine" if most > FINE else "tiny" if most > TINY else ""
    power = str(int(base)) if base == int(base) else f"{base:g}"
    texts = [
        f"pos ÷ {power}^({n}/{d_model})" for n in range(0, d_model, 2)
    ]  # one for each pair
    odd = d_model % 2
    return Panel(
        name="PE",
        title="PE",
        formula="sin and cos of pos ÷ base^(2i/d_model)",
        rows=[str(n) for n in range(length)],
        columns=[str(n) for n in range(d_model)],
        axes=("position", "dimension"),
        palette="position",
        size=size or ("small" if most > SMALL else "large"),
        sentence="PE of position {row}, dimension {column}",
        recipe={
            "kind": "wave",
            "angles": "PE.angles",
            "divisors": "PE.divisors",
            "text": texts,
        },
        note=f"dimension {d_model - 1} is a sine without its cosine"
        if odd
        else "blue above 0, brown below: from −1 to 1",
        shares="positions",
    )


def _waves(arrays: Arrays, base: float, p: int, k: int, pair: int) -> Curves:
    """The pair's two columns over the positions."""
    wave = arrays["wave"]
    length, count = wave.shape
    divisor = float(arrays["PE.divisors"][0, pair])
    columns = f"pair {pair}: columns {2 * pair} and {2 * pair + 1}"
    names = [f"sin, dim {2 * pair}", f"cos, dim {2 * pair + 1}"][:count]
    beyond = [n for n in (p, p + k) if n >= length]
    note = f"wavelength {plots.number(2 * math.pi * divisor, 1)} positions"
    if len(set(beyond)) == 1:
        note += f"; position {beyond[0]} lies beyond this table, yet the formula has it"
    elif beyond:
        note += f"; {p} and {p + k} lie beyond this table, yet the formula has them"
    return Curves(
        name="wave",
        title="one pair" if count == 2 else "no pair",
        formula=f"{columns} of PE, ω = {plots.number(1 / divisor, 4)}"
        if count == 2
        else f"column {2 * pair} of PE, a sine with no cosine",
        palette="position",
        x=range(length),
        series=names,
        hues=("position", "weights")[:count],
        looks=("both" if length <= DOTTED else "line",) * count,
        limits=((-0.5, length - 0.5), (-1.1, 1.1)),
        axes=("position", ""),
        marks=_marks({p: "p", p + k: "p + k"} if k else {p: "p"}, length),
        digits=4,
        sentence="position {x}",
        note=note,
        shares="positions",
        wide=33,
        high=13.5,
    )


def _marks(words: dict[int, str], length: int) -> list[tuple[int, str]]:
    return [(row, word) for row, word in words.items() if row < length]


def _products(arrays: Arrays, k: int) -> Curves:
    """How alike two rows are, over the offset between them."""
    dots, spread = arrays["dots"], float(arrays["dots.spread"][0, 0])
    starts = arrays["dots.starts"][0].astype(int)
    d_model = arrays["PE"].shape[1]
    high = (d_model + 1) / 2
    low = min(0.0, float(dots.min()))
    return Curves(
        name="dots",
        title="PE(p) · PE(p + k)",
        formula="over the offset k, from two positions p",
        palette="position",
        x=range(len(dots)),
        series=[f"p = {start}" for start in starts],
        hues=("position", "negative"),
        looks=("both", "dots"),
        limits=((-0.5, len(dots) - 0.5), (low - 0.05 * high, 1.05 * high)),
        axes=("offset k", ""),
        marks=_marks({k: "k"}, len(dots)),
        digits=4,
        sentence="offset {x}: the product of PE(p) and PE(p + {x})",
        note="every p from 0 to 63 gives these values"
        if spread < SAME
        else f"over p from 0 to 63 they differ by up to {spread:.1g}: "
        "a sine without its cosine knows where p is",
        group=1,
        wide=33,
        high=13.5,
    )


def _plane(arrays: Arrays, p: int, k: int, pair: int) -> Plane:
    """The pair as the two coordinates of a hand on a clock."""
    angle = float(arrays["angle"][0, 0])
    rounds = angle / (2 * math.pi)
    turn = f"k·ω = {plots.number(angle, 4)} rad = {plots.number(360 * rounds, 1)}°"
    return Plane(
        name="plane",
        title="a clock hand",
        formula="PE(p) turns by k·ω to PE(p + k)",
        palette="position",
        count=len(arrays["plane"]),
        arrows=["p", "p + k"],
        hues=("position", "negative"),
        axes=(f"sin, dim {2 * pair}", f"cos, dim {2 * pair + 1}"),
        start=min(p, len(arrays["plane"]) - 1),
        digits=4,
        sentence="position {x} on the circle of this pair",
        note=turn + (f", {plots.number(rounds, 2)} rounds" if rounds > 1 else ""),
        band=1,
        shares="positions",
    )


def _turn(arrays: Arrays, p: int, k: int) -> list[Panel]:
    """R_k, PE(p), their product and PE(p + k)."""
    gap = float(abs(arrays["turned"] - arrays["at_pk"]).max())
    shared: dict[str, Any] = {
        "rows": ["sin", "cos"],
        "axes": ("", ""),
        "palette": "position",
        "digits": 4,
        "size": "large",
        "band": 1,
        "recipe": {"kind": "plain"},
    }
    make: Any = Panel
    return [
        make(
            name="R",
            title="R_k",
            formula=f"turns by {k}·ω",
            columns=["sin", "cos"],
            **shared,
            sentence="R_k: how much {column} of PE(p) goes into {row} of PE(p + k)",
            note="holds k and ω, and no p",
        ),
        make(
            name="at_p",
            title="PE(p)",
            formula="",
            columns=[f"p = {p}"],
            **shared,
            sentence="{row} of PE(p), {column}",
        ),
        make(
            name="turned",
            title="R_k · PE(p)",
            formula="",
            columns=["turned"],
            **shared
            | {
                "recipe": {
                    "kind": "dot",
                    "left": "R",
                    "right": "at_p",
                    "across": "column",
                    "products": "turned.products",
                }
            },
            sentence="{row} of R_k · PE(p): a row of R_k times PE(p)",
            group=1,
        ),
        make(
            name="at_pk",
            title="PE(p + k)",
            formula="by the formula",
            columns=[f"p + k = {p + k}"],
            **shared,
            sentence="{row} of PE(p + k), {column}",
            note="equal to R_k · PE(p) to 9 decimals"
            if gap < SAME
            else f"differs from R_k · PE(p) by {plots.number(gap, 6)}",
            group=1,
        ),
    ]
