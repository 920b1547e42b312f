"""Exercises of notebook 08: the layers around attention."""

import numpy as np

from ..oracles import numpy_reference as reference
from .exercise import Array, Exercise, draw


def _layer_norm(x: Array, gamma: Array, beta: Array, eps: float) -> Array:
    return reference.layer_norm(x, {"gamma": gamma, "beta": beta}, eps)


layer_norm = Exercise(
    solution='''def layer_norm(x, gamma, beta, eps):
    """Bring each row of x (T, D) to mean 0, variance 1; then stretch and shift it."""
    mu, variance = x.mean(axis=1, keepdims=True), x.var(axis=1, keepdims=True)
    return gamma * (x - mu) / np.sqrt(variance + eps) + beta''',
    right=_layer_norm,
    cases=(
        (np.array([[1.0, 2, 6], [0, 4, 2]]), np.ones(3), np.zeros(3), 0.5),
        (*draw(8, (4, 4), (4,), (4,)), 0.1),
        (*draw(9, (2, 6), (6,), (6,)), 1e-5),
        (np.array([[2.0, 2], [1, 3]]), np.array([1.0, 2]), np.array([3.0, 0]), 1e-5),
    ),
    holds="Each token is normalised by itself, whatever the others are. Next: multiply "
    "a row by 100, and see how little its output changes.",
    mistakes={
        "Each feature is normalised over the tokens. A token should not "
        "depend on its neighbours: along which axis is the mean?": "axis=1 → axis=0",
        "One mean and one variance "
        "serve the whole matrix. Each token has its own.": "axis=1, keepdims=True → ",
        "The variance is divided "
        "by D − 1. Here it is a plain mean of squares.": "x.var( → x.var(ddof=1, ",
        "The ε is added to σ, outside of the root. To what is it "
        "added in the formula?": "np.sqrt(variance + eps) → (np.sqrt(variance) + eps)",
        "The rows are divided by the variance. Which quantity "
        "has the same unit as x?": "np.sqrt(variance + eps) → (variance + eps)",
        "The ε is missing: a row "
        "of equal numbers gives 0 ÷ 0. What keeps the root away from 0?": " + eps → ",
        "Mean 0 and variance 1 are there. "
        "What is left for γ and β to do?": "return → gamma, beta = 1, 0\n    return",
    },
)

EXERCISES = (layer_norm,)
