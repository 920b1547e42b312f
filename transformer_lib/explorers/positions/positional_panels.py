"""The pictures of positional_encoding: table, curves, products, plane and turn."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ... import plots
from ..toolkit.curves import Curves, Plane
from ..toolkit.drawing import Drawing
from ..toolkit.explorer import Arrays
from ..toolkit.panel import Panel

FINE, TINY, SMALL = 24, 12, 7  # from how many rows or columns on cells shrink
DOTTED = 48  # positions up to which each has its marker
WIDE: dict[str, Any] = {"digits": 4, "wide": 33, "high": 13.5}
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
    odd = f"dimension {d_model - 1} is a sine without its cosine"
    return Panel(
        name="PE",
        title="PE",
        formula="sin and cos of pos ÷ base^(2i/d_model)",
        rows=[str(n) for n in range(length)],
        columns=[str(n) for n in range(d_model)],
        axes=("position", "dimension"),
        palette="position",
        size=_size(max(length, d_model)),
        sentence="PE of position {row}, dimension {column}",
        recipe=_wave_recipe(d_model, base),
        note=odd if d_model % 2 else "blue above 0, brown below: from −1 to 1",
        shares="positions",
    )


def _size(most: int) -> str:
    """How large the cells of a table are that has so many rows or columns."""
    if most > TINY:
        return "fine" if most > FINE else "tiny"
    return "small" if most > SMALL else "large"


def _wave_recipe(d_model: int, base: float) -> dict[str, Any]:
    """How a cell came about: sine or cosine of an angle, which a text spells out."""
    power = str(int(base)) if base == int(base) else f"{base:g}"
    texts = [f"pos ÷ {power}^({n}/{d_model})" for n in range(0, d_model, 2)]
    parts = {"angles": "PE.angles", "divisors": "PE.divisors"}
    return {"kind": "wave", **parts, "text": texts}


def _waves(arrays: Arrays, base: float, p: int, k: int, pair: int) -> Curves:
    """The pair's two columns over the positions."""
    length, count = arrays["wave"].shape
    divisor = float(arrays["PE.divisors"][0, pair])
    return Curves(
        name="wave",
        title="one pair" if count == 2 else "no pair",
        formula=_columns(pair, count, divisor),
        palette="position",
        x=range(length),
        series=[f"sin, dim {2 * pair}", f"cos, dim {2 * pair + 1}"][:count],
        hues=("position", "weights")[:count],
        looks=("both" if length <= DOTTED else "line",) * count,
        limits=((-0.5, length - 0.5), (-1.1, 1.1)),
        axes=("position", ""),
        marks=_marks({p: "p", p + k: "p + k"} if k else {p: "p"}, length),
        sentence="position {x}",
        note=_wavelength(divisor) + _beyond(sorted({p, p + k}), length),
        shares="positions",
        **WIDE,
    )


def _columns(pair: int, count: int, divisor: float) -> str:
    """Which columns of the table these are, and how fast their waves are."""
    if count == 1:
        return f"column {2 * pair} of PE, a sine with no cosine"
    columns = f"pair {pair}: columns {2 * pair} and {2 * pair + 1}"
    return f"{columns} of PE, ω = {plots.number(1 / divisor, 4)}"


def _wavelength(divisor: float) -> str:
    return f"wavelength {plots.number(2 * math.pi * divisor, 1)} positions"


def _beyond(positions: Sequence[int], length: int) -> str:
    """Which of these positions the table lacks, in words."""
    beyond = [str(n) for n in positions if n >= length]
    if not beyond:
        return ""
    if len(beyond) == 1:
        return f"; position {beyond[0]} lies beyond this table, yet the formula has it"
    both = " and ".join(beyond)
    return f"; {both} lie beyond this table, yet the formula has them"


def _marks(words: dict[int, str], length: int) -> list[tuple[int, str]]:
    return [(row, word) for row, word in words.items() if row < length]


def _products(arrays: Arrays, k: int) -> Curves:
    """How alike two rows are, over the offset between them."""
    dots, starts = arrays["dots"], arrays["dots.starts"][0].astype(int)
    high = (arrays["PE"].shape[1] + 1) / 2
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
        sentence="offset {x}: the product of PE(p) and PE(p + {x})",
        note=_alike(float(arrays["dots.spread"][0, 0])),
        group=1,
        **WIDE,
    )


def _alike(spread: float) -> str:
    """Whether the product of two rows hangs on where the first one is."""
    if spread < SAME:
        return "every p from 0 to 63 gives these values"
    differ = f"over p from 0 to 63 they differ by up to {spread:.1g}"
    return f"{differ}: a sine without its cosine knows where p is"


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
    matrix = Panel(
        name="R",
        title="R_k",
        formula=f"turns by {k}·ω",
        rows=["sin", "cos"],
        columns=["sin", "cos"],
        axes=("", ""),
        palette="position",
        digits=4,
        size="large",
        sentence="R_k: how much {column} of PE(p) goes into {row} of PE(p + k)",
        note="holds k and ω, and no p",
        band=1,
    )
    at_p = _at(matrix, "at_p", "PE(p)", f"p = {p}")
    return [matrix, at_p, _turned(at_p), _at_once(at_p, p + k, gap)]


def _at(matrix: Panel, name: str, title: str, column: str) -> Panel:
    return replace(
        matrix,
        name=name,
        title=title,
        formula="",
        columns=[column],
        sentence=f"{{row}} of {title}, {{column}}",
        note="",
    )


def _turned(at_p: Panel) -> Panel:
    dot = {"kind": "dot", "left": "R", "right": "at_p", "across": "column"}
    return replace(
        _at(at_p, "turned", "R_k · PE(p)", "turned"),
        sentence="{row} of R_k · PE(p): a row of R_k times PE(p)",
        recipe={**dot, "products": "turned.products"},
        group=1,
    )


def _at_once(at_p: Panel, position: int, gap: float) -> Panel:
    equal = "equal to R_k · PE(p) to 9 decimals"
    differs = f"differs from R_k · PE(p) by {plots.number(gap, 6)}"
    return replace(
        _at(at_p, "at_pk", "PE(p + k)", f"p + k = {position}"),
        formula="by the formula",
        note=equal if gap < SAME else differs,
        group=1,
    )
