"""Arrays in, matplotlib Axes out: the static twin of every view.

The course's visual language is defined here, once: the colours, how strongly a number
is coloured, and how it is written. The views receive them from this module.
"""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

#: "Blue asks, orange answers, green is handed over": role → colour on a light page.
HUES = {
    "query": "#0072B2",
    "key": "#D55E00",
    "value": "#009E73",
    "output": "#CC79A7",
    "position": "#56B4E9",
    "weights": "#6A3FA0",
    "scores": "#6A3FA0",
    "negative": "#A6650A",
}
PAPER = {"light": "#FFFFFF", "dark": "#1E1E1E"}
STEPS = 20  # shades from the page's background to the full hue


def _rgb(colour: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], dtype=np.float64)


def _mix(a: str, b: str, share: float) -> str:
    """The colour a share of the way from a to b."""
    r, g, b_ = (round(float(x)) for x in _rgb(a) * (1 - share) + _rgb(b) * share)
    return f"#{r:02X}{g:02X}{b_:02X}"


def luminance(colour: str) -> float:
    """Relative luminance of "#RRGGBB", 0 to 1 (WCAG 2.2)."""
    c = _rgb(colour) / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(a: str, b: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def shade(palette: str, step: int, theme: str = "light") -> tuple[str, str]:
    """The background and the ink of a cell: step 0 is the page, STEPS the full hue.

    Args:
        palette: a key of HUES.
        step: 0 … STEPS.
        theme: "light" or "dark"; on a dark page the full hue is lightened.

    Returns:
        (background, ink), the ink being the more legible of black and white.
    """
    full = HUES[palette] if theme == "light" else _mix(HUES[palette], "#FFFFFF", 0.4)
    background = _mix(PAPER[theme], full, step / STEPS)
    ink = max(("#000000", "#FFFFFF"), key=lambda c: contrast(c, background))
    return background, ink


def step_of(value: float, limit: float) -> int:
    """How strongly a number is coloured: |value| as a share of limit, in STEPS."""
    if limit <= 0 or np.isnan(value):
        return 0
    return int(min(STEPS, np.floor(STEPS * abs(value) / limit + 0.5)))


def number(value: float, digits: int = 2) -> str:
    """Write a number as every picture of the course does: rounded half up, true minus.

    From 10 000 on the scientific form keeps it narrow. The views' JavaScript writes
    the same characters.

    Args:
        value: any number; NaN and the infinities write their names, NaN, ∞ and −∞.
        digits: decimals, 0 … 6.
    """
    if not np.isfinite(value):
        return "NaN" if np.isnan(value) else "∞" if value > 0 else "−∞"
    exact = Decimal(float(value))
    if abs(exact) >= 10_000:
        text = f"{exact:.2e}".replace("e+", "e")
    else:
        text = str(exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))
    if not Decimal(text):
        text = text.lstrip("-")
    return text.replace("-", "−")


