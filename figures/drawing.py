"""The visual language of the figures, written once: paper, words, blocks, arrows.

Colours are those of explorable.plots. A figure is as wide as a notebook's column,
900 pixels, and no letter in it is smaller than 13. Words are placed for DejaVu Sans,
the widest of the usual fonts, so that they fit in every other.
"""

import pathlib
import sys
from collections.abc import Iterable, Sequence
from html import escape

import numpy as np
from numpy.typing import ArrayLike

from explorable import plots

WIDTH, BODY, SMALL = 900, 15, 13
INK, QUIET, LINE, PLAIN = plots.INK, plots.QUIET, "#C8C8C8", "#EDEDED"
FONT = "system-ui, -apple-system, Segoe UI, Roboto, sans-serif"
CODE = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"
HATCH = (
    '<defs><pattern id="hidden" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><rect width="6" height="6" fill="#E6E6E6"/>'
    '<path d="M0 0V6" stroke="#8C8C8C" stroke-width="1.6"/></pattern></defs>'
)


def text(
    x: float,
    y: float,
    words: str,
    *,
    size: int = BODY,
    fill: str = INK,
    anchor: str = "start",
    bold: bool = False,
    code: bool = False,
) -> str:
    """Words that stand on the line y; `code` writes them as a name of the code."""
    look = ' font-weight="600"' if bold else ""
    look += f' font-family="{CODE}"' if code else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{fill}" '
        f'text-anchor="{anchor}"{look}>{words}</text>'
    )


def sub(letter: str, low: str, rest: str = "", drop: int = 4) -> str:
    """A letter with an index below the line, and what follows on the line."""
    tail = f'<tspan dy="{-drop}">{rest}</tspan>' if rest else ""
    return f'{letter}<tspan dy="{drop}" font-size="{SMALL}">{low}</tspan>{tail}'


def box(
    x: float,
    y: float,
    w: float,
    h: float,
    *,
    fill: str = "none",
    stroke: str = INK,
    width: float = 1.5,
    dash: str = "",
    round_: float = 5,
) -> str:
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{round_:g}" '
        f'fill="{fill}" stroke="{stroke}" stroke-width="{width:g}"{dashed}/>'
    )


def block(
    x: float,
    y: float,
    w: float,
    h: float,
    words: str,
    hue: str = "",
    *,
    size: int = BODY,
    code: bool = False,
) -> str:
    """A part of the model: its name in a box that is tinted by a role's colour."""
    fill = plots.shade(hue, 3)[0] if hue else "#FFFFFF"
    frame = box(x, y, w, h, fill=fill, stroke=plots.HUES.get(hue, INK))
    middle = y + h / 2 + 5
    return frame + text(x + w / 2, middle, words, size=size, anchor="middle", code=code)


def line(
    *points: tuple[float, float], hue: str = INK, width: float = 1.8, dash: str = ""
) -> str:
    """A path from point to point, round at its corners."""
    (x, y), *rest = points
    path = f"M{x:g} {y:g}"
    for (a, b), (c, d), (e, f) in zip(points, rest, rest[1:], strict=False):
        before, after = _towards((c, d), (a, b)), _towards((c, d), (e, f))
        path += f"L{before}Q{c:g} {d:g} {after}"
    path += f"L{rest[-1][0]:g} {rest[-1][1]:g}"
    look = f'stroke="{hue}" stroke-width="{width:g}"'
    look += f' stroke-dasharray="{dash}"' if dash else ""
    return f'<path d="{path}" fill="none" {look}/>'


def _towards(corner: tuple[float, float], other: tuple[float, float]) -> str:
    """The point 8 away from a corner; lines run along the page's sides."""
    (x, y), (to_x, to_y) = corner, other
    return f"{x + 8 * np.sign(to_x - x):g} {y + 8 * np.sign(to_y - y):g}"


def arrow(*points: tuple[float, float], hue: str = INK, width: float = 1.8) -> str:
    """A line with a tip at its end."""
    *start, (x, y), (to_x, to_y) = points
    dx, dy = np.sign(to_x - x), np.sign(to_y - y)
    foot = (to_x - 8 * dx, to_y - 8 * dy)
    return line(*start, (x, y), foot, hue=hue, width=width) + tip(
        to_x, to_y, dx, dy, hue
    )


def tip(x: float, y: float, dx: float = 1, dy: float = 0, hue: str = INK) -> str:
    """The tip of an arrow that ends in a point, going in a direction."""
    a, b = x - 10 * dx - 5 * dy, y - 10 * dy - 5 * dx
    return f'<path d="M{x:g} {y:g}L{a:g} {b:g}l{10 * dy:g} {10 * dx:g}z" fill="{hue}"/>'


