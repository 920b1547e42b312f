"""rotary: a query and a key that are turned by their positions, and their score."""

import math
from functools import lru_cache
from typing import Any, cast, get_args

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from explorable import Array, Axis, Explorer, Sheet, Style, Table, plots
from explorable.controls import choice, stops, switch, whole
from explorable.drawings.curves import Curves, UnitCircle
from explorable.inputs import matrix_input
from transformer_lib.checks.validation import check_number, require
from transformer_lib.model.config import Pairs
from transformer_lib.model.embedding import RotaryEncoding, apply_rotary

BASES = (10, 100, 1_000, 10_000, 500_000, 1_000_000)
SHIFTS = (0, 1, 2, 5, 10, 20, 50, 100, 1_000)
POSITIONS = 32  # that a query and a key may have, before both are moved
WIDEST = 16
CLOCKS = 3  # pairs that are drawn
QUERY = (0.9, 0.3, 0.7, -0.2, 1.0, 0.1)
KEY = (0.8, 0.5, 0.9, 0.1, 0.7, -0.4)


def rotary(
    query: ArrayLike = QUERY,
    key: ArrayLike = KEY,
    *,
    p: int = 5,
    r: int = 2,
    base: float = 100,
    pairs: Pairs = "neighbors",
) -> Explorer:
    """Turn a query by its position and a key by its own, and compare them.

        score = (R_p q) · (R_r k) / √d_k:  R_p turns pair i by p / base^(2i/d_k)

    Args:
        query: d_k numbers; d_k is even, and 16 at most.
        key: as many.
        p: the query's position, 0 to 31.
        r: the key's position, 0 to 31.
        base: 1 to 1 000 000; the pairs turn the slower, the larger it is.
        pairs: which features turn together: "neighbors" (2i, 2i + 1) or "halves"
            (i, i + d_k/2).

    Returns:
        an Explorer with controls "p", "r", "both", which is added to both positions,
        "base", "pairs", and "numbers": the rotations as matrices.

    Raises:
        TypeError, ValueError: an argument is no such number or no such pairing.

    Source: Su et al. (2021), §3.2 and §3.4.
    """
    q, k = (_vector(n, x) for n, x in (("query", query), ("key", key)))
    require(q.shape == k.shape, "key", f"be {q.size} numbers, as the query", k.size)
    base = base.item() if isinstance(base, np.number) else base
    check_number("base", base, 1.0, 1e6)
    base = int(base) if base == int(base) else base
    controls = {
        "p": whole("query position p", p, 0, POSITIONS - 1, "p"),
        "r": whole("key position r", r, 0, POSITIONS - 1, "r"),
        "both": stops("move both by", SHIFTS, 0),
        "base": stops("base", sorted({*BASES, base}), base),
        "pairs": choice("pairs", get_args(Pairs), pairs, "pairs"),
        "numbers": switch("show the rotations in numbers", False),
    }
    return Explorer(
        "rotary",
        rotary_sheet,
        controls,
        title="Rotary positions",
        task="Move the query, then the key, then both. Which moves change the score?",
        more=("numbers",),
        q=q,
        k=k,
    )


def _vector(name: str, values: ArrayLike) -> Array:
    """A query or a key as a row (1, d_k)."""
    row = matrix_input(name, cast(ArrayLike, [values]))
    size = row.shape[1]
    even = size % 2 == 0 and size <= WIDEST
    require(even, name, f"be an even number of numbers, {WIDEST} at most", size)
    return row