def matrix(
    values: ArrayLike,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    *,
    palette: str = "weights",
    hidden: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a matrix as a heat map with every number printed.

    Args:
        values: (R, C), finite.
        rows: R labels; by default 1 … R.
        columns: C labels; by default 1 … C.
        palette: a key of HUES. "weights" colours 0 to 1, "scores" diverges around 0
            and the others show magnitude, the largest in full.
        hidden: boolean (R, C), True where a cell is masked: drawn grey and hatched.
        ax: where to draw; by default a new figure.

    Returns:
        the Axes.

    Raises:
        ValueError: values is no finite (R, C) matrix, a label is missing, the palette
            is unknown, or hidden has another shape.
    """
    x = _checked(values, palette)
    labels = _labels(rows, x.shape[0], "rows"), _labels(columns, x.shape[1], "columns")
    masked = np.zeros(x.shape, bool) if hidden is None else np.asarray(hidden, bool)
    if masked.shape != x.shape:
        raise ValueError(f"hidden must have shape {x.shape}, got {masked.shape}")
    if ax is None:
        ax = _new_axes(x.shape)
    limit = 1.0 if palette == "weights" else float(np.abs(x).max())
    draw_cells(ax, x, masked, palette, limit)
    draw_labels(ax, *labels)
    if palette in ("weights", "scores"):
        ax.set(ylabel="query ↓", xlabel="key →")
    return ax


def draw_cells(
    ax: Axes,
    values: np.ndarray[Any, np.dtype[np.float64]],
    hidden: np.ndarray[Any, np.dtype[np.bool_]],
    palette: str,
    limit: float,
    digits: int | None = 2,
    texts: Sequence[Sequence[str]] | None = None,
) -> None:
    """Fill the Axes with one coloured square per value, numbered unless digits=None.

    A masked cell is hatched, and says nothing unless there are `texts`.
    """
    small = values.shape[1] > 7
    for (r, c), value in np.ndenumerate(values):
        hue = "negative" if palette == "scores" and value < 0 else palette
        fill, ink = shade(hue, step_of(value, limit))
        if hidden[r, c]:
            style: dict[str, Any] = {"facecolor": "#E6E6E6", "hatch": "////"}
            ax.add_patch(Rectangle((c, r), 1, 1, edgecolor="#8C8C8C", lw=0, **style))
            ink = "#000000"
        else:
            style = {"facecolor": fill, "edgecolor": "#C8C8C8", "clip_on": False}
            ax.add_patch(Rectangle((c, r), 1, 1, **style))
        if digits is None or (hidden[r, c] and texts is None):
            continue
        text = number(value, digits) if texts is None else texts[r][c]
        size = (8 if small else 10) - (2 if len(text) > digits + 4 else 0)
        label = ax.text(c + 0.5, r + 0.5, text, color=ink, size=size)
        label.set(ha="center", va="center", parse_math=False)
        if hidden[r, c]:
            label.set_bbox({"facecolor": "#E6E6E6", "lw": 0, "pad": 1})
    ax.set(xlim=(0, values.shape[1]), ylim=(values.shape[0], 0), aspect="equal")


def draw_labels(ax: Axes, rows: Sequence[str], columns: Sequence[str]) -> None:
    """Label rows at the left and columns at the top; a label is text, never TeX."""
    ax.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    for ticks, labels in ((ax.set_xticks, columns), (ax.set_yticks, rows)):
        every = -(-len(labels) // 16)  # at most 16 labels a side
        ticks(np.arange(0, len(labels), every) + 0.5, map(_short, labels[::every]))
    for label in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        label.set_parse_math(False)
        label.set_fontsize(10)
    if len(columns) > 3 and max(len(_short(c)) for c in columns) > 6:
        for label in ax.get_xticklabels():
            label.set(rotation=35, ha="left", rotation_mode="anchor")
    ax.spines[:].set_visible(False)


def _short(label: str) -> str:
    """A label that fits: at most 14 characters, and none that a font cannot draw."""
    printable = "".join(c if c.isprintable() else "�" for c in label)
    return printable if len(printable) <= 14 else printable[:13] + "…"


def _checked(values: ArrayLike, palette: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    if palette not in HUES:
        raise ValueError(f"palette must be one of {sorted(HUES)}, got {palette!r}")
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 2 or 0 in x.shape:
        raise ValueError(f"values must be a matrix (R, C), got shape {x.shape}")
    if not np.isfinite(x).all():
        raise ValueError(f"values must be finite, got {x[~np.isfinite(x)][0]}")
    return x


def _labels(given: Sequence[str] | None, count: int, name: str) -> list[str]:
    labels = [str(n + 1) for n in range(count)] if given is None else list(given)
    if len(labels) != count:
        raise ValueError(f"{name} must hold {count} labels, got {len(labels)}")
    return labels


def _new_axes(shape: tuple[int, ...]) -> Axes:
    import matplotlib.pyplot as plt

    size = (1.2 + 0.62 * shape[1], 0.7 + 0.62 * shape[0])
    axes: Axes = plt.figure(figsize=size, layout="constrained").add_subplot()
    return axes
