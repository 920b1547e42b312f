"""positional_encoding: sines and cosines of positions, and the rotation of a shift."""

import math
from collections.abc import Sequence

import numpy as np
import torch

from explorable import Array, Axis, Explorer, Sheet, Style, plots
from explorable.controls import stops, switch, whole
from explorable.drawings.curves import Curves, UnitCircle
from explorable.inputs import LARGEST, whole_number
from transformer_lib.checks.validation import check_number
from transformer_lib.model.embedding import sinusoidal_encoding

from ..operations import sinusoid

BASES = (1, 10, 100, 1_000, 10_000, 100_000)
WIDEST = 96
ELSEWHERE = 20  # how far away the position is that p is compared with
SIZES = {7: "large", 12: "small", 24: "tiny", WIDEST: "fine"}  # up to so many cells
LOOK: Style = {"palette": "position", "digits": 4}
PAIR_HUES = "weights", "key", "value", "output"  # of a wave, and of its clock
SAME = 1e-9  # numbers that differ by less count as equal


def positional_encoding(
    d_model: int = 48,
    length: int = 48,
    base: float = 10_000.0,
    p: int = 5,
    k: int = 7,
    pair: int | None = None,
) -> Explorer:
    """Sinusoidal positions: their table, one pair of columns, and what an offset does.

        PE[p, 2i] = sin(p ω_i),  PE[p, 2i + 1] = cos(p ω_i),  ω_i = base^(−2i/d_model)
        PE(p + k) = R_k PE(p):  R_k rotates each pair by k ω_i, whatever p is

    Args:
        d_model: columns, 1 to 96; with an odd number the last sine has no cosine.
        length: positions in the table, 1 to 64.
        base: 1 to 1 000 000.
        p: a position, 0 to 63; it may lie beyond the table.
        k: an offset, 0 to 63.
        pair: i, the pair of columns 2i and 2i + 1; by default 2, or the last one.

    Returns:
        an Explorer with controls of these names, and "numbers": the rotation, as R_k.

    Raises:
        TypeError, ValueError: an argument is no such number.

    Source: Vaswani et al. (2017), §3.5; D0.4, D1.9.1–D1.9.3, D2.2, D3.3.
    """
    last = (whole_number("d_model", d_model, 1, WIDEST) - 1) // 2
    pair = min(2, last) if pair is None else pair  # the last may be a sine alone
    base = base.item() if isinstance(base, np.number) else base
    check_number("base", base, 1.0, 1e6)
    base = int(base) if base == int(base) else base
    controls = {
        "p": whole("position p", p, 0, LARGEST - 1, "p"),
        "k": whole("offset k", k, 0, LARGEST - 1, "k"),
        "pair": whole("pair i", pair, 0, last, f"pair with d_model={d_model}"),
        "base": stops("base", sorted({*BASES, base}), base),
        "d_model": whole("d_model", d_model, 1, WIDEST),
        "length": whole("length", length, 1, LARGEST),
        "numbers": switch("show the rotation in numbers", False),
    }
    return Explorer(
        "positional_encoding",
        encoding_sheet,
        controls,
        title="The sinusoidal encoding",
        task="Move the position p and the offset k, and compare the two arrows.",
        more=("d_model", "length", "numbers"),
    )


