"""Exercises of notebook 08: the layers around attention, and Add & Norm."""

import numpy as np

from transformer_lib.oracles import numpy_reference as reference

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
        "The mean is not subtracted. Which numbers does the "
        "formula divide by the deviation?": "(x - mu) → x",
        "The rows are stretched and not shifted. What does β do?": " + beta → ",
        "The rows are shifted and not stretched. What does γ do?": "gamma * → ",
        "γ stretches β too. Which of the two comes last in the formula?": (
            "(x - mu) / np.sqrt(variance + eps) + beta → "
            "((x - mu) / np.sqrt(variance + eps) + beta)"
        ),
    },
)


def _post_norm(x: Array, W: Array, *norm: Array | float) -> Array:
    return _layer_norm(x + x @ W, *norm)  # type: ignore[arg-type]


def _pre_norm(x: Array, W: Array, *norm: Array | float) -> Array:
    return np.asarray(x + _layer_norm(x, *norm) @ W)  # type: ignore[arg-type]


#: x, W, γ, β and ε: rows that a norm changes, and a sub-layer that is not symmetric.
SUBLAYERS = (
    (
        np.array([[1.0, 2, 6], [0, 4, 2]]),
        np.array([[0.0, 1, 0], [0, 0, 2], [3, 0, 0]]),
        np.ones(3),
        np.zeros(3),
        0.5,
    ),
    (*draw(11, (4, 4), (4, 4), (4,), (4,)), 0.1),
    (*draw(12, (2, 6), (6, 6), (6,), (6,)), 1e-5),
)

post_norm = Exercise(
    solution='''def post_norm(x, W, gamma, beta, eps):
    """Put Add & Norm, as in 2017, around the sub-layer f(x) = x W; x is (T, D)."""
    weights = {"gamma": gamma, "beta": beta}
    return reference.layer_norm(x + x @ W, weights, eps)''',
    right=_post_norm,
    cases=SUBLAYERS,
    holds="First the sum, then the norm: a vector leaves with the size that γ gives. "
    "Next: a W of zeros. What is left of the layer?",
    mistakes={
        "The residual is missing: this is the norm of what the sub-layer found. "
        "What is added to that first?": "x + x @ W → x @ W",
        "The residual is added after the norm, so nothing holds the size of the sum. "
        "What goes into the norm?": (
            "reference.layer_norm(x + x @ W, weights, eps) → "
            "x + reference.layer_norm(x @ W, weights, eps)"
        ),
        "This is pre-norm: the norm stands before the sub-layer. In 2017 it stood "
        "after the addition.": (
            "reference.layer_norm(x + x @ W, weights, eps) → "
            "x + reference.layer_norm(x, weights, eps) @ W"
        ),
        "There are two norms, one before the sub-layer and one after the addition. "
        "Post-norm has only one of them.": (
            "x + x @ W → x + reference.layer_norm(x, weights, eps) @ W"
        ),
        "The norm of x is there, and the sub-layer is not. "
        "What did it find?": "x + x @ W → x",
        "What the sub-layer found multiplies x. A residual "
        "is a sum.": "x + x @ W → x * (x @ W)",
        "W is transposed. Which of its rows belongs to the first "
        "feature of x?": "x @ W → x @ W.T",
        "The norm is there without the ε that it is given. "
        "What is its third argument?": ", weights, eps) → , weights)",
        "γ and β are not used. Where do they go "
        "in?": '{"gamma": gamma, "beta": beta} → {"gamma": np.ones_like(gamma)}',
        "The rows are stretched and not shifted. What does β "
        "do?": ', "beta": beta} → }',
    },
)

