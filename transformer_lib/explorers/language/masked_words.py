"""masked_words: one word of a sentence is hidden, and a small BERT guesses it."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal, get_args

import numpy as np

from ...checks.validation import require
from ...data.grammar_sentences import EOS, MOST_WORDS, SOS, read
from ...data.masked_words import MASK, VOCABULARY
from ...model.masks import causal_mask
from ...small_models.language import bert
from ..drawings.bars import Bars
from ..generation.choices import likeliest
from ..toolkit import Axis, Explorer, Look, Sheet
from ..toolkit.controls import choice, text, whole
from ..toolkit.inputs import sentence_words

Sides = Literal["the left alone", "both sides"]
SIDES = get_args(Sides)
ROOMY = 12  # words up to which cells are large


def masked_words(
    sentence: str = "the cat sits on the mat which is soft",
    *,
    hidden: int = 6,
    sees: Sides = SIDES[0],
) -> Explorer:
    """Hide a word of a sentence, and see what a model takes it for.

    The models are those of `small_models.language.bert`: one has learned to look at
    both sides of a hidden word, the other to look at its left alone.

    Args:
        sentence: up to 16 words of the tiny English; capitals and a full stop do not
            matter.
        hidden: which of its words is hidden, from 1.
        sees: "the left alone" or "both sides".

    Returns:
        an Explorer with controls "sentence", "hidden" and "sees"; a click on a word
        hides it. Its values: "sees" (1, T), 1 where the model may look, and "guess"
        (8, 1), how likely words are to be hidden: seven, and all others.

    Raises:
        TypeError, ValueError: the sentence cannot be read, it has no such word, or
            there are no such sides.

    Source: Devlin et al. (2019), §3.1.
    """
    controls = {
        "sentence": text("sentence", sentence, MOST_WORDS, at_once=False, room=60),
        "hidden": whole("hidden word", hidden, 1, MOST_WORDS, "hidden"),
        "sees": choice("the model sees", SIDES, 9, sees, "sees"),
    }
    return Explorer("masked_words", masked_words_sheet, controls)


@lru_cache(maxsize=32)  # what the reader holds is the reader's own: see `Explorer`
def masked_words_sheet(*, sentence: str, hidden: int, sees: Sides) -> Sheet:
    """What of the sentence may be seen, and how likely words are to be hidden."""
    words = words_of(sentence, hidden)
    right = sees == "both sides"
    masked = [*words]
    masked[hidden - 1] = MASK
    guess = bert.fill_in(bert.trained(right=right), " ".join(masked), right=right)
    s = Sheet()
    show_masked(s, words, hidden, right=right)
    draw_guess(s, guess, words[hidden - 1], "how likely the model finds each word")
    return s


def words_of(sentence: str, hidden: int) -> list[str]:
    """Split a sentence that has a word to be hidden.

    Raises:
        TypeError, ValueError: it cannot be read, or has no such word.
    """
    given = sentence_words(sentence, MOST_WORDS)
    try:
        _, *words = read(given)
    except ValueError as error:
        raise ValueError(f"sentence must be of the tiny English: {error}") from None
    there = hidden <= len(words)
    require(there, "hidden", f"be 1 to {len(words)}, one of the words", hidden)
    return words


def show_masked(s: Sheet, words: Sequence[str], hidden: int, *, right: bool) -> None:
    """Show which words may be seen from the place of the one that is hidden."""
    T = len(words)
    place = hidden - 1
    open_ = np.ones(T, dtype=bool) if right else causal_mask(T)[place].numpy()
    shown = [MASK if n == place else word for n, word in enumerate(words)]
    seen = s.given("sees", Axis("", ("it sees",)), Axis("", shown), open_[None])
    look: Look = {"words": ("", "✓"), "hidden": ~open_[None], "veil": "no"}
    look |= {"outlined": np.arange(T)[None] == place, "limit": 4.0, "size": "large"}
    if T > ROOMY:
        look["size"] = "small"
    look["sentence"] = "“{column}”, seen from the place of the hidden word"
    look["chooses"] = ("hidden", range(1, T + 1))
    formula = f"“{words[place]}” is hidden behind {MASK} · click a word to hide it"
    note = f"the model reads {SOS} before these words and {EOS} after them"
    s.show(seen, "what the model reads", formula=formula, note=note, **look)


def draw_guess(s: Sheet, guess: Mapping[str, float], word: str, formula: str) -> None:
    """Draw how likely words are to be hidden, the one that stood there marked."""
    p = np.array([guess[w] for w in VOCABULARY.words])
    [own] = VOCABULARY.encode([word])
    labels, values = likeliest([p], VOCABULARY.words, own)
    drawing = Bars(
        name="guess",
        title="the hidden word",
        formula=formula,
        palette="output",
        labels=labels,
        sentence="how likely to be hidden: {label}",
        note=f"✓ stood there · {len(p)} words are known",
    )
    s.draw(drawing, values)