def encoding_sheet(
    *, d_model: int, length: int, base: float, p: int, k: int, pair: int, numbers: bool
) -> Sheet:
    """The table next to four waves and three clocks; on demand, the rotation.

    The waves and clocks belong to the pair, and to others that are slower by the
    same factor each. A pair without its cosine has no clock and no rotation.
    """
    rows = 2 * LARGEST - 1  # to the last position, and the largest offset from it
    exact = sinusoidal_encoding(rows, d_model, float(base), dtype=torch.float64).numpy()
    s = Sheet()
    last = (d_model - 1) // 2
    s.control("pair", max=last)
    pair = min(pair, last)
    odd = f"dimension {d_model - 1} is a sine without its cosine"
    axes = Axis.numbered("position", length, 0), Axis.numbered("dimension", d_model, 0)
    look: Style = {"palette": "position", "vmax": 1.0, "shares": "positions"}
    look["size"] = next(size for n, size in SIZES.items() if max(length, d_model) <= n)
    look["note"] = odd if d_model % 2 else "blue above 0, brown below: from −1 to 1"
    look["formula"] = "sin and cos of pos ÷ base^(2i/d_model)"
    look["followed"] = p if p < length else -1
    said = "PE of position {row}, dimension {column}"
    s.show(sinusoid(s, "PE", *axes, base), sentence=said, **look)
    omega = [float(base) ** (-2 * i / d_model) for i in range((d_model + 1) // 2)]
    pairs = range(pair, len(omega), max(1, d_model // 16))[:4]
    _show_waves(s, exact[:length], pairs, omega, p, k)
    twos = {i: exact[:, 2 * i : 2 * i + 2] for i in pairs if 2 * i + 1 < d_model}
    for n, (i, two) in enumerate([*twos.items()][:3]):
        _show_clock(s, n, two, p, k, pair=i, omega=omega[i])
    if numbers and pair in twos:
        _show_turn(s, twos[pair], k * omega[pair], p, k)
    if numbers:
        _show_products(s, exact, length, p, k)
    return s


def _show_waves(
    s: Sheet, table: Array, pairs: Sequence[int], omega: list[float], p: int, k: int
) -> None:
    """The sines of up to four pairs, over the positions of the table."""
    length = len(table)
    columns = [2 * i for i in pairs]
    marks = [(p, "p"), (p + k, "p + k")][: 1 + (k > 0)]
    turns = [plots.number(math.tau / omega[i], 1) for i in pairs]
    formula = f"wavelengths: {', '.join(turns)} positions"
    angle = plots.number(math.degrees(k * omega[pairs[0]]), 1)
    note = f"From {p} to {p + k}, pair {pairs[0]} turns by {angle}°"
    if beyond := [place for place, _ in marks if place >= length]:
        two = "{} and {} are beyond this table, but the formula covers them"
        one = "position {} is beyond this table, but the formula covers it"
        note += "; " + (two if beyond[1:] else one).format(*beyond)
    waves = Curves(
        name="wave",
        title="single waves",
        formula=formula,
        x=range(length),
        series=[f"dim {column}" for column in columns],
        hues=PAIR_HUES[: len(pairs)],
        limits=((-0.5, length - 0.5), (-1.1, 1.1)),
        axes=("position", ""),
        marks=[mark for mark in marks if mark[0] < length],
        sentence="position {x}",
        note=note,
        concludes=True,
        shares="positions",
        room=6,
        wide=40,
        high=13.5,
        **LOOK,
    )
    s.draw(waves, table[:, columns])


def _show_products(s: Sheet, exact: Array, length: int, p: int, k: int) -> None:
    """How similar two rows are, over the offset between them: PE(p) · PE(p + k)."""
    later = exact[np.arange(LARGEST) + np.arange(length)[:, None]]  # (length, 64, D)
    dots = np.einsum("kpd,pd->kp", later, exact[:LARGEST])  # (length, 64)
    spread = np.ptp(dots, axis=1).max()
    s.keep("dots.spread", [[spread]])
    differ = f"over p from 0 to 63 they differ by up to {spread:.1g}: "
    differ += "a sine without its cosine depends on p"
    two = [p, p + ELSEWHERE if p + ELSEWHERE < LARGEST else p - ELSEWHERE]
    low, high = min(0.0, float(dots[:, two].min())), (exact.shape[1] + 1) / 2
    products = Curves(
        name="dots",
        title="PE(p) · PE(p + k)",
        formula="over the offset k, from two positions p",
        x=range(length),
        series=[f"p = {start}" for start in two],
        hues=("position", "negative"),
        looks=("both", "dots"),
        limits=((-0.5, length - 0.5), (low - 0.05 * high, 1.05 * high)),
        axes=("offset k", ""),
        marks=[(k, "k")] if k < length else [],
        sentence="offset {x}: the product of PE(p) and PE(p + {x})",
        note="every p from 0 to 63 gives these values" if spread < SAME else differ,
        band=1,
        wide=29,
        high=11,  # so that all of it is 1,000 pixels tall at most
        **LOOK,
    )
    s.draw(products, dots[:, two])


def _show_clock(
    s: Sheet, n: int, two: Array, p: int, k: int, *, pair: int, omega: float
) -> None:
    """A pair as the coordinates of a hand on a clock, and its rotation as an arc."""
    length = len(s["PE"])
    angle = k * omega
    name = f"clock{n}"
    rounds = angle / math.tau
    degrees = plots.number(math.degrees(angle), 1)
    more = f", {plots.number(rounds, 2)} turns" if rounds > 1 else ""
    share = np.linspace(0.0, 1.0, 241)[:, None]  # 10 rounds still look round
    along = math.atan2(*two[p]) + share * angle
    inner = 0.7 - 0.36 * min(1.0, 4 * rounds)  # a small angle shows far out
    radius = inner + share * min(0.5, 0.06 * rounds)  # wider with every round
    s.keep(f"{name}.arrows", two[[p, p + k]])
    s.keep(f"{name}.arc", radius * np.hstack([np.sin(along), np.cos(along)]))
    clock = UnitCircle(
        name=name,
        title="clock",
        formula=f"pair {pair}, ω = {plots.number(omega, 4)}",
        x=range(length),
        arrows=("p", "p + k"),
        palette=PAIR_HUES[n],
        hues=("reference", PAIR_HUES[n]),
        axes=(f"sin, dim {2 * pair}", f"cos, dim {2 * pair + 1}"),
        marks=[(min(p, length - 1), "")],
        sentence="position {x} on the circle of this pair",
        note=f"k·ω = {plots.number(angle, 4)} rad = {degrees}°{more}",
        group=1,
        shares="positions",
        digits=4,
    )
    s.draw(clock, two[:length])


def _show_turn(s: Sheet, two: Array, angle: float, p: int, k: int) -> None:
    """R_k, which depends on k only; PE(p), their product, and PE(p + k)."""
    hand = Axis("", ("sin", "cos"))
    cos = math.cos(angle)
    sin = math.sin(angle)
    here = Axis("", (f"p = {p}",))
    later = Axis("", (f"p + k = {p + k}",))
    R = s.leaf("R", hand, hand, [[cos, sin], [-sin, cos]])
    at_p = s.leaf("at_p", hand, here, two[p][:, None])
    turned = s.matmul("turned", R, at_p, columns=Axis("", ("rotated",)))
    at_pk = s.leaf("at_pk", hand, later, two[p + k][:, None])
    look = LOOK | {"vmax": 1.0, "size": "large", "band": 1}
    into = "R_k: how much {column} of PE(p) goes into {row} of PE(p + k)"
    by_k = {"formula": f"rotates by {k}·ω", "note": "depends on k and ω, not on p"}
    s.show(R, "R_k", sentence=into, **by_k, **look)
    s.show(at_p, "PE(p)", sentence="{row} of PE(p), {column}", **look)
    product = "{row} of R_k · PE(p): a row of R_k times PE(p)"
    s.show(turned, "R_k · PE(p)", sentence=product, **look)
    look |= {"formula": "by the formula", "note": "equal to R_k · PE(p) to 9 decimals"}
    s.show(at_pk, "PE(p + k)", sentence="{row} of PE(p + k), {column}", **look)