pre_norm = Exercise(
    solution='''def pre_norm(x, W, gamma, beta, eps):
    """Put pre-norm around the sub-layer f(x) = x W; x is (T, D)."""
    weights = {"gamma": gamma, "beta": beta}
    return x + reference.layer_norm(x, weights, eps) @ W''',
    right=_pre_norm,
    cases=SUBLAYERS,
    holds="x itself passes unchanged from the first block to the last, and each "
    "sub-layer adds to it. Next: multiply x by 1000. How much does f still add?",
    mistakes={
        "This is post-norm: the sum is normalised. In pre-norm nothing "
        "happens to the sum.": (
            "x + reference.layer_norm(x, weights, eps) @ W → "
            "reference.layer_norm(x + x @ W, weights, eps)"
        ),
        "The residual is missing: only what the sub-layer found goes on. "
        "What is added to it?": "return x + → return",
        "The normalised x is what is added. The residual is x as it came in: "
        "which of the two paths has the norm?": (
            "return x + reference.layer_norm(x, weights, eps) @ W → "
            "y = reference.layer_norm(x, weights, eps)\n    return y + y @ W"
        ),
        "The norm stands after the sub-layer. Before which product does it belong?": (
            "reference.layer_norm(x, weights, eps) @ W → "
            "reference.layer_norm(x @ W, weights, eps)"
        ),
        "The paths are exchanged: the residual is normalised, and the sub-layer gets x "
        "as it came in. Which of them needs numbers of a known size?": (
            "x + reference.layer_norm(x, weights, eps) @ W → "
            "reference.layer_norm(x, weights, eps) + x @ W"
        ),
    },
)


def _feed_forward(x: Array, W_1: Array, b_1: Array, W_2: Array, b_2: Array) -> Array:
    parts = {"W_1.weight": W_1.T, "W_1.bias": b_1, "W_2.weight": W_2.T, "W_2.bias": b_2}
    return reference.feed_forward(x, parts)


feed_forward = Exercise(
    solution='''def feed_forward(x, W_1, b_1, W_2, b_2):
    """Widen x (T, D) by W_1 (D, F), bend it by a ReLU, narrow it by W_2 (F, D)."""
    hidden = np.maximum(x @ W_1 + b_1, 0)
    return hidden @ W_2 + b_2''',
    right=_feed_forward,
    cases=(
        (
            np.array([[1.0, -2], [3, 1]]),
            np.array([[1.0, -1, 2], [0, 1, -1]]),
            np.array([-0.5, 1, 0]),
            np.array([[1.0, 0], [0, -2], [1, 1]]),
            np.array([0.5, -1]),
        ),
        draw(13, (3, 4), (4, 8), (8,), (8, 4), (4,)),
        draw(14, (2, 2), (2, 5), (5,), (5, 2), (2,)),
    ),
    holds="Each row depends on its own token alone. Next: take the ReLU away, and find "
    "the one matrix that does the same as both.",
    mistakes={
        "Nothing bends: without an activation two matrices are one matrix. What "
        "happens to negative sums?": "np.maximum(x @ W_1 + b_1, 0) → x @ W_1 + b_1",
        "The ReLU stands after the second matrix in place of the first. Which numbers "
        "say whether a hidden unit fires?": (
            "np.maximum(x @ W_1 + b_1, 0)\n    return hidden @ W_2 + b_2 → "
            "x @ W_1 + b_1\n    return np.maximum(hidden @ W_2 + b_2, 0)"
        ),
        "There is a ReLU at the end too, so that the layer can only add positive "
        "numbers. How many activations are there?": (
            "hidden @ W_2 + b_2 → np.maximum(hidden @ W_2 + b_2, 0)"
        ),
        "The first bias comes after the ReLU. It says from which sum on a unit fires: "
        "where must it stand?": (
            "np.maximum(x @ W_1 + b_1, 0) → np.maximum(x @ W_1, 0) + b_1"
        ),
        "The first bias is missing. What decides from which "
        "sum on a unit fires?": " + b_1 → ",
        "The second bias is missing. What does the layer give where "
        "no unit fires?": " + b_2 → ",
        "The signs are exchanged: negative sums pass, and positive ones become 0. "
        "Which of them means that a unit fires?": "np.maximum → np.minimum",
        "This is GELU, which lets a little of a negative sum through. It is a good "
        "choice, but the question asks for ReLU.": (
            "np.maximum(x @ W_1 + b_1, 0) → "
            "reference.ACTIVATIONS['gelu'](x @ W_1 + b_1)"
        ),
        "The input is added. That is the residual, and it stands "
        "outside of this layer.": "return hidden → return x + hidden",
    },
)

EXERCISES = (layer_norm, post_norm, pre_norm, feed_forward)
