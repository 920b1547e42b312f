"""Exercises of notebook 03: the order of words, and the waves."""

import numpy as np

from transformer_lib.oracles import numpy_reference as reference

from .exercise import Array, Exercise, draw

sinusoidal_encoding = Exercise(
    solution='''def sinusoidal_encoding(length, d_model):
    """Give the table of waves (length, d_model), d_model even: sin, cos, sin, cos, …"""
    p, column = np.indices((length, d_model))
    angles = p / 10000 ** (column // 2 * 2 / d_model)
    return np.where(column % 2 == 0, np.sin(angles), np.cos(angles))''',
    right=reference.sinusoidal_encoding,
    cases=((3, 4), (6, 8), (1, 2), (9, 6)),
    holds="Position 0 gives 0, 1, 0, 1, …, and each pair turns more slowly than the "
    "pair before. Next: what turns one row into the row k places further on.",
    mistakes={
        "Sine and cosine have changed places. "
        "At position 0, which of the two is 0, and in which columns?": "== 0 → == 1",
        "The sines fill the first half of the columns, the cosines the second. Is "
        "column 1 of the form 2i, or 2i + 1?": (
            "angles = → "
            "column = column * 2 % d_model + column * 2 // d_model\n    angles ="
        ),
        "The two columns of a pair have different angles, and the waves slow down "
        "too early: i has counted all columns. How many pairs are "
        "there?": "column // 2 * 2 → column * 2",
        "Each column has an angle of its own, but the two columns of "
        "a pair share one i. Which i belongs to column 3?": "column // 2 * 2 → column",
        "The waves slow down half as much as they should. Which "
        "number stands before the i in the exponent?": "column // 2 * 2 → column // 2",
        "The waves get faster from left to right, and should "
        "get slower. Is the position divided by the power?": "p / 10000 → p * 10000",
        "The first row is that of position 1. With "
        "which number do positions begin?": "p / 1 → (p + 1) / 1",
    },
)


def _further(pe: Array, k: int) -> Array:
    """Find the positions of the rows in the table, and read it k places further on."""
    table = reference.sinusoidal_encoding(64, pe.shape[1])
    p = int(np.abs(table - pe[0]).sum(axis=1).argmin())
    return table[p + k : p + k + len(pe)]


def _rows(p: int, length: int, d_model: int) -> Array:
    return reference.sinusoidal_encoding(p + length, d_model)[p:]


rotate = Exercise(
    solution='''def rotate(pe, k):
    """Turn the rows PE(p), (length, d_model), into the rows PE(p + k)."""
    angles = k / 10000 ** (np.arange(0, pe.shape[1], 2) / pe.shape[1])
    sin, cos = pe[:, 0::2], pe[:, 1::2]
    new_sin = sin * np.cos(angles) + cos * np.sin(angles)
    new_cos = cos * np.cos(angles) - sin * np.sin(angles)
    return np.stack([new_sin, new_cos], axis=-1).reshape(pe.shape)''',
    right=_further,
    cases=((_rows(1, 1, 4), 2), (_rows(5, 4, 8), 3), (_rows(9, 3, 6), -4)),
    holds="One rotation for each k leads from every position p to p + k. Next: a query "
    "that is turned in this way looks for a key k places away.",
    mistakes={
        "The pairs turn backwards: this is PE(p − k). Write "
        "down sin(a + b) and cos(a + b). Which of them has a minus?": "k /  → -k / ",
        "Every pair turns by the same "
        "angle. How far does a slow pair turn in one step?": "k / 10000 ** → k + 0 *",
        "The new cosines are made from the new sines, but both need the old "
        "ones. Are the old ones still there when you need them?": "- sin → - new_sin",
        "PE(k) has been added. A sum of two rows is longer than a row of the table. "
        "What keeps the length of a pair?": (
            "return → "
            "new_sin, new_cos = sin + np.sin(angles), cos + np.cos(angles)\n    return"
        ),
        "The rows have moved, and their numbers are the same. PE(p + k) has new "
        "numbers, in the place "
        "of PE(p).": "np.stack([new_sin, new_cos], axis=-1) → np.roll(pe, -k, axis=0)",
    },
)

put_back = Exercise(
    solution='''def put_back(Z, order):
    """Z (n, d) is what attention gives for X[order]. Give what it gives for X."""
    back = np.empty_like(Z)
    back[order] = Z
    return back''',
    right=lambda Z, order: Z[np.argsort(order)],
    cases=(
        (np.array([[1.0, 5], [2, 6], [3, 7]]), np.array([1, 2, 0])),
        (*draw(3, (5, 4)), np.array([0, 4, 2, 3, 1])),
        (*draw(4, (4, 4)), np.array([2, 0, 3, 1])),
    ),
    holds="Attention is permutation-equivariant: another order of the words gives the "
    "same rows in that order. Next: what makes the rows themselves differ.",
    mistakes={
        "The rows were put into that order once more. This is right for a swap of two "
        "words. Where did row 0 of Z come from?": "back[order] = Z → back = Z[order]",
        "Z came back as it was. It has the same rows, but attention is equivariant, "
        "not invariant: in which order do the rows stand?": "return back → return Z",
        "The features have moved, and the "
        "words should. Which axis of Z are the words?": "back[order] → back[:, order]",
    },
)

EXERCISES = (sinusoidal_encoding, rotate, put_back)
