"""Where the boxes and the ways of a model stand, from the bottom up.

It is the plan of figures/architecture.svg, closer together. All lengths are in em.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

Role = Literal["", "norm", "look", "look over", "think", "add"]
WIDE, HIGH = 10.8, 1.7  # of a box
GAP = 0.95  # from a box to the next
SIDE = 1.5  # beside a box, for the way past a sub-layer
BETWEEN = 2.4  # from one column's boxes to the next one's
HEAD = 1.9  # above a stack's boxes, for its name
END = 1.5  # for the words at either end of a column
INSIDE = 14.2  # the width of what is said of the box that is lit


class Row(NamedTuple):
    """A box: its words, a key of `plots.HUES` or "", and what it does in a stack."""

    words: str
    hue: str = ""
    role: Role = ""
    stacked: bool = False


class Column(NamedTuple):
    """What an encoder or a decoder is made of, from the bottom up."""

    rows: Sequence[Row]
    writes: bool = False


class Box(NamedTuple):
    """A box as it is drawn: its left upper corner, its size, words and hue."""

    x: float
    y: float
    wide: float
    high: float
    words: str
    hue: str


class Wire(NamedTuple):
    """A line from point to point, and whether it ends in a tip."""

    points: Sequence[tuple[float, float]]
    hue: str = ""
    tip: bool = True


class Plan(NamedTuple):
    """Where everything stands: what an `Architecture` keeps while numbers change.

    Attributes:
        size: across and down.
        boxes: column after column, from the bottom up.
        wires: the ways between them.
        frames: x, y, width and height of each stack.
        spots: x and y of words: for each column below it, in its stack's head, and
            above it.
        inside: x, y and width of the place for the steps of the box that is lit.
    """

    size: tuple[float, float]
    boxes: Sequence[Box]
    wires: Sequence[Wire]
    frames: Sequence[tuple[float, float, float, float]]
    spots: Sequence[tuple[float, float]]
    inside: tuple[float, float, float]


def planned(columns: Sequence[Column]) -> Plan:
    """The plan of a model of one column, or of a reader at the left of a writer."""
    high = max(map(_height, columns)) + END + END * any(c.writes for c in columns)
    boxes: list[Box] = []
    wires: list[Wire] = []
    frames: list[tuple[float, float, float, float]] = []
    spots: list[tuple[float, float]] = []
    columned: list[list[Box]] = []
    for n, column in enumerate(columns):
        x = SIDE + WIDE / 2 + n * (WIDE + BETWEEN)
        own = _boxes(column, x, high)
        columned.append(own)
        boxes += own
        side = 1 if n else -1
        wires += _ways(column, own, x, side)
        stacked = [box for box, row in zip(own, column.rows, strict=True) if row.stacked]
        frame = _frame(stacked, x, side)
        frames.append(frame)
        spots += [(x, high - END / 2), (x, frame[1] + 0.7)]
        spots.append((x, own[-1].y - GAP - END / 2 + 0.2))
    if len(columns) > 1:
        wires += _memory(columns, columned)
        inside = (0.2, 0.2, INSIDE)
        wide = SIDE + WIDE + BETWEEN + WIDE + SIDE
    else:
        inside = (SIDE + WIDE + 1.2, 0.2, INSIDE)
        wide = inside[0] + inside[2] + 0.2
    return Plan((wide, high), boxes, wires, frames, spots, inside)


def _height(column: Column) -> float:
    return len(column.rows) * (HIGH + GAP) + HEAD


def _boxes(column: Column, x: float, high: float) -> list[Box]:
    """The boxes of a column, the first at its foot."""
    last = max(n for n, row in enumerate(column.rows) if row.stacked)
    return [
        Box(
            x - WIDE / 2,
            high - END - (n + 1) * (HIGH + GAP) - (HEAD if n > last else 0),
            WIDE,
            HIGH,
            row.words,
            row.hue,
        )
        for n, row in enumerate(column.rows)
    ]


def _ways(column: Column, boxes: Sequence[Box], x: float, side: int) -> list[Wire]:
    """Up from box to box, and past each sub-layer to where it is added."""
    first = boxes[0]
    wires = [Wire([(x, first.y + HIGH + GAP), (x, first.y + HIGH)])]
    for row, below, box in zip(column.rows[1:], boxes, boxes[1:], strict=False):
        hue = "query" if row.role == "look over" else ""
        wires.append(Wire([(x, below.y), (x, box.y + HIGH)], hue))
    if column.writes:
        wires.append(Wire([(x, boxes[-1].y), (x, boxes[-1].y - GAP)]))
    begins = 0.0
    for n, (row, box) in enumerate(zip(column.rows, boxes, strict=True)):
        if row.role in ("norm", "look", "look over", "think"):
            pre = column.rows[n - 1].role == "norm" and row.role != "norm"
            begins = begins if pre else box.y + HIGH + GAP / 2
        if row.role == "add":
            far = x + side * (WIDE / 2 + 1.1)
            middle = box.y + HIGH / 2
            near = x + side * WIDE / 2
            way = [(x, begins), (far, begins), (far, middle), (near, middle)]
            wires.append(Wire(way))
    return wires


def _frame(
    stacked: Sequence[Box], x: float, side: int
) -> tuple[float, float, float, float]:
    """Around a stack's boxes and the ways past them, with a head for its name."""
    top = stacked[-1].y - HEAD
    foot = stacked[0].y + HIGH + GAP * 0.75
    left = x - WIDE / 2 - (1.4 if side < 0 else 0.3)
    return (left, top, WIDE + 1.7, foot - top)


def _memory(columns: Sequence[Column], boxes: Sequence[Sequence[Box]]) -> list[Wire]:
    """From the reader's end to where the writer looks over: as key, and as value."""
    start = boxes[0][-1]
    x, left = start.x + WIDE, boxes[1][0].x
    wires: list[Wire] = []
    roles = [row.role for row in columns[1].rows]
    box = boxes[1][roles.index("look over")]
    for hue, off in (("key", -0.28), ("value", 0.28)):
        middle = left - BETWEEN / 2 - off
        y, to = start.y + HIGH / 2 + off, box.y + HIGH / 2 + off
        wires.append(Wire([(x, y), (middle, y), (middle, to), (left, to)], hue))
    return wires
