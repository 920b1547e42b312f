"""What every plot is given: labels, a mask, and Axes to draw in."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

Mask = np.ndarray[Any, np.dtype[np.bool_]]


def short(label: str) -> str:
    """A label that fits: at most 14 characters, and none that a font cannot draw."""
    printable = "".join(c if c.isprintable() else "�" for c in label)
    return printable if len(printable) <= 14 else printable[:13] + "…"


def given_labels(given: Sequence[str] | None, count: int, name: str) -> list[str]:
    """The labels, or 1, 2, … if none are given; as many as there are to be."""
    labels = [str(n + 1) for n in range(count)] if given is None else list(given)
    if len(labels) != count:
        raise ValueError(f"{name} must hold {count} labels, got {len(labels)}")
    return labels


def given_mask(hidden: ArrayLike | None, shape: tuple[int, ...]) -> Mask:
    """Which cells are masked: none if nothing is given.

    Raises:
        ValueError: hidden has another shape.
    """
    masked = np.zeros(shape, bool) if hidden is None else np.asarray(hidden, bool)
    if masked.shape != shape:
        raise ValueError(f"hidden must have shape {shape}, got {masked.shape}")
    return masked


def new_axes(across: float, down: float) -> Axes:
    """A new figure's Axes, the figure being so many inches across and down."""
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(across, down), layout="constrained")
    axes: Axes = figure.add_subplot()
    return axes
