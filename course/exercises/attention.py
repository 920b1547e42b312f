"""Exercises of notebook 05: softmax, and scaled dot-product attention."""

import numpy as np

from transformer_lib.oracles import numpy_reference as reference

from .exercise import Array, Exercise, draw


def _averages(parts: Array, V: Array) -> Array:
    return np.stack([np.average(V, axis=0, weights=row) for row in parts])


weighted_average = Exercise(
    solution='''def weighted_average(parts, V):
    """Mix values V (S, d_v) by each row of parts (T, S): 1, 3, 6 mean 0.1, 0.3, 0.6."""
    weights = parts / parts.sum(axis=1, keepdims=True)
    return weights @ V''',
    right=_averages,
    cases=(
        (np.array([[1.0, 3, 6], [2, 2, 4]]), np.array([[1.0, 2], [3, 4], [5, 6]])),
        (np.abs(draw(5, (3, 3))[0]), *draw(6, (3, 3))),
        (np.abs(draw(7, (2, 5))[0]), *draw(8, (5, 4))),
    ),
    holds="Each output lies between the smallest and the largest value, since its "
    "weights sum to 1. Next: where the parts come from.",
    mistakes={
        "The parts are not weights yet: 1, 3, 6 count "
        "ten values. What should the weights of a row sum to?": "weights @ → parts @",
        "The parts of each column share out 1, but "
        "each row should. Does a row mix the values, or a column?": "axis=1 → axis=0",
        "These are the weights, and they are right. What do they mix?": " @ V → ",
        "The totals of the rows were laid along the columns. Print their "
        "shape: is it a column, with one total for each row?": ", keepdims=True → ",
        "These weights are a softmax of the parts. But parts are not scores: "
        "6 parts count twice as much as 3.": "weights @ → reference.softmax(parts) @",
    },
)

softmax = Exercise(
    solution='''def softmax(scores):
    """Turn each row of the scores (T, S) into weights that sum to 1."""
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)''',
    right=reference.softmax,
    cases=(
        (np.array([[2.0, 1, 0.5], [1, 3, -0.25]]),),
        draw(5, (3, 3)),
        (np.array([[1000.0, 1001, 999], [0, 2, 1]]),),
        draw(6, (1, 4)),
        (np.array([[0.0, 1000]]),),
        (np.array([[-1000.0, 1000]]),),
    ),
    holds="Every row sums to 1, and even scores of 1000 give finite weights. Next: let "
    "these weights mix the values.",
    mistakes={
        "Every column sums "
        "to 1, but every row should. Which axis runs along one row?": "axis=1 → axis=0",
        "All weights together sum to 1. Each row shares out "
        "1 of its own: over what must the total be taken?": "axis=1, keepdims=True → ",
        "Every number is positive, but the rows do not sum to 1 yet. How do the parts "
        "1, 3, 6 become shares?": "e / e.sum(axis=1, keepdims=True) → np.exp(scores)",
        "The scores themselves are shared out, so a negative score gets a negative "
        "weight. What makes every number positive?": "e / e.sum → scores / scores.sum",
        "Right for small scores, but a score of 1000 gives NaN: its exponential is "
        "larger than any number a computer holds. Which number can be taken away from "
        "a whole "
        "row, so that no weight changes?": " - scores.max(axis=1, keepdims=True) → ",
        "The totals of the rows were laid along the columns. Print their shape: is "
        "it a column, with one total for each row?": (
            "e / e.sum(axis=1, keepdims=True) → "
            "np.exp(scores) / np.exp(scores).sum(axis=1)"
        ),
    },
)

attention = Exercise(
    solution='''def attention(Q, K, V):
    """Give the output (T, d_v) for queries (T, d_k), keys (S, d_k), values (S, d_v)."""
    scores = Q @ K.T / np.sqrt(K.shape[1])
    return reference.softmax(scores) @ V''',
    right=lambda Q, K, V: reference.scaled_dot_product_attention(Q, K, V)[0],
    cases=(
        (
            np.array([[1.0, 0], [0, 2]]),
            np.array([[1.0, 0], [0, 1], [1, 1]]),
            np.array([[1.0, 2], [3, 4], [5, 6]]),
        ),
        draw(5, (3, 4), (5, 4), (5, 2)),
        draw(6, (3, 3), (3, 3), (3, 3)),
    ),
    holds="This is the formula that the library runs: softmax(QKᵀ / √d_k) V. Next: "
    "change one query, and see which rows of the output follow.",
    mistakes={
        "The scores are not divided, so the weights are "
        "too sharp. What grows with d_k, and by how much?": " / np.sqrt(K.shape[1]) → ",
        "The scores are divided by d_k, not by √d_k, so the weights are too even. What "
        "is the spread of a sum of d_k products?": "np.sqrt(K.shape[1]) → K.shape[1]",
        "The scores are divided by the root of the number "
        "of queries. Over which size does a dot product sum?": "K.shape[1] → len(Q)",
        "The scores are divided by the root of the number "
        "of keys. Over which size does a dot product sum?": "K.shape[1] → len(K)",
        "The scores are multiplied by "
        "√d_k, so they grow instead of shrinking. Look at the brackets.": "/ np → * np",
        "The softmax ran along the columns: each "
        "key shares out 1. Each query should.": "softmax(scores) → softmax(scores.T).T",
        "Keys ask and queries answer here: rows and columns of the scores are "
        "exchanged. Whose row is it, and which vectors fill its columns?": (
            "Q @ K.T → K @ Q.T"
        ),
        "The weights are divided, so their rows no longer sum to 1. Which numbers "
        "should be smaller, and before which step?": (
            " / np.sqrt(K.shape[1])\n    return reference.softmax(scores) → "
            "\n    return reference.softmax(scores) / np.sqrt(K.shape[1])"
        ),
        "The keys are not transposed, which fits only where there are "
        "as many keys as features. A score is row i of Q with row j of K.": "K.T → K",
        "The softmax came last, over the mixed values. It turns scores into weights: "
        "what must be "
        "there before anything is mixed?": "softmax(scores) @ V → softmax(scores @ V)",
        "The scores themselves mix the values, and their rows "
        "do not sum to 1. Which step is missing?": "reference.softmax(scores) → scores",
        "These are the scaled scores. "
        "Two of the four steps are missing.": "reference.softmax(scores) @ V → scores",
        "These are the weights, "
        "and they are right. The last step uses them to mix the values.": " @ V → ",
    },
)

EXERCISES = (weighted_average, softmax, attention)
