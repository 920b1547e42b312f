"""Exercises of notebook 06: who may look at whom."""

import numpy as np
import torch

from transformer_lib.model import masks as library
from transformer_lib.oracles import numpy_reference as reference

from .exercise import Array, Exercise, draw


def _causal(n: int) -> Array:
    return np.asarray(library.causal_mask(n))


causal_mask = Exercise(
    solution='''def causal_mask(n):
    """Give the mask (n, n): True where query i may look at key j, itself or earlier."""
    i, j = np.indices((n, n))
    return j <= i''',
    right=_causal,
    cases=((3,), (1,), (5,)),
    holds="The first row looks at itself only, the last row at everything. Next: read "
    "a column. Who may look at the last token?",
    mistakes={
        "The diagonal is hidden too, so "
        "the first row may look nowhere. May a token look at itself?": "j <= i → j < i",
        "A token looks at itself and at "
        "the future. A row is a query: what may the first row see?": "j <= i → j >= i",
        "This is the opposite: True where "
        "a token may not look. What does True mean in this course?": "j <= i → j > i",
        "These are the numbers 1 and 0. Added to scores, they hide nothing. Which "
        "question about i and j has the answer True or False?": "j <= i → 1 * (j <= i)",
        "These are 0 and −∞, the form that is added to the scores. Asked "
        "for is the form with True and False.": "j <= i → np.where(j <= i, 0, -np.inf)",
    },
)


def _padding(lengths: Array, n: int) -> Array:
    return np.asarray(library.padding_mask(torch.tensor(lengths), length=n))


padding_mask = Exercise(
    solution='''def padding_mask(lengths, n):
    """Give (B, 1, 1, n): True at the real tokens, the first lengths[b] of n."""
    real = np.arange(n) < lengths[:, None]
    return real[:, None, None, :]''',
    right=_padding,
    cases=(
        (np.array([2, 4, 0]), 4),
        (np.array([3, 1, 2]), 3),
        (np.array([5]), 6),
    ),
    holds="Padding is hidden from every query of every head. Next: combine it with a "
    "causal mask by &.",
    mistakes={
        "This hides the rows of the padding: it asks nothing, but all still look at "
        "it. A column says who "
        "takes from a token: which axis are the keys?": "None, None, : → None, :, None",
        "The columns of the padding are hidden, and its rows as well: a pad may then "
        "look nowhere. Who reads what a pad takes? Is hiding that row of any use?": (
            "real[:, None, None, :] → real[:, None, None, :] & real[:, None, :, None]"
        ),
        "One token too many is open. With which number do the places begin?": "< → <=",
        "This is the "
        "opposite: True at the padding. What does True mean in this course?": "< → >=",
        "The content is right, but the shape is (B, n). With as many sentences as "
        "queries that is read as (T, S), without an error. "
        "Which axes are missing between sentence and key?": "[:, None, None, :] → ",
        "These are the numbers 1 and 0. Added to scores, "
        "they hide nothing. Asked for are True and False.": "return  → return 1 * ",
    },
)

sliding_window_mask = Exercise(
    solution='''def sliding_window_mask(n, window):
    """Give the mask (n, n): a query sees at most `window` keys, the last one itself."""
    i, j = np.indices((n, n))
    return (i - window < j) & (j <= i)''',
    right=lambda n, window: _causal(n) & ~np.tril(_causal(n), -window),
    cases=((4, 2), (6, 3), (5, 1)),
    holds="No row has more than `window` open keys, and none looks ahead. Next: how "
    "many blocks must be stacked until the last token can learn of the first?",
    mistakes={
        "The window is one key too wide. Count the open keys "
        "of the last row: the query itself is one of them.": "window < j → window <= j",
        "The window is one key too "
        "narrow. Count the open keys of the last row.": "window < j → window + 1 < j",
        "The window reaches to both sides, "
        "and so into the future. What limits j from above?": "j <= i → j < i + window",
        "This is a causal mask: nothing "
        "of the past is hidden. What limits j from below?": "(i - window < j) &  → ",
        "This is the opposite: True where a "
        "token may not look. What does True mean in this course?": "return  → return ~",
    },
)