def rotary_sheet(
    *,
    q: Array,
    k: Array,
    p: int,
    r: int,
    both: int,
    base: float,
    pairs: Pairs,
    numbers: bool,
) -> Sheet:
    """Show the pairs as clocks, the turned vectors, and the score of every key."""
    s = Sheet()
    d_k = q.shape[1]
    p, r = p + both, r + both
    at = both + np.arange(POSITIONS)
    every = {
        name: _turned(np.repeat(x, POSITIONS, axis=0), at, base, pairs)
        for name, x in (("q", q), ("k", k))
    }
    members = [
        (2 * i, 2 * i + 1) if pairs == "neighbors" else (i, i + d_k // 2)
        for i in range(d_k // 2)
    ]
    longest = max(np.hypot(x[:, a], x[:, b]).max() for x in (q, k) for a, b in members)
    for i, pair in enumerate(members[:CLOCKS]):
        ends = [every["q"][p - both, pair], every["k"][r - both, pair]]
        omega = float(base) ** (-2 * i / d_k)
        own = every["q"][:, pair] / (longest or 1.0)
        arrows = np.array(ends) / (longest or 1.0)
        _show_clock(s, i, own, arrows, omega, pair=pair, at=(p, r))
    _show_vectors(s, q, k, (p, r), base, pairs, numbers=numbers)
    scores = every["k"] @ every["q"][p - both] / math.sqrt(d_k)  # (positions,)
    here = plots.number(float(scores[r - both]), 2)
    reach = 1.1 * max(0.1, float(np.abs(scores).max()))
    curve = Curves(
        name="scores",
        title="the score of a key at every position",
        formula=f"for the query at {p}",
        x=at.tolist(),
        series=["score"],
        hues=("output",),
        looks=("both",),
        limits=((both - 0.5, both + POSITIONS - 0.5), (-reach, reach)),
        axes=("key position r", "score"),
        marks=[(r - both, "key")],
        sentence="the score of a key at position {x}",
        note=f"Query at {p}, key at {r}: the score is {here}",
        concludes=True,
        group=0,
        wide=38,
        high=12,
        room=8,
    )
    s.draw(curve, scores[:, None])
    return s


@lru_cache(maxsize=8)
def _rotation(d_k: int, base: float, pairs: Pairs) -> Tensor:
    """The rows of `RotaryEncoding` for every position that is reached."""
    encoding = RotaryEncoding(SHIFTS[-1] + POSITIONS, d_k, base, pairs).double()
    encoding.fill()
    return encoding.table


def _turned(x: Array, at: NDArray[Any], base: float, pairs: Pairs) -> Array:
    """Turn each row of x (N, d_k) by the position that `at` (N,) has for it."""
    cos, sin = _rotation(x.shape[1], float(base), pairs)[at].chunk(2, dim=-1)
    given = torch.from_numpy(np.ascontiguousarray(x))
    return apply_rotary(given[None, None], (cos, sin), pairs)[0, 0].numpy()


def _show_clock(
    s: Sheet,
    i: int,
    points: Array,
    ends: Array,
    omega: float,
    *,
    pair: tuple[int, int],
    at: tuple[int, int],
) -> None:
    """A pair of features as two arrows, and the angle from the key to the query."""
    name = f"pair{i}"
    stop, start = np.arctan2(ends[:, 1], ends[:, 0]).tolist()  # of q, and of k
    way = (stop - start + math.pi) % math.tau - math.pi
    shorter = np.hypot(*ends.T).min()
    along = start + np.linspace(0.0, 1.0, 41) * way
    s.keep(f"{name}.arrows", ends)
    s.keep(
        f"{name}.arc", 0.5 * shorter * np.stack([np.cos(along), np.sin(along)], axis=1)
    )
    turns = [plots.number(position * omega, 2) for position in at]
    clock = UnitCircle(
        name=name,
        title=f"pair {i}",
        formula=f"ω = {plots.number(omega, 4)}",
        x=range(len(points)),
        arrows=("q", "k"),
        hues=("query", "key"),
        axes=(f"feature {pair[0]}", f"feature {pair[1]}"),
        marks=[(0, "")],
        sentence="the query’s arrow, {x} positions after the first",
        note="q {} · k {} rad".format(*turns),
        group=0,
        digits=3,
        side=10.2,
    )
    s.draw(clock, points)


def _show_vectors(
    s: Sheet,
    q: Array,
    k: Array,
    at: tuple[int, int],
    base: float,
    pairs: Pairs,
    *,
    numbers: bool,
) -> None:
    """The query and the key before they are turned and after it, and their score."""
    feature = Axis.numbered("feature", q.shape[1], 0)
    look: Style = {"digits": 2, "size": "small", "group": 1}
    found: list[Table] = []
    for name, x, position, hue in zip("qk", (q, k), at, ("query", "key"), strict=True):
        row = Axis("", (name,))
        given = s.leaf(name, row, feature, x)
        ones = np.eye(q.shape[1])
        each = np.full(q.shape[1], position)
        rotation = _turned(ones, each, base, pairs)  # a row is multiplied by it
        R = s.leaf(f"R_{name}", feature, feature, rotation)
        moved = s.matmul(f"{name}_turned", given, R)
        label = {"q": "query", "k": "key"}[name]
        said = f"feature {{column}} of the {label}"
        s.show(given, f"the {label}", sentence=said, palette=hue, **look)
        look_turned: Style = {"formula": f"at position {position}", "palette": hue}
        said = f"feature {{column}} of the {label}, turned"
        s.show(moved, "turned", sentence=said, **look_turned, **look)
        found.append(moved)
        if numbers:
            shown: Style = {"digits": 2, "size": "tiny", "group": 3, "vmax": 1.0}
            shown |= {"palette": "scores", "blank_zeros": True}
            shown["formula"] = f"turns the {label}, at position {position}"
            sentence = "how much of feature {row} goes into feature {column}"
            s.show(R, f"R for {name}", sentence=sentence, **shown)
    root = ("÷", math.sqrt(q.shape[1]), "√dₖ")
    key = Axis("", ("k",))
    both = s.matmul("score", found[0], found[1], root, transposed=True, columns=key)
    look_score: Style = {"formula": "q · k ÷ √dₖ", "note": "", "leads": True}
    sentence = "score of the query at {} and the key at {}".format(*at)
    s.show(both, "score", sentence=sentence, **look_score, **look)
