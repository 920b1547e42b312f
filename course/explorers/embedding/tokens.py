"""tokens: from a sentence to ids, one-hot vectors and rows of an embedding."""

import math

import numpy as np
from numpy.typing import ArrayLike

from explorable import Array, Axis, Explorer, Sheet, Style, Table
from explorable.controls import choice, text
from explorable.inputs import matrix_input, sentence_words, some_words
from transformer_lib.checks.validation import check_type
from transformer_lib.text.vocabulary import Vocabulary, tokenize

from ..operations import sinusoid

MOST_TOKENS = 10  # of a sentence
MOST_WORDS = 12  # of a vocabulary
ROOM = 36  # characters of the unknown words that are named
VIEWS = "look-up", "distances", "positions"
TEN = ("Ajish", "works", "as", "an", "AI", "Engineer", "the", "is", "a", ".")
ROWS: Style = {"palette": "scores", "vmax": 1.5, "digits": 1, "size": "small"}
ROWS["sentence"] = "feature {column} of the vector of “{row}”"


def tokens(
    sentence: str,
    vocabulary: Vocabulary | None = None,
    E: ArrayLike | None = None,
    show: str = "look-up",
) -> Explorer:
    """Show a sentence as tokens, ids, one-hot vectors and rows of an embedding.

    Args:
        sentence: 1 to 10 tokens.
        vocabulary: at most 12 words; by default ⟨SOS⟩, ⟨UNK⟩ and ten words.
        E: (V, D), one row per word; by default, stored random numbers with D = 4.
        show: "look-up", or a use of the rows: "distances", "positions".

    Returns:
        an Explorer with the controls "sentence" and "show"; E can be edited.

    Raises:
        TypeError, ValueError: the sentence cannot be read, a word is unknown to a
            vocabulary without an unknown token, or E does not have one row per word.

    Source: D2.1.1, D2.1.2, D2.1.3, D2.1.4, D3.2, D1.16.1.
    """
    known = twelve() if vocabulary is None else vocabulary
    check_type("vocabulary", known, Vocabulary)
    if len(known) > MOST_WORDS:
        raise ValueError(f"vocabulary may hold {MOST_WORDS} words, got {len(known)}")
    given = matrix_input("E", drawn(len(known)) if E is None else E)
    if len(given) != len(known):
        raise ValueError(f"E must have {len(known)} rows, got shape {given.shape}")
    controls = {
        "sentence": text("sentence", sentence, MOST_TOKENS),
        "show": choice("show", VIEWS, show),
    }
    return Explorer(
        "tokens",
        tokens_sheet,
        controls,
        {"E": given},
        vocabulary=known,
        title="From words to vectors",
        task="Type a sentence, or change a number in E.",
    )


def tokens_sheet(
    E: Array, *, sentence: str, show: str, vocabulary: Vocabulary
) -> Sheet:
    """X = O E: the one-hot vector of each token, times E, is the row of its word."""
    sentence_words(sentence, MOST_TOKENS)  # refuses what is no text, or is too long
    typed = some_words("sentence", tokenize(sentence), 1, MOST_TOKENS)
    ids = vocabulary.encode(typed)
    s = Sheet()
    token = Axis("token", vocabulary.decode(ids))
    word = Axis("word", vocabulary.words)
    one_hot = s.leaf("one_hot", token, word, vocabulary.one_hot(ids).numpy())
    embedding = s.leaf("E", word, "feature", E)
    x = s.matmul("X", one_hot, embedding)
    if show == "look-up":
        _show_ids(s, typed, ids)
        said = "1 if {column} is the id of “{row}”, else 0"
        look = {"words": ("0", "1"), "size": "slim", "sentence": said}
        look |= {"columns": [str(n) for n in range(len(word.labels))]}
        look["axes"] = ("token", "id")
        look["sources"] = ["ids"]
        s.show(one_hot, "one-hot vectors", formula="O", **look)
    if show != "positions":
        s.show(embedding, formula="one row per word", **ROWS)
    note = _conclusion(typed, ids, vocabulary) if show == "look-up" else ""
    s.show(x, formula="O · E", tracked=True, note=note, concludes=True, **ROWS)
    if show != "look-up":
        (_show_distances if show == "distances" else _show_positions)(s, x)
    return s


def _show_ids(s: Sheet, typed: list[str], ids: list[int]) -> None:
    """Show the id of each token."""
    column = Axis("", ("id",))
    table = s.leaf("ids", Axis("token", typed), column, np.array(ids)[:, None])
    look = {"digits": 0, "vmax": 1e9, "size": "small"}
    s.show(table, "ids", sentence="the id of “{row}”", **look)


def _conclusion(typed: list[str], ids: list[int], vocabulary: Vocabulary) -> str:
    """Say what row a token becomes: the unknown ones share theirs."""
    unknown = dict.fromkeys(f"“{word}”" for word in typed if word not in vocabulary)
    if not unknown:
        return f"“{typed[0]}” has the id {ids[0]}: it becomes row {ids[0]} of E"
    named = ", ".join(unknown)
    named = named if len(named) <= ROOM else named[: ROOM - 1] + "…"
    return f"{named}: unknown, so row {vocabulary.unknown_id} of E"


def _show_distances(s: Sheet, x: Table) -> None:
    """Show the cosine distance of every two rows of X."""
    sums = s.reduce("sums", s.elementwise("squares", x, ("×", x, "")), "sum")
    lengths = s.elementwise("lengths", sums, label="sum of squares", function="√")
    unit = s.elementwise("unit", x, ("÷", lengths, "the vector’s length"))
    cosine = s.matmul("cosine", unit, unit, transposed=True)
    one_less = ("×", -1.0, "−1"), ("+", 1.0, "1")
    apart = s.elementwise("distance", cosine, *one_less)
    said = "from “{row}” to “{column}”: 0 is the same direction, 2 the opposite"
    look = {"palette": "weights", "vmax": 2.0, "size": "small", "sentence": said}
    s.show(apart, "cosine distance", formula="1 − cosine", **look)


def _show_positions(s: Sheet, x: Table) -> None:
    """Show what enters the model: √D X + PE."""
    D = len(x.columns.labels)
    scaled = s.elementwise("scaled", x, ("×", math.sqrt(D), f"√{D}"))
    waves = sinusoid(s, "PE", x.rows, x.columns, 1e4)
    both = s.elementwise("input", scaled, ("+", waves, "PE"), label=f"√{D} X")
    look: Style = {"size": "small", "vmax": 3.0}
    s.show(scaled, f"√{D} X", palette="scores", **look)
    s.show(waves, formula="positional encoding", palette="position", **look)
    s.show(both, formula=f"√{D} X + PE", palette="output", tracked=True, **look)


def twelve() -> Vocabulary:
    """Return the vocabulary of ten words and two special tokens."""
    return Vocabulary(TEN, sos="⟨SOS⟩", unknown="⟨UNK⟩")


def drawn(V: int) -> Array:
    """Return an embedding (V, 4) with one decimal, the same on every call."""
    return np.random.default_rng(2).normal(scale=0.5, size=(V, 4)).round(1)
