"""rnn_or_attention: how far back each layer reaches, and what each layer costs."""

from functools import lru_cache

import numpy as np

from explorable import Explorer, Sheet, Style, plots
from explorable.controls import choice, stops, whole
from explorable.drawings.bars import Bars
from explorable.drawings.curves import Curves

from ...experiments.costs import multiplications
from ...experiments.reach import gradient_back
from ...models.sequence_layer import KINDS, Kind

CELLS = KINDS[:-1]
ATTENTION = KINDS[-1]
SIZES = (4, 8, 16, 32, 64)
LONGEST = 64
ENDS = (16, 32, LONGEST)  # of the scale of steps
POWERS = range(13)  # n = 1, 2, 4 … 4096
HUES = ("negative", "weights", "position")
SHOWN = ("gradient", "cost")
LEAST = 1e-20  # the smallest share that is still drawn
STEEPEST = -0.4  # log₁₀ of what a step back leaves of a share, at least
PAIRS = "n × n part"
_back = lru_cache(maxsize=512)(gradient_back)


def rnn_or_attention(
    length: int = 40, d_model: int = 32, kind: Kind = "RNN"
) -> Explorer:
    """A layer that reads one word at a time, next to one that attends to all at once.

    Args:
        length: n words, 2 to 64.
        d_model: d, the size of a state and of a word's vector: 4, 8, 16, 32 or 64.
        kind: "RNN", "LSTM" or "open LSTM", whose forget gates start near 0.95.

    Returns:
        an Explorer with controls of these names and "show". Its values are "reach"
        (n, 2), log₁₀ of the share of the gradient that reaches the word k steps back,
        and "steps" (2, 2); or "products" (13, 3), log₁₀ of the multiplications, and
        "here" (2, 2).

    Raises:
        TypeError, ValueError: an argument is not one of these.

    Source: Vaswani et al. (2017), §4, Table 1; D1.2.1–D1.2.6, D1.3.1–D1.3.3.
    """
    controls = {
        "kind": choice("cell", CELLS, kind, "kind"),
        "length": whole("length n", length, 2, LONGEST, "length"),
        "d_model": stops("size d", SIZES, d_model, "d_model"),
        "show": choice("show", SHOWN),
    }
    return Explorer(
        "rnn_or_attention",
        reach_or_cost,
        controls,
        title="Recurrence or attention?",
        task="Make the sentence longer, and see what each layer pays for it.",
    )


def reach_or_cost(*, kind: Kind, length: int, d_model: int, show: str) -> Sheet:
    """Plot the gradient by distance, or the multiplications by length."""
    return (_reach if show == SHOWN[0] else _cost)(Sheet(), kind, length, d_model)


def _reach(s: Sheet, kind: Kind, n: int, d: int) -> Sheet:
    shares = np.stack([_back(kind, n, d), _back(ATTENTION, n, d)], axis=1)  # (n, 2)
    series: Style = {"series": (kind, ATTENTION), "hues": HUES[:2]}
    low = max(np.log10(LEAST), STEEPEST * n)  # one scale for all cells and sizes
    first = [plots.scientific(f"{share:.1g}") for share in shares[-1]]
    curves = Curves(
        name="reach",
        title="how far back?",
        formula="share of the last output’s gradient at the word k steps back",
        x=range(n),
        axes=("k steps back", "log₁₀ of the share"),
        limits=((-0.5, n - 0.5), (2 * np.floor(low / 2), 0.0)),
        sentence="log₁₀ of the share, {x} steps back",
        note=f"First word’s share: {first[0]} in the {kind}, {first[1]} in attention",
        concludes=True,
        room=10,
        high=21,
        **series,
    )
    s.draw(curves, np.log10(np.where(shares > LEAST, shares, np.nan)))
    steps = Bars(
        name="steps",
        title="steps",
        formula=f"for {n} words",
        labels=("sequential", "first → last"),
        scale=(0.0, float(next(end for end in ENDS if end >= n))),
        digits=0,
        measure="recurrent steps, or weighted averages",
        sentence="steps, {label}: {series}",
        **series,
    )
    s.draw(steps, np.array([[n, 1], [n, 1]]))
    return s


def _cost(s: Sheet, kind: Kind, n: int, d: int) -> Sheet:
    loops, looks = (
        np.array([multiplications(k, 2**p, d) for p in POWERS])
        for k in (kind, ATTENTION)
    )
    here = np.array([multiplications(k, n, d) for k in (kind, ATTENTION)]) / 1000
    times = plots.number(here[1].sum() / here[0].sum(), 1)
    lines = np.stack([loops.sum(1), looks.sum(1), looks[:, 1]], axis=1)  # (13, 3)
    curves = Curves(
        name="products",
        title="multiplications",
        formula=f"in one layer, d = {d}; n × n part: scores and averages alone",
        x=POWERS,
        series=(kind, ATTENTION, PAIRS),
        hues=HUES,
        looks=("both",) * 3,
        axes=("log₂ n", "log₁₀ of the multiplications"),
        limits=((-0.3, 12.3), (0.0, 11.0)),
        marks=[(SIZES.index(d) + 2, f"n = d = {d:,}")],
        sentence="log₁₀ of the multiplications at log₂ n = {x}",
        note=f"{n} words: attention multiplies {times} times as often as the {kind}",
        concludes=True,
        room=14,
        high=21,
    )
    s.draw(curves, np.log10(lines))
    bars = Bars(
        name="here",
        title="at this length",
        formula=f"{n} words, d = {d}",
        labels=(kind, ATTENTION),
        series=("weight matrices", PAIRS),
        hues=(HUES[0], HUES[2]),
        scale=(0.0, float(here.max())),
        digits=1,
        measure="thousands of multiplications",
        sentence="{label}, {series}, in thousands",
        note=f"stored for the backward pass: {n} × {d} states, or {n} × {n} weights",
    )
    s.draw(bars, here)
    return s
