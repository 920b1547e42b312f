"""The visual language, defined once: colors, how strongly, how a number is written.

The views receive all of this from here.
"""

from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
#: "Blue asks, orange answers, green is handed over": role → color on a light page.
HUES = {
    "query": "#0072B2",
    "key": "#D55E00",
    "value": "#009E73",
    "output": "#CC79A7",
    "position": "#56B4E9",
    "weights": "#6A3FA0",
    "scores": "#6A3FA0",
    "reference": "#8C8C8C",  # what others are compared with
    "negative": "#5C2C00",  # of a cell below 0, whatever its table's hue
}
PAPER = {"light": "#FFFFFF", "dark": "#1E1E1E"}
INK = "#1F1F1F"  # of words around a picture
QUIET = "#5A5A5A"  # of rules around it
STEPS = 20  # shades from the page's background to the full hue
UNSHADED = 1e6  # a `vmax` for numbers that no shade should compare


def _rgb(color: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)], dtype=np.float64)


def _mix(a: str, b: str, share: float) -> str:
    """The color a share of the way from a to b."""
    r, g, b_ = (round(float(x)) for x in _rgb(a) * (1 - share) + _rgb(b) * share)
    return f"#{r:02X}{g:02X}{b_:02X}"


def luminance(color: str) -> float:
    """Relative luminance of "#RRGGBB", 0 to 1 (WCAG 2.2)."""
    c = _rgb(color) / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(a: str, b: str) -> float:
    """Contrast ratio of two colors, 1 to 21 (WCAG 2.2)."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@cache
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


def steps_of(values: ArrayLike, vmax: float) -> NDArray[np.int64]:
    """How strongly numbers are colored: |value| as a share of vmax, in STEPS."""
    size = np.abs(np.asarray(values, dtype=np.float64))
    if vmax <= 0:
        return np.zeros(size.shape, dtype=np.int64)
    share = np.minimum(1.0, np.where(np.isnan(size), 0.0, size) / vmax)
    return np.floor(STEPS * share + 0.5).astype(np.int64)  # as the page does


def step_of(value: float, vmax: float) -> int:
    """How strongly a number is colored, 0 … STEPS."""
    return int(steps_of(value, vmax))


def number(value: float, digits: int = 2) -> str:
    """Write a number as every picture of the course does: rounded half up, true minus.

    From 1,000 on it has a comma, and from 10,000 on the scientific form keeps it
    narrow. The views' JavaScript writes the same characters.

    Args:
        value: any number; NaN and the infinities write their names, NaN, ∞ and −∞.
        digits: decimals, 0 … 6.
    """
    if not np.isfinite(value):
        return "NaN" if np.isnan(value) else "∞" if value > 0 else "−∞"
    exact = Decimal(float(value))
    if abs(exact) >= 10_000:
        last = Decimal(1).scaleb(exact.adjusted() - 2)
        text = f"{exact.quantize(last, ROUND_HALF_UP):.2e}".replace("e+", "e")
    else:
        text = f"{exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):,f}"
    if not text.strip("-0."):
        text = text.lstrip("-")
    return text.replace("-", "−")


def power_of_ten(power: int) -> str:
    """Write 10⁻⁵ for −5."""
    return f"10{str(power).translate(RAISED)}"


def scientific(text: str) -> str:
    """Write a number as a page has it: 6 · 10⁻⁸ for 6e-08, and 10⁻⁵ for 1e-05."""
    digits, _, power = text.partition("e")
    if not power:
        return text
    raised = power_of_ten(int(power))
    return raised if digits == "1" else f"{digits} · {raised}"


def is_nothing(text: str) -> bool:
    """Whether a number is written as 0, 0.0 or 0.00: it is set in a pale ink."""
    return text.strip("0.") == "" and "0" in text
