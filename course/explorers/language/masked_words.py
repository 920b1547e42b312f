"""masked_words: one word of a sentence is hidden, and a small BERT guesses it."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np

from explorable import Axis, Explorer, Sheet, Style, plots
from explorable.controls import choice, text, whole
from explorable.drawings.bars import Bars
from explorable.inputs import sentence_words
from transformer_lib.model.masks import causal_mask

from ...data.grammar import every_word
from ...data.grammar_sentences import MOST_WORDS, read
from ...data.masked_words import MASK, VOCABULARY
from ...data.pairs import EOS, SOS
from ...models import bert
from ..generation.choices import SHOWN, most_likely

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

    The models are those of `models.bert`: one has learned to look at
    both sides of a hidden word, the other to look at its left alone.

    Args:
        sentence: up to 16 words of the tiny English; capitals and a full stop do not
            matter.
        hidden: which of its words is hidden, from 1.
        sees: "the left alone" or "both sides".

    Returns:
        an Explorer with controls "sentence", "hidden" and "sees"; a click on a word
        hides it. Its values: "sees" (1, T), 1 where the model may look, and "guess"
        (8, 1), how likely each is the hidden word: seven words, and all others.

    Raises:
        TypeError, ValueError: the sentence cannot be read, it has no such word, or
            there are no such sides.

    Source: Devlin et al. (2019), §3.1.
    """
    controls = hiding(sentence, hidden)
    controls["sees"] = choice("the model sees", SIDES, sees, "sees")
    return Explorer(
        "masked_words",
        masked_words_sheet,
        controls,
        title="Guessing a hidden word",
        task="Click a word to hide it. What does one side tell, and what do both?",
    )


def hiding(sentence: str, hidden: int) -> dict[str, Any]:
    """Controls for a sentence, and for which of its words is hidden.

    Raises:
        TypeError, ValueError: it cannot be read, or has no such word.
    """
    words = words_of(sentence)
    line = text(
        "sentence", sentence, MOST_WORDS, at_once=False, room=60, words=every_word()
    )
    place = whole("hidden word", hidden, 1, len(words), "hidden")
    return {"sentence": line, "hidden": place}


@lru_cache(maxsize=32)  # what the reader holds is the reader's own: see `Explorer`
def masked_words_sheet(*, sentence: str, hidden: int, sees: Sides) -> Sheet:
    """What of the sentence may be seen, and how likely words are to be hidden."""
    words = words_of(sentence)
    right = sees == "both sides"
    s = Sheet()
    s.control("hidden", max=len(words))
    hidden = min(hidden, len(words))
    masked = [*words]
    masked[hidden - 1] = MASK
    guess = bert.fill_in(bert.trained(right=right), " ".join(masked), right=right)
    show_masked(s, words, hidden, right=right)
    own = words[hidden - 1]
    likelier = sum(p > guess[own] for p in guess.values())
    others = f"{likelier} words are likelier" if likelier > 1 else "one is likelier"
    rank = others if likelier else "no word is likelier"
    look = {"note": f"From {sees}, “{own}” gets {guess[own]:.0%}: {rank}"}
    scale = 0.0, min(1.0, plots.rounded_up(max(guess.values())))
    draw_guess(s, guess, own, "✓ hidden", True, scale=scale, band=1, wide=58, **look)
    return s


def words_of(sentence: str) -> list[str]:
    """Split a sentence into words that the model knows.

    Raises:
        TypeError, ValueError: it cannot be read.
    """
    given = sentence_words(sentence, MOST_WORDS)
    _, *words = read(given)
    return words


def show_masked(s: Sheet, words: Sequence[str], hidden: int, *, right: bool) -> None:
    """Show which words may be seen from the place of the one that is hidden."""
    T = len(words)
    place = hidden - 1
    open_ = np.ones(T, dtype=bool) if right else causal_mask(T)[place].numpy()
    shown = [MASK if n == place else word for n, word in enumerate(words)]
    seen = s.leaf("sees", Axis("", ("it sees",)), Axis("", shown), open_[None])
    look: Style = {"words": ("", "✓"), "hidden": ~open_[None], "masked_text": "no"}
    look |= {"outlined": np.arange(T)[None] == place, "vmax": 4.0, "size": "large"}
    if T > ROOMY:
        look["size"] = "small"
    look["sentence"] = "“{column}”, seen from the place of the hidden word"
    look["chooses"] = ("hidden", range(1, T + 1))
    formula = f"“{words[place]}” is hidden behind {MASK}"
    note = f"the model reads {SOS} before these words and {EOS} after them"
    s.show(seen, "what the model reads", formula=formula, note=note, **look)


def draw_guess(
    s: Sheet,
    guess: Mapping[str, float],
    word: str,
    formula: str,
    opens: bool,
    **look: Any,
) -> None:
    """Draw how likely each is the hidden word, the one that stood there marked.

    While a model learns, bars change their places: then none is explained for good.
    """
    p = np.array([guess[w] for w in VOCABULARY.words])
    [own] = VOCABULARY.encode([word])
    labels, values = most_likely([p], VOCABULARY.words, own)
    drawing = Bars(
        name="guess",
        title="what it could be",
        formula=formula,
        palette="output",
        labels=labels,
        rest=len(labels) > SHOWN,
        leads=True,
        opens=(labels.index(f"{word} ✓"), 0) if opens else (),
        concludes=True,
        blank_zeros=True,
        sentence="how likely it is the hidden word: {label}",
        **look,
    )
    s.draw(drawing, values)
