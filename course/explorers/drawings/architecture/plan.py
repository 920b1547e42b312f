"""Where the boxes and the ways of a model stand, from the bottom up.

It is the plan of figures/architecture.svg, closer together. All lengths are in em.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

Role = Literal["", "norm", "look", "look over", "think", "add"]
WIDE = 11.6  # of a box
ROWS = 25.5  # what the boxes of a column may take in all, with the gaps above them
PITCH = (2.15, 3.0)  # from a box to the next one at least, and at most
SHARE = 0.6  # of that is the box, and the rest is the gap
STRIP = 0.4  # of a gap is the strip that stands on a box
SIDE = 1.5  # beside a box, for the way past a sub-layer
BETWEEN = 2.8  # from one column's boxes to the next one's
HEAD = 2.1  # above a stack's boxes, for its name
FOOT = 0.7  # below a stack's boxes, for the edge of its frame
END = 1.5  # for the words at either end of a column
LINE = 1.4  # for a second line of those below it, where two columns stand
SAID = 13.2  # the width of words in a column
INSIDE = 13.8  # the width of what is said of the box that is lit


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


Spot = tuple[float, float, float, int]


class Plan(NamedTuple):
    """Where everything stands: what an `Architecture` keeps while numbers change.

    Attributes:
        size: across and down.
        boxes: column after column, from the bottom up.
        wires: the ways between them.
        frames: x, y, width and height of each stack.
        spots: x and y of words, the room that they have, at least as wide as the
            column, and in how many lines: for each column below it, in its stack's
            head, and above it.
        inside: x, y and width of the place for the steps of the box that is lit.
    """

    size: tuple[float, float]
    boxes: Sequence[Box]
    wires: Sequence[Wire]
    frames: Sequence[tuple[float, float, float, float]]
    spots: Sequence[Spot]
    inside: tuple[float, float, float]


class _Stood:
    """A column where it stands: its boxes, and the ways between them.

    Args:
        column: from the bottom up.
        x: of its middle.
        side: where the ways past its sub-layers are: −1 on the left, 1 on the right.
        foot: y of its lower end.
        pitch: from a box to the next one.
    """

    def __init__(
        self, column: Column, x: float, side: int, foot: float, pitch: float
    ) -> None:
        self.column = column
        self.x = x
        self.side = side
        self.high = SHARE * pitch
        self.gap = pitch - self.high
        stacked = [n for n, row in enumerate(column.rows) if row.stacked]
        self.boxes = [
            Box(
                x - WIDE / 2,
                foot
                - END
                - (n + 1) * pitch
                - FOOT * (n >= stacked[0])
                - HEAD * (n > stacked[-1]),
                WIDE,
                self.high,
                row.words,
                row.hue,
            )
            for n, row in enumerate(column.rows)
        ]

    def up(self) -> list[Wire]:
        """The ways up from box to box."""
        x = self.x
        *_, top = self.boxes
        feet = [box.y + self.high for box in self.boxes]
        starts = [feet[0] + self.gap, *(box.y for box in self.boxes)]
        wires = [
            Wire([(x, start), (x, foot)], "query" if row.role == "look over" else "")
            for start, foot, row in zip(starts, feet, self.column.rows, strict=False)
        ]
        end = Wire([(x, top.y), (x, top.y - self.gap)])
        return [*wires, end] if self.column.writes else wires

    def past(self) -> list[Wire]:
        """The ways past each sub-layer, with its norm, to where it is added."""
        near = self.x + self.side * WIDE / 2
        far = near + self.side * 1.1
        wires: list[Wire] = []
        before = ""
        begins = 0.0
        for row, box in zip(self.column.rows, self.boxes, strict=True):
            if row.role not in ("", "add") and before != "norm":
                begins = box.y + self.high + self.gap / 2
            if row.role == "add":
                end = box.y + self.high / 2
                way = [(self.x, begins), (far, begins), (far, end), (near, end)]
                wires.append(Wire(way))
            before = row.role
        return wires

    def frame(self) -> tuple[float, float, float, float]:
        """Around the stack's boxes and the ways past them, with a head for its name."""
        both = zip(self.boxes, self.column.rows, strict=True)
        first, *_, last = (box for box, row in both if row.stacked)
        top = last.y - HEAD
        foot = first.y + self.high + self.gap / 2 + 0.45
        left = self.x - WIDE / 2 - (1.4 if self.side < 0 else 0.3)
        return (left, top, WIDE + 1.7, foot - top)

    def spots(self, room: float, lines: int) -> list[Spot]:
        """Where there are words: below it, in so much room, in the head, above it."""
        low = self.boxes[0].y + self.high + self.gap + END / 2
        low += LINE / 2 * (lines - 1)
        high = self.boxes[-1].y - self.gap - END / 2 + 0.2
        head = self.frame()[1] + 0.74
        x = self.x
        return [(x, low, room, lines), (x, head, SAID, 1), (x, high, SAID, 1)]

    def memory(self, reader: "_Stood") -> list[Wire]:
        """From the reader's end to where the writer looks over: as key and value."""
        start = reader.boxes[-1]
        roles = [row.role for row in self.column.rows]
        end = self.boxes[roles.index("look over")]
        wires: list[Wire] = []
        for hue, off in (("key", -0.28), ("value", 0.28)):
            middle = end.x - BETWEEN / 2 - off
            y, to = (box.y + self.high / 2 + off for box in (start, end))
            way = [(start.x + WIDE, y), (middle, y), (middle, to), (end.x, to)]
            wires.append(Wire(way, hue))
        return wires


def planned(columns: Sequence[Column]) -> Plan:
    """The plan of a model of one column, or of an encoder to the left of a decoder."""
    most = max(len(column.rows) for column in columns)
    pitch = max(PITCH[0], min(PITCH[1], ROWS / most))
    foot = 0.2 + most * pitch + HEAD + FOOT + END + END * any(c.writes for c in columns)
    step = WIDE + BETWEEN
    stood = [
        _Stood(column, SIDE + WIDE / 2 + n * step, 1 if n else -1, foot, pitch)
        for n, column in enumerate(columns)
    ]
    wires = [wire for one in stood for wire in (*one.up(), *one.past())]
    wide = SIDE + WIDE
    left = wide + 1.2
    room = left + INSIDE - 0.6
    lines = len(stood)
    if lines > 1:
        room = SAID
        wires += stood[1].memory(stood[0])
        left = 0.2
        wide += step + SIDE
    return Plan(
        (max(wide, left + INSIDE), foot + LINE * (lines - 1)),
        [box for one in stood for box in one.boxes],
        wires,
        [one.frame() for one in stood],
        [spot for one in stood for spot in one.spots(room, lines)],
        (left, 0.2, INSIDE),
    )
