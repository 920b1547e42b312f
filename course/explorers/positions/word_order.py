"""word_order: the output of attention when the words of a sentence are reordered."""

import hashlib
from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np
import torch
from torch import Tensor

from explorable import Array, Axis, Explorer, Sheet, Style, Table, plots
from explorable.controls import slider, switch, text
from explorable.drawings.links import AttentionLinks
from explorable.inputs import sentence_words, whole_numbers
from explorable.style import SHARES
from transformer_lib.checks.validation import brief, require
from transformer_lib.model.attention import scaled_dot_product_attention
from transformer_lib.model.embedding import sinusoidal_encoding

from ..drawings.order import OrderView

MOST_WORDS = 32
D_MODEL = 4
LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
FULL = 4.0  # of an output, at every strength
DECIMALS = 12  # rounding errors of float64 stay far below the last of them
ADDED = "add positional encoding ×"
ORDERS = {"before": "as written", "after": "reordered"}


def word_order(
    sentence: str, order: Sequence[int] | None = None, strength: float = 0.0
) -> Explorer:
    """Show one layer of self-attention on a sentence, and on its words reordered.

    Args:
        sentence: 1 to 32 words.
        order: which word is at each position, counted from 0; by default as written.
        strength: what the positional encoding is multiplied by, 0 to 2; 0 adds none.

    Returns:
        an Explorer with controls "sentence", "strength", "order" and "tables".

    Raises:
        TypeError, ValueError: the sentence is no text, is too long or has lone
            surrogates, the order is none of its words, or the strength is no such
            number.

    Source: D1.4, D1.8.4.
    """
    words = sentence_words(sentence, MOST_WORDS)
    given = list(range(len(words))) if order is None else _places(order, len(words))
    controls = {
        "sentence": text("sentence", sentence, MOST_WORDS, room=20),
        "strength": slider(ADDED, strength, 0.0, 2.0, 0.1, "strength"),
        "tables": switch("show the tables", False),
        "order": OrderView(numbered(words), given),
    }
    return Explorer(
        "word_order",
        word_order_sheet,
        controls,
        title="One layer of attention, two orders",
        task="Drag the words into a different order. What happens to their outputs?",
    )


def word_order_sheet(
    *, sentence: str, order: Sequence[int], strength: float, tables: bool = False
) -> Sheet:
    """Show where words went, their outputs and what changed; on demand, both layers.

        before = f(X + s PE),  after = f(P X + s PE),  difference = after − P before

    P puts the rows in the new order. With a strength s of 0 the difference is 0 too:
    the outputs have moved with their words. It is rounded to 12 decimals, since sums in
    a different order differ in the 16th.
    """
    words = sentence_words(sentence, MOST_WORDS)
    names = numbered(words)
    s = Sheet()
    s.control("order", words=names)
    as_many = len(order) == len(words)  # else it is of the sentence before
    P = _places(order, len(words)) if as_many else list(range(len(words)))
    X = torch.stack([word_vector(word) for word in words])  # (n, D)
    PE = sinusoidal_encoding(len(words), D_MODEL, dtype=torch.float64) * strength
    plus = f" + {float(strength)} PE" if strength else ""
    there = f"X{plus}"
    then = f"P X{plus}"
    moved = [names[n] for n in P]
    before = _layer(s, "before", X + PE, names, there, tables=tables)
    after = _layer(s, "after", X[P] + PE, moved, then, tables=tables)
    old = s.pick("before.moved", before, after.rows, P)
    less = "−", old, ORDERS["before"]
    name = ORDERS["after"]
    change = s.elementwise("difference", after, less, label=name, decimals=DECIMALS)
    first = next((n for n, old in enumerate(P) if n != old), -1)  # that has moved
    changed = [bool(row.any()) for row in change.values]
    ways = AttentionLinks(
        name="moves",
        title="outputs",
        formula=f"f({there}) → f({then})",
        palette="output",
        rows=names,
        columns=moved,
        axes=(ORDERS["before"], ORDERS["after"]),
        all_of_it="Each line leads from a word’s old position to its new one.",
        features=[str(n) for n in range(1, D_MODEL + 1)],
        vmax=FULL,
        sayings=_sayings(names, P, changed),
        note=_conclusion(change.values, P),
        concludes=True,
        chosen=P[first] if first >= 0 else -1,
        shares="moved words",
    )
    s.keep("moves.rows", before.values)
    s.keep("moves.columns", after.values)
    s.draw(ways, np.eye(len(P))[:, P])
    look: Style = {"palette": "scores", "vmax": 1.5, "shares": "moved words"}
    look |= {"leads": True, "opens": first, "size": "small"}
    look |= {"formula": f"f({then}) − P f({there})"}
    said = "change of the output of “{row}”, feature {column}"
    s.show(change, "what changed", sentence=said, **look)
    return s


