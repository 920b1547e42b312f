"""word_order: what attention makes of a sentence whose words change places."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ... import plots
from ...model.attention import scaled_dot_product_attention
from ...model.embedding import sinusoidal_encoding
from ...support.validation import check_number
from ..toolkit.controls import slider, text
from ..toolkit.explorer import Arrays, Explorer
from ..toolkit.inputs import sentence_words
from ..toolkit.panel import Panel
from .order_view import OrderView

MOST_WORDS = 32
D_MODEL = 4
DECIMALS = 12  # what float64 loses on the way stays far below the last of them
STRONGEST = 2.0
ROOMY = 10  # words up to which the weights have room for their numbers
CROWDED = 24  # words beyond which two squares fit side by side only if cells shrink
Matrix = NDArray[np.float64]


def word_order(
    sentence: str, order: Sequence[int] | None = None, strength: float = 0.0
) -> Explorer:
    """One layer of self-attention on a sentence, and on its words in another order.

    Args:
        sentence: 1 to 32 words.
        order: which word stands at each place, counted from 0; by default as written.
        strength: what the positional encoding is multiplied by, 0 to 2; 0 adds none.

    Returns:
        an Explorer with controls "sentence", "strength" and "order".

    Raises:
        TypeError, ValueError: the sentence is no text, is too long or has lone
            surrogates, the order is none of its words, or the strength is no such
            number.

    Source: D1.4, D1.8.4.
    """
    words = sentence_words(sentence, MOST_WORDS)
    check_number("strength", strength, 0.0, STRONGEST)  # a slider would clip it
    given = list(range(len(words))) if order is None else _places(order, len(words))
    controls = {
        "sentence": text("sentence", sentence),
        "strength": slider("add positional encoding ×", strength, 0.0, STRONGEST, 0.1),
        "order": OrderView(numbered(words), given),
    }
    controls["sentence"].observe(lambda change: _retell(controls, change.new), "value")
    return Explorer(word_order_steps, word_order_panels, controls, {})


def _retell(controls: dict[str, Any], sentence: str) -> None:
    """Hand the words to the row, before the explorer asks for their order."""
    with suppress(ValueError):  # the explorer will say why
        controls["order"].retell(numbered(sentence_words(sentence, MOST_WORDS)))


def word_order_steps(*, sentence: str, order: Sequence[int], strength: float) -> Arrays:
    """The layer's inputs, weights and outputs for both orders, and what changed.

        before = f(X + s PE),  after = f(P X + s PE),  difference = after − P before

    P puts the rows in the other order. With a strength s of 0 the difference is 0
    too: the outputs have moved with their words. It is rounded to 12
    decimals, since sums in another order differ in the 16th.

    Args:
        sentence: 1 to 32 words; n below.
        order: which word stands at each place, counted from 0.
        strength: s, 0 to 2.

    Returns:
        "x_before", "x_after", "before", "after", "difference" and "before.moved"
        (n, 4), "weights_before" and "weights_after" (n, n).

    Raises:
        TypeError, ValueError: the sentence, the order or the strength is none.
    """
    words = sentence_words(sentence, MOST_WORDS)
    n = len(words)
    check_number("strength", strength, 0.0, STRONGEST)
    X = torch.stack([word_vector(word) for word in words])  # (n, D)
    PE = sinusoidal_encoding(n, D_MODEL, dtype=torch.float64) * strength
    P = _places(order, n)
    before, weights_before = layer(X + PE)
    after, weights_after = layer(X[P] + PE)
    steps = {
        "x_before": X + PE,
        "x_after": X[P] + PE,
        "weights_before": weights_before,
        "weights_after": weights_after,
        "before": before,
        "after": after,
        "difference": (after - before[P]).round(decimals=DECIMALS),
        "before.moved": before[P],
    }
    return {name: x.numpy() for name, x in steps.items()}


def _places(order: Sequence[int], n: int) -> list[int]:
    """The order as a list, if it is one of n words."""
    if isinstance(order, str) or not isinstance(order, Iterable):
        raise TypeError(f"order must be a list of places, got {order!r}")
    given = list(order)
    whole = all(isinstance(k, int) and not isinstance(k, bool) for k in given)
    if not whole or sorted(given) != list(range(n)):
        raise ValueError(f"order must hold each of 0 to {n - 1} once, got {given}")
    return given


def layer(x: Tensor) -> tuple[Tensor, Tensor]:
    """Self-attention with one head and fixed matrices: outputs (n, D), weights (n, n).

    f(X) = attention(X W_Q, X W_K, X W_V)
    """
    W_Q, W_K, W_V = projections()
    return scaled_dot_product_attention(x @ W_Q, x @ W_K, x @ W_V)


@cache
def projections() -> Tensor:
    """W_Q, W_K and W_V as one tensor (3, D, D): drawn once, the same for ever."""
    random = np.random.default_rng(8).normal(size=(3, D_MODEL, D_MODEL))
    return torch.tensor(random * 0.8)


@lru_cache(maxsize=1024)
def word_vector(word: str) -> Tensor:
    """A word's embedding (D,): drawn at random, but always the same for a word."""
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
    return torch.tensor(np.random.default_rng(seed).normal(size=D_MODEL).round(1))


