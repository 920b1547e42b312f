"""projections: each word's x times three matrices, and one score written out."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import Array, Axis, Explorer, Sheet, Style, Table, plots
from explorable.controls import one_of, told_apart
from explorable.inputs import labels, matrix_input, whole_numbers
from transformer_lib.checks.validation import brief, require

#: Each matrix of parameters, the matrix that it projects X to, and the kind of vector.
MATRICES = (("W_Q", "Q", "query"), ("W_K", "K", "key"), ("W_V", "V", "value"))
WRITTEN_OUT = 4  # terms of a score that its note shows


def projections(
    X: ArrayLike,
    W_Q: ArrayLike,
    W_K: ArrayLike,
    W_V: ArrayLike,
    tokens: Sequence[str] | None = None,
    pair: tuple[int, int] = (0, 0),
) -> Explorer:
    """Queries, keys and values of some words, and one score between two of them.

        q = x W_Q,  k = x W_K,  v = x W_V,  Score(i, j) = q_i · k_j

    Args:
        X: one row per word (n, d_model). All four matrices can be edited.
        W_Q: parameters (d_model, d_k).
        W_K: parameters (d_model, d_k).
        W_V: parameters (d_model, d_v).
        tokens: a word for each row; by default 1, 2, ….
        pair: the words i and j to start with, counted from 0.

    Returns:
        an Explorer with controls "query" and "key", which choose the pair.

    Raises:
        TypeError, ValueError: a matrix is not a finite matrix of numbers, the shapes
            do not fit, a size is above 64, the words do not match the rows, or there is
            no such pair.

    Source: D0.3.1, D1.10, D1.13, D2.3.1, D3.4.1.
    """
    given = {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V}
    inputs = {name: matrix_input(name, x) for name, x in given.items()}
    words = labels("tokens", tokens, len(inputs["X"]))
    chosen = whole_numbers("pair", pair, 0, len(words) - 1)
    require(len(chosen) == 2, "pair", "hold two numbers", brief(pair))
    i, j = chosen
    controls = {n: one_of(n, words, at) for n, at in (("query", i), ("key", j))}
    axis = Axis("token", words)
    made = projections_sheet
    return Explorer(
        "projections",
        made,
        controls,
        inputs,
        axis=axis,
        title="From words to queries, keys and values",
        task="Edit X or one of the three matrices, and follow one score.",
    )


def projections_sheet(
    X: Array,
    W_Q: Array,
    W_K: Array,
    W_V: Array,
    *,
    axis: Axis,
    query: str,
    key: str,
) -> Sheet:
    """Compute Q, K (n, d_k), V (n, d_v) and scores (n, n), one of them written out."""
    s = Sheet()
    each = told_apart(axis.labels)
    i, j = each.index(query), each.index(key)
    x = s.leaf("X", axis, "feature", X)
    made = [
        _project(s, x, W, names)
        for W, names in zip((W_Q, W_K, W_V), MATRICES, strict=True)
    ]
    q, k, _ = made
    both = _only(x, i) | _only(x, j)  # X comes last: each X W stands below its W
    s.show(x, formula="one row per word", outlined=both, size="small")
    outlines = _only(q, i), _only(k, j), None
    for vectors, names, outlined in zip(made, MATRICES, outlines, strict=True):
        _show_vectors(s, vectors, names, outlined)
    scores = s.matmul("scores", q, k, transposed=True)
    look: Style = {"formula": "QKᵀ", "note": _sum(q, k, i, j), "group": 1}
    look |= {"outlined": _only(scores, i, j), "leads": True, "opens": i}
    s.show(scores, **look)
    return s


def _project(s: Sheet, x: Table, W: Array, names: tuple[str, str, str]) -> Table:
    """Show a matrix of parameters, and return X times it."""
    name, made, kind = names
    into = Axis.numbered(f"feature of {made.lower()}", W.shape[1])
    w = s.leaf(name, Axis("feature of x", x.columns.labels), into, W)
    look: Style = {"formula": f"projects X to {made}", "palette": kind, "size": "small"}
    s.show(w, longest=_longest(x), **look)
    product = s.matmul(made, x, w, columns=Axis("feature", into.labels))
    return s.revise(product, rows=Axis(kind, x.rows.labels))


def _show_vectors(
    s: Sheet,
    vectors: Table,
    names: tuple[str, str, str],
    outlined: NDArray[np.bool_] | None,
) -> None:
    """Show X times a matrix, with its chosen row."""
    name, _, kind = names
    said = f"{kind} of “{{row}}”, feature {{column}}: its row of X times {name}"
    look: Style = {"formula": f"X {name}", "palette": kind, "size": "small"}
    look |= {"group": 1, "longest": _longest(vectors), "outlined": outlined}
    s.show(vectors, sentence=said, **look)


def _longest(words: Table) -> str:
    """Return the label that a matrix and X times it have room for, columns aligned."""
    return max(words.rows.labels, key=len)


def _only(table: Table, *place: int) -> NDArray[np.bool_]:
    """Return True in one row, or in one cell of it, and False elsewhere."""
    where = np.zeros(table.values.shape, dtype=np.bool_)
    where[place] = True
    return where


def _sum(q: Table, k: Table, i: int, j: int) -> str:
    """Write out the terms of q_i · k_j, or only their number if there are many."""
    asks, answers = (plots.short(x.rows.labels[n]) for x, n in ((q, i), (k, j)))
    pairs = list(zip(q.values[i], k.values[j], strict=True))
    total = plots.plain(round(sum(x * y for x, y in pairs), 2))
    each = [[plots.plain(round(x, 2)) for x in pair] for pair in pairs]
    terms = " + ".join(map(" · ".join, each))
    if len(pairs) > WRITTEN_OUT:
        terms = f"sum of {len(pairs)} terms"
    return f"Score({asks}, {answers}) = {terms} = {total}"