masked_attention = Exercise(
    solution='''def masked_attention(Q, K, V, mask):
    """Attend where mask (T, S) is True. A query that may look nowhere gets zeros."""
    scores = Q @ K.T / np.sqrt(K.shape[1])
    hidden = np.where(mask, scores, -np.inf)
    return reference.softmax(hidden) @ V''',
    right=lambda *given: reference.scaled_dot_product_attention(*given)[0],
    cases=(
        (*draw(7, (3, 2), (3, 2), (3, 2)), reference.causal_mask(3)),
        (
            *draw(8, (4, 3), (5, 3), (5, 2)),
            np.array([[1, 0, 1, 0, 1], [0, 0, 0, 0, 0], [1] * 5, [0, 1, 0, 0, 0]]) > 0,
        ),
        (  # the hidden score is 900
            np.array([[1.0, 0, 0, 0]]),
            np.array([[1.0, 2, 0, 1], [0, 1, 1, 3], [1800, 0, 2, 1]]),
            np.array([[1.0, 2], [3, 4], [5, 6]]),
            np.array([[True, True, False]]),
        ),
    ),
    holds="A hidden key has no influence, however large its score. Next: change a "
    "hidden value, and see that nothing moves.",
    mistakes={
        "The mask has changed nothing. Where between "
        "the scores and the softmax does it act?": "softmax(hidden) → softmax(scores)",
        "The mask came after the softmax: the hidden keys had already taken their "
        "share, and the rows sum to less than 1. How low must a "
        "hidden score be to get no share?": "softmax(hidden) → softmax(scores) * mask",
        "The mask came after the exponentials, and each row was then divided by its "
        "sum: that fails where a hidden score is 900 and the others have nothing left. "
        "Who should not share in the softmax?": (
            "return reference.softmax(hidden) → "
            "w = reference.softmax(scores) * mask\n"
            "    return np.nan_to_num(w / w.sum(axis=1, keepdims=True))"
        ),
        "The mask came after the exponentials, and each row was then divided by its "
        "sum: 0 ÷ 0 for a query that may look nowhere, and beside a hidden score of "
        "900. Who should not share in the softmax?": (
            "return reference.softmax(hidden) → "
            "w = reference.softmax(scores) * mask\n"
            "    return w / w.sum(axis=1, keepdims=True)"
        ),
        "The mask is right, but the scores are not divided, so the weights are "
        "too sharp. What grows with d_k, and by how much?": " / np.sqrt(K.shape[1]) → ",
        "The open keys are hidden, and the hidden ones are "
        "open. True means: may look.": "mask, scores, -np.inf → mask, -np.inf, scores",
        "A large negative number was added where the mask is True. Which "
        "scores should fall?": "np.where(mask, scores, -np.inf) → scores - 1e9 * mask",
        "The mask was added as the numbers 1 and 0: open scores rise by 1, and nothing "
        "is hidden. How low "
        "must a hidden score be?": "np.where(mask, scores, -np.inf) → scores + mask",
        "The scores were multiplied by the mask. A score of 0 still gets weight. How "
        "low "
        "must a hidden score be?": "np.where(mask, scores, -np.inf) → scores * mask",
        "Right, but for a query that may look nowhere: 0 ÷ 0 gives NaN. In which rows "
        "is there nothing to divide "
        "by?": "@ V → @ V * np.where(mask.any(axis=1, keepdims=True), 1, np.nan)",
        "Right, but for a query that may look nowhere: it gets the mean of all "
        "values. If all scores are equally low, a softmax is even.": "-np.inf → -1e9",
        "Right, but for a query that may look nowhere: it looks everywhere. If all "
        "scores fall by the same amount, a softmax "
        "does not change.": "np.where(mask, scores, -np.inf) → scores - 1e9 * ~mask",
    },
)

EXERCISES = (causal_mask, padding_mask, sliding_window_mask, masked_attention)