def _layer(
    s: Sheet,
    side: str,
    x: Tensor,
    words: Sequence[str],
    formula: str,
    *,
    tables: bool,
) -> Table:
    """Return the outputs f(X) = attention(X W_Q, X W_K, X W_V).

    The `tables` of its inputs and its weights are shown or not.
    """
    word, query, key = (Axis(name, words) for name in ("word", "query", "key"))
    output, weights = scaled_dot_product_attention(*(x @ W for W in projections()))
    inputs = s.leaf(f"x_{side}", word, "feature", x)
    shares = s.leaf(f"weights_{side}", query, key, weights)
    outputs = s.leaf(side, word, "feature", output)
    order = ORDERS[side]
    if tables:
        look: Style = {"vmax": FULL, "formula": f"{formula}, {order}", "band": 1}
        look["sentence"] = "input of “{row}”, feature {column}"
        s.show(inputs, "inputs", palette="position", **look)
        many = len(words)  # so small that the weights fit side by side
        size = "" if many <= 10 else "tiny" if many <= 24 else "minute"
        s.show(shares, "weights", formula=order, size=size, band=1, group=1, **SHARES)
    return outputs


def _conclusion(difference: Array, order: Sequence[int]) -> str:
    """Sum up the differences in one line."""
    if list(order) == sorted(order):
        return "No word has moved yet."
    n = len(difference)
    if not (count := int(difference.any(axis=1).sum())):
        return f"0 of {n} outputs have changed: each has moved with its word."
    most = plots.number(np.abs(difference).max())
    return f"{count} of {n} outputs have changed, by up to {most}."


def _sayings(
    names: Sequence[str], order: Sequence[int], changed: Sequence[bool]
) -> list[str]:
    """Say of each word where it went, and whether its output has changed."""
    said = []
    for old, name in enumerate(names):
        new = order.index(old)
        went = f"went from position {old} to {new}" if new != old else f"stays at {old}"
        now = "has changed" if changed[new] else "is the same"
        said.append(f"“{name}” {went}: its output {now}.")
    return said


def _places(order: Sequence[int], n: int) -> list[int]:
    """The order as a list, if it is one of n words."""
    given = whole_numbers("order", order, 0, n - 1)
    once = sorted(given) == list(range(n))
    require(once, "order", f"hold each of 0 to {n - 1} once", brief(given))
    return given


@cache
def projections() -> Tensor:
    """W_Q, W_K and W_V as one tensor (3, D, D): drawn once, and always the same."""
    random = np.random.default_rng(8).normal(size=(3, D_MODEL, D_MODEL))
    return torch.tensor(random * 0.8)


@lru_cache(maxsize=1024)
def word_vector(word: str) -> Tensor:
    """A word's embedding (D,): random, but always the same for a word."""
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
    return torch.tensor(np.random.default_rng(seed).normal(size=D_MODEL).round(1))


def numbered(words: Sequence[str]) -> list[str]:
    """The words; those that occur more than once have a number: the₁, dog, the₂."""
    nth = [str(words[:n].count(w)).translate(LOWERED) for n, w in enumerate(words, 1)]
    return [w + n * (words.count(w) > 1) for w, n in zip(words, nth, strict=True)]
