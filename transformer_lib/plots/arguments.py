"""Checks of what several plots are given: labels and a mask."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray


def labels_or_numbers(given: Sequence[str] | None, count: int, name: str) -> list[str]:
    """The labels, by default 1, 2, ….

    Raises:
        ValueError: there are not `count` labels.
    """
    labels = [str(n + 1) for n in range(count)] if given is None else list(given)
    if len(labels) != count:
        raise ValueError(f"{name} must hold {count} labels, got {len(labels)}")
    return labels


def mask_or_none(hidden: ArrayLike | None, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Which cells are masked, by default none.

    Raises:
        ValueError: hidden has another shape.
    """
    masked = np.zeros(shape, bool) if hidden is None else np.asarray(hidden, bool)
    if masked.shape != shape:
        raise ValueError(f"hidden must have shape {shape}, got {masked.shape}")
    return masked