def curve(x: float, y: float, to_x: float, to_y: float, hue: str = INK) -> str:
    """A curved arrow that leaves and arrives level."""
    half, end = (x + to_x) / 2, to_x - 8
    path = f"M{x:g} {y:g}C{half:g} {y:g} {half:g} {to_y:g} {end:g} {to_y:g}"
    stroke = f'fill="none" stroke="{hue}" stroke-width="1.8"'
    return f'<path d="{path}" {stroke}/>' + tip(to_x, to_y, hue=hue)


def dot(x: float, y: float, radius: float = 3.5, fill: str = INK) -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}"/>'


def plus(x: float, y: float) -> str:
    """The place where two vectors are added."""
    circle = f'<circle cx="{x:g}" cy="{y:g}" r="11" fill="#FFFFFF" stroke="{INK}" '
    cross = f'<path d="M{x - 6:g} {y:g}h12M{x:g} {y - 6:g}v12" stroke="{INK}" '
    return f'{circle}stroke-width="1.5"/>{cross}stroke-width="1.8"/>'


def badge(x: float, y: float, words: str) -> str:
    """A dark disc with a number in it."""
    return dot(x, y, 12) + text(
        x, y + 5, words, size=14, fill="#FFFFFF", anchor="middle"
    )


def step(x: float, y: float, number: int, lines: Sequence[str] = ()) -> str:
    """A numbered disc and, at its right, what the step does."""
    words = (text(x + 18, y + 5 + 18 * n, line) for n, line in enumerate(lines))
    return badge(x, y, str(number)) + "".join(words)


def grid(
    x: float,
    y: float,
    values: ArrayLike,
    palette: str,
    cell: tuple[float, float],
    *,
    limit: float = 1.0,
    digits: int | None = None,
    hidden: ArrayLike = False,
) -> str:
    """A matrix as coloured cells, with numbers if `digits` are given.

    Without a palette the cells are grey; hidden ones are hatched. `limit` is the number
    that is coloured in full. Rounded first: no processor's last digit shows.
    """
    matrix = np.round(np.asarray(values, dtype=np.float64), 6)
    parts, (w, h) = [], cell
    covered = np.broadcast_to(np.asarray(hidden, dtype=bool), matrix.shape)
    for (r, c), value in np.ndenumerate(matrix):
        paper, ink = plots.shade(palette or "query", plots.step_of(value, limit))
        paper = "url(#hidden)" if covered[r, c] else paper if palette else PLAIN
        left, top = x + c * w, y + r * h
        parts.append(box(left, top, w, h, fill=paper, stroke=LINE, width=1, round_=0))
        if digits is not None and not covered[r, c]:
            number, middle = plots.number(value, digits), left + w / 2
            parts.append(
                text(middle, top + h / 2 + 5, number, fill=ink, anchor="middle")
            )
    return "\n".join(parts)


def outline(x: float, y: float, w: float, h: float, hue: str = INK) -> str:
    """A frame around cells that the reader should follow."""
    return box(x, y, w, h, stroke=hue, width=2.5, round_=2)


def name(x: float, y: float, palette: str, words: str, shape: str) -> str:
    """A chip in the role's colour, what a matrix is called, and its shape."""
    chip = box(x, y - 11, 12, 12, fill=plots.HUES[palette], stroke="none", round_=2)
    shape = text(x + 18, y + 19, shape, size=14, fill=QUIET)
    return chip + text(x + 18, y, words, bold=True) + shape


def figure(
    title: str,
    description: str,
    height: int,
    parts: Iterable[str],
    view: tuple[int, int, int, int] | None = None,
) -> str:
    """The whole SVG, on a paper of its own: it looks the same on a dark page.

    `view` (x, y, width, height) shows a part of it alone.
    """
    x, y, w, h = view or (0, 0, WIDTH, height)
    paper = box(0.5, 0.5, WIDTH - 1, height - 1, fill="#FFFFFF", stroke=LINE, width=1)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{x} {y} {w} {h}" '
            f'width="{w}" height="{h}" role="img" aria-labelledby="t d" '
            f'font-family="{FONT}">',
            f'<title id="t">{escape(title)}</title>',
            f'<desc id="d">{escape(description)}</desc>',
            HATCH,
            paper,
            *parts,
            "</svg>\n",
        ]
    )


def save(script: str, svg: str, name: str = "") -> None:
    """Write a figure beside its script, or into the folder that is named."""
    here = pathlib.Path(script)
    folder = pathlib.Path(sys.argv[1]) if sys.argv[1:] else here.parent
    target = folder / f"{name or here.stem}.svg"
    target.parent.mkdir(exist_ok=True)
    target.write_text(svg, encoding="utf-8", newline="\n")
