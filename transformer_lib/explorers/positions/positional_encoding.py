"""positional_encoding: waves that number the positions, and the turn between two."""

import math

import numpy as np
import torch

from ...model.embedding import sinusoidal_encoding
from ...support.validation import check_number, check_size
from ..toolkit.controls import stops, whole
from ..toolkit.explorer import Arrays, Explorer
from ..toolkit.inputs import LARGEST
from .positional_panels import encoding_panels

LARGEST_BASE = 1e6
BASES = (1, 10, 100, 1_000, 10_000, 100_000)
ROWS = 2 * LARGEST - 1  # the last position, 63, and the largest offset from it
ELSEWHERE = 20  # how far away the position stands that p is compared with
ARC = 241  # points of the arc: a turn of 10 rounds still looks round


def positional_encoding(
    d_model: int = 32,
    length: int = 32,
    base: float = 10_000.0,
    p: int = 5,
    k: int = 7,
    pair: int = 2,
) -> Explorer:
    """Sinusoidal positions: their table, one pair of columns, and what an offset does.

        PE[p, 2i] = sin(p ω_i),  PE[p, 2i + 1] = cos(p ω_i),  ω_i = base^(−2i/d_model)
        PE(p + k) = R_k PE(p):  R_k turns each pair by k ω_i, whatever p is

    Args:
        d_model: columns, 1 to 64; with an odd number the last sine has no cosine.
        length: positions in the table, 1 to 64.
        base: 1 to 1 000 000.
        p: a position, 0 to 63; it may lie beyond the table.
        k: an offset, 0 to 63.
        pair: i, the pair of columns 2i and 2i + 1.

    Returns:
        an Explorer with controls of these names.

    Raises:
        TypeError, ValueError: an argument is no such number.

    Source: Vaswani et al. (2017), §3.5; D0.4, D1.9.1–D1.9.3, D2.2, D3.3.
    """
    _check(d_model, length, base, p, k, pair)
    bases = sorted({*BASES, int(base) if base == int(base) else base})
    controls = {
        "d_model": whole("d_model", d_model, 1, LARGEST),
        "length": whole("length", length, 1, LARGEST),
        "base": stops("base", bases, base),
        "p": whole("position p", p, 0, LARGEST - 1),
        "k": whole("offset k", k, 0, LARGEST - 1),
        "pair": whole("pair i", pair, 0, _pairs(d_model) - 1),
    }

    def fewer_or_more(change: dict[str, int]) -> None:
        controls["pair"].max = _pairs(change["new"]) - 1

    controls["d_model"].observe(fewer_or_more, names="value")
    return Explorer(encoding_steps, encoding_panels, controls, {})


def encoding_steps(
    *, d_model: int, length: int, base: float, p: int, k: int, pair: int
) -> Arrays:
    """The table, one pair of its columns, products of its rows, and the turn.

    Args:
        d_model: 1 … 64.
        length: 1 … 64.
        base: 1 … 1 000 000.
        p: 0 … 63.
        k: 0 … 63.
        pair: 0 … ⌈d_model/2⌉ − 1.

    Returns:
        "PE" (length, d_model) with "PE.angles" (length, ⌈d_model/2⌉) and "PE.divisors"
        (1, ⌈d_model/2⌉); "wave" (length, 2), the pair's columns; "dots" (length, 2),
        PE(p) · PE(p + k) over k, for p and for another position, with "dots.starts"
        (1, 2), the two positions, and "dots.spread" (1, 1): how far they differ at most
        over every p; and, for a pair that has a cosine, "plane" (length, 2) with its
        arrows and arc, "R" (2, 2), and "at_p", "turned" = R · at_p and "at_pk", all
        (2, 1).

    Raises:
        TypeError, ValueError: a number is none of these.
    """
    _check(d_model, length, base, p, k, pair)
    every = _table(ROWS, d_model, base)
    divisors = base ** (np.arange(0, d_model, 2) / d_model)
    two = every[:, 2 * pair : 2 * pair + 2]
    arrays = {
        "PE": every[:length],
        "PE.angles": np.arange(length)[:, None] / divisors,
        "PE.divisors": divisors[None],
        "wave": two[:length],
        **_products(every, length, p),
    }
    if two.shape[1] == 2:
        arrays |= _turn(two, length, p, k, k / float(divisors[pair]))
    return arrays


def _check(d_model: int, length: int, base: float, p: int, k: int, pair: int) -> None:
    """Refuse what the explorer cannot show."""
    most = LARGEST - 1
    for name, size, least in (
        ("d_model", d_model, 1),
        ("length", length, 1),
        ("p", p, 0),
        ("k", k, 0),
        ("pair", pair, 0),
    ):
        check_size(name, size, least)
        if size > most + least:
            raise ValueError(f"{name} may be {most + least} at most, got {size}")
    check_number("base", base, 1.0, LARGEST_BASE)
    if pair >= _pairs(d_model):
        raise ValueError(
            f"pair must be below {_pairs(d_model)} with {d_model=}, got {pair}"
        )


def _pairs(d_model: int) -> int:
    return -(-d_model // 2)


def _table(rows: int, d_model: int, base: float) -> np.ndarray:
    exact = sinusoidal_encoding(rows, d_model, float(base), dtype=torch.float64)
    return exact.numpy()


def _products(every: np.ndarray, length: int, p: int) -> Arrays:
    """PE(p) · PE(p + k) over the offsets k, for p and for a position elsewhere."""
    q = p + ELSEWHERE if p + ELSEWHERE < LARGEST else p - ELSEWHERE
    offsets = np.arange(length)
    here, there = (every[s + offsets] @ every[s] for s in (p, q))
    starts = np.arange(LARGEST)
    rows = every[starts[:, None] + offsets]  # (64, length, D)
    all_ = np.einsum("pkd,pd->pk", rows, every[starts])
    return {
        "dots": np.stack([here, there], axis=1),
        "dots.starts": np.array([[p, q]], dtype=np.float64),
        "dots.spread": np.array([[np.ptp(all_, axis=0).max()]]),
    }


def _turn(two: np.ndarray, length: int, p: int, k: int, angle: float) -> Arrays:
    """The pair's turn from p to p + k: a matrix that knows k alone."""
    R = np.array(
        [
            [math.cos(angle), math.sin(angle)],
            [-math.sin(angle), math.cos(angle)],
        ]
    )
    at_p, at_pk = two[p][:, None], two[p + k][:, None]
    return {
        "plane": two[:length],
        "plane.arrows": two[[p, p + k]],
        "plane.arc": _arc(math.atan2(*two[p]), angle),
        "R": R,
        "at_p": at_p,
        "turned": R @ at_p,
        "turned.products": R[:, None] * at_p.T[None],  # (2, 1, 2)
        "at_pk": at_pk,
        "angle": np.array([[angle]]),
    }


def _arc(start: float, angle: float) -> np.ndarray:
    """A line from one hand of the clock to the other, wider with every round."""
    share = np.linspace(0.0, 1.0, ARC)
    rounds = angle / (2 * math.pi)
    radius = 0.34 + share * min(0.5, 0.06 * rounds)
    along = start + share * angle
    points = np.stack([np.sin(along), np.cos(along)], axis=1)
    points *= radius[:, None]
    return points