def numbered(words: Sequence[str]) -> list[str]:
    """The words, those that come more than once with a number: the₁, dog, the₂."""
    many, seen, names = Counter(words), Counter[str](), []
    for word in words:
        seen[word] += 1
        low = str(seen[word]).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
        names.append(word + low if many[word] > 1 else word)
    return names


def word_order_panels(
    arrays: Arrays, *, sentence: str, order: Sequence[int], strength: float
) -> list[Panel]:
    """Inputs, weights and outputs: as written, and beside them in the other order."""
    words = numbered(sentence_words(sentence, MOST_WORDS))
    moved = [words[n] for n in order]
    plus = f" + {plots.number(strength, 1)} PE" if strength else ""
    there, then = f"X{plus}", f"P X{plus}"
    x: dict[str, Any] = {"palette": "position", "limit": 4.0, "group": 0}
    z: dict[str, Any] = {"palette": "output", "limit": 4.0, "group": 2}
    into, out = "input of “{row}”", "output of “{row}”"
    return [
        _rows("x_before", "inputs", f"{there}, as written", words, into, x),
        _rows("x_after", "inputs", f"{then}, reordered", moved, into, x),
        _square("weights_before", "weights", "as written", words),
        _square("weights_after", "weights", "reordered", moved),
        _rows("before", "outputs", f"f({there})", words, out, z),
        _rows("after", "outputs", f"f({then})", moved, out, z),
        _change(
            f"f({then}) − P f({there})", moved, verdict(arrays["difference"], order)
        ),
    ]


def _change(formula: str, words: Sequence[str], note: str) -> Panel:
    """What of each word's output the new order has changed."""
    of = [["reordered", "after", ""], ["− as written", "before.moved", ""]]
    look: dict[str, Any] = {
        "palette": "scores",
        "limit": 1.5,
        "group": 2,
        "recipe": {"kind": "cells", "of": of, "ends": True},
        "note": note,
    }
    sentence = "change of the output of “{row}”"
    return _rows("difference", "what changed", formula, words, sentence, look)


def verdict(difference: Matrix, order: Sequence[int]) -> str:
    """What the differences say, in one line."""
    if list(order) == sorted(order):
        return "the words stand as written"
    count = int(difference.any(axis=1).sum())
    if not count:
        return "0: each word has its old output, in its new place"
    return f"{count} of {len(difference)} words have another output now"


def _rows(
    name: str,
    title: str,
    formula: str,
    words: Sequence[str],
    sentence: str,
    look: dict[str, Any],
) -> Panel:
    """One vector per word."""
    return Panel(
        name=name,
        title=title,
        formula=formula,
        rows=words,
        columns=[str(n) for n in range(D_MODEL)],
        axes=("word", "feature"),
        sentence=f"{sentence}, feature {{column}}",
        **look,
    )


def _square(name: str, title: str, formula: str, words: Sequence[str]) -> Panel:
    """The attention weights of one order."""
    return Panel(
        name=name,
        title=title,
        formula=formula,
        rows=words,
        columns=words,
        axes=("query", "key"),
        sentence="the share of its attention that “{row}” gives to “{column}”",
        size=_size(len(words)),
        group=1,
    )


def _size(words: int) -> str:
    """How large the cells are: the two orders are to be seen side by side."""
    if words <= ROOMY:
        return ""
    return "tiny" if words <= CROWDED else "minute"
