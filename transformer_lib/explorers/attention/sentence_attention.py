"""sentence_attention: what each word looks at, as arcs; the tables when wanted."""

import math
from collections.abc import Sequence

from numpy.typing import ArrayLike

from ...data.cat_sentence import SENTENCE, W_K, W_Q, W_V, X
from ..drawings.links import Links
from ..toolkit import Array, Axes, Axis, Explorer, Look, Sheet
from ..toolkit.controls import switch
from ..toolkit.inputs import matrix_input, token_axes, whole_number
from ..toolkit.looks import AVERAGES

#: What each word seeks (Q), offers (K) and hands over (V), made of what it is.
SEEKS, OFFERS, CARRIES = X @ W_Q, X @ W_K, X @ W_V


def sentence_attention(
    tokens: Sequence[str] = SENTENCE,
    Q: ArrayLike = SEEKS,
    K: ArrayLike = OFFERS,
    V: ArrayLike = CARRIES,
    chosen: int | None = None,
) -> Explorer:
    """A sentence whose words look at each other: arcs, and the numbers when wanted.

    Args:
        tokens: T words, at most 64.
        Q: queries (T, d_k): what each word seeks.
        K: keys (T, d_k): what each offers.
        V: values (T, d_v): what each hands over.
        chosen: the word whose arcs are shown to begin with, counted from 0; by default
            "it", or else the last one.

    Returns:
        an Explorer with the control "tables".

    Raises:
        TypeError, ValueError: a matrix is no finite matrix of numbers, shapes do not
            fit, or there is not a word per row, or no word of that number.

    Source: D1.7.1.
    """
    given = {name: matrix_input(name, x) for name, x in (("Q", Q), ("K", K), ("V", V))}
    axes = token_axes(tokens, len(given["Q"]), len(given["K"]))
    words = axes[0].labels
    if chosen is None:
        chosen = words.index("it") if "it" in words else len(words) - 1
    chosen = whole_number("chosen", chosen, 0, len(words) - 1)
    controls = {"tables": switch("show the tables", False)}
    always: Look = given | {"axes": axes, "chosen": chosen}
    return Explorer("sentence_attention", sentence_sheet, controls, **always)


def sentence_sheet(
    Q: Array, K: Array, V: Array, *, axes: Axes, chosen: int, tables: bool
) -> Sheet:
    """Weights (T, T) as arcs, and as tables scores, weights and output (T, d_v)."""
    s, (query, key) = Sheet(), axes
    q, k = s.given("Q", query, "feature", Q), s.given("K", key, "feature", K)
    root = f"√{Q.shape[1]}", math.sqrt(Q.shape[1])
    scores = s.scale("scores", s.dot("products", q, k), ("÷", *root), lead="q · k")
    weights = s.softmax("weights", scores)
    v = s.given("V", Axis("value", key.labels), "feature", V)
    output = s.mix("output", weights, v)
    arcs = Links(
        name="arcs",
        title="who looks at whom",
        formula="the wider the arc, the larger the weight",
        rows=query.labels,
        columns=key.labels,
        shares="tokens",
        arcs=True,
        chosen=chosen,
    )
    s.draw(arcs, weights.values)
    look: Look = {"shares": "tokens", "band": 1}
    if tables:
        s.show(scores, formula="Q Kᵀ ÷ √d_k", **look)
        s.show(weights, formula="softmax of each row", **look)
        s.show(output, formula="weights · V", size="small", **look | AVERAGES)
    return s
