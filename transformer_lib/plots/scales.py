"""Scales: round numbers along an axis, and how they are written."""

from matplotlib.ticker import MaxNLocator

from .colours import number


def ticks(scale: tuple[float, float], most: int = 5) -> list[float]:
    """About `most` round numbers between the ends of a scale."""
    low, high = scale
    found = MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    slack = 1e-9 * (high - low)
    return [float(t) for t in found if low - slack <= t <= high + slack]


def plain(value: float) -> str:
    """A number of the scale: with as many decimals as it has, at most 4."""
    text = number(value, 4)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text
