"""fill: a word of a definition is hidden, and guessed from both sides or from one."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from torch import Tensor

from explorable import Explorer, Sheet
from explorable.controls import menu, text, whole
from explorable.drawings.bars import Bars
from explorable.drawings.tiles import Tiles
from transformer_lib.checks.validation import brief, check_option, require

from ...data.dictionary import MASK, is_shown, prompt, sample
from ...models.definitions import dictionary_writer, guesses, words_of
from ...models.dictionary import LENGTH
from ..generation.choices import SHOWN, most_likely, most_likely_ids
from .define import WIDE, Piece, laid_out, names_of, room_for

#: Held-out entries that are good to guess in; each with a word to begin with.
OFFERED = (
    *("samovar", "pillow", "toaster", "thimble", "quagga", "kit fox", "sweater"),
    *("turret", "bonbon", "tax collector", "statistician", "president", "lark"),
)
OWN = "my own"
LONGEST = 160  # characters of a definition
SEEN, UNSEEN = 5, 0  # shades of what the left-only model sees, and does not
REFUSED = "This course does not show that text. Try “an animal that barks at night”."


def fill(
    entry: str = "lark",
    *,
    hidden: int = 5,
    own: str = "an animal that barks at night",
) -> Explorer:
    """Hide a word of a definition, and compare guesses from both sides and from one.

    The BERT and the GPT of `models.dictionary` have learned from the same text. The
    BERT sees both sides of the hidden word; the GPT sees its left side, and predicts
    what comes next. Both are asked for the first piece (token) of the word; where it
    has several, all of them are hidden.

    Nothing is offered that the course does not show: see `is_shown`. A piece that would
    complete such a word is left out, and the probabilities are those of the other
    pieces, scaled to sum to 1.

    Args:
        entry: the word whose definition is read; none of them was learned. Or "my own".
        hidden: which of its words is hidden, from 1; a mark such as ";" is one.
        own: a definition of the reader's, up to 160 characters. What stands before a
            colon is the word that it defines.

    Returns:
        an Explorer with controls "entry", "hidden" and "own"; a click on a word hides
        it. Its values: "text" (words, 3), of each word where it stands, in characters
        and lines, and whether the GPT sees it; "both" and "left" (8, 1), how likely
        seven pieces and all others are, by the BERT and by the GPT.

    Raises:
        TypeError, ValueError: there is no such entry or word, or the definition cannot
            be read or is not shown.

    Source: Devlin et al. (2019), §3.1.
    """
    options = [*OFFERED, OWN]
    check_option("entry", entry, options)
    _, _, definition = asked(entry, own)
    controls = {
        "entry": menu("definition of", options, entry),
        "own": text("my own", own, LONGEST, at_once=False, room=44),
        "hidden": whole("hidden word", hidden, 1, len(words_of(definition)), "hidden"),
    }
    return Explorer(
        "fill",
        fill_sheet,
        controls,
        title="Filling in a definition",
        task="Click a word to hide it. How much do the words on its right help?",
    )


def asked(entry: str, own: str) -> tuple[str, str, str]:
    """Find the word, its part of speech, and the definition that is read.

    Raises:
        TypeError, ValueError: it cannot be read, or is not shown.
    """
    if entry != OWN:
        found = next(e for e in sample().held_out if entry in e.words)
        return entry, found.part_of_speech, found.definition
    require(isinstance(own, str), "own", "be a string", brief(own), TypeError)
    fits = len(own) <= LONGEST
    require(fits, "own", f"hold at most {LONGEST} characters", len(own))
    if not is_shown(own):
        raise ValueError(REFUSED)
    plain = own.isascii() and own.isprintable()
    require(plain, "own", "hold what an English keyboard writes", brief(own))
    before, colon, behind = own.partition(":")
    word, definition = (before, behind) if colon else ("", own)
    says = bool(definition.strip())
    require(says, "own", "hold a word of a definition", brief(own))
    return " ".join(word.split()), "noun", " ".join(definition.split())


@lru_cache(maxsize=32)  # what the reader holds is the reader's own: see `Explorer`
def fill_sheet(*, entry: str, own: str, hidden: int) -> Sheet:
    """Draw what the models see of a definition, and what they take its word for."""
    word, speech, definition = asked(entry, own)
    words = words_of(definition)
    given = prompt(word, speech) if word else without_word(speech)
    length = len(given) + sum(map(len, words)) + 1
    require(length <= LENGTH, "own", f"be at most {LENGTH} pieces", length)
    s = Sheet()
    s.control("own", shown=entry == OWN)
    s.control("hidden", max=len(words))
    place = min(hidden, len(words)) - 1
    found = guesses(given, words, place)
    title = f"{word} ({speech})" if word else "a definition"
    own = dictionary_writer().pieces.tokenizer.decode(words[place]).strip()
    both, left = (f"{float(p[found.taken]):.1%}" for p in (found.both, found.left))
    note = f"“{own}”: BERT gives it {both}, GPT {left}"
    draw_words(s, words, place, title, note)
    for name, title, formula, p in (
        ("both", "from both sides", "BERT: what ⟨MASK⟩ stands for", found.both),
        ("left", "from the left alone", "GPT: what comes next", found.left),
    ):
        draw_guess(s, name, title, formula, p, found.taken)
    return s


def without_word(part_of_speech: str) -> list[int]:
    """The tokens before a definition whose word is not told."""
    sos, speech, *_, means = prompt("a", part_of_speech)
    return [sos, speech, means]


def draw_words(
    s: Sheet, words: Sequence[Sequence[int]], place: int, title: str, note: str
) -> None:
    """Draw the words of a definition, one of them hidden; a click hides another."""
    says = dictionary_writer().pieces.tokenizer.decode
    own = says(words[place]).strip()
    shown = [Piece(says(word), [*word], n) for n, word in enumerate(words)]
    masks = MASK * len(words[place])
    space = " " if shown[place].begins else ""
    shown[place] = Piece(space + masks, [*words[place]], place)
    wide = [room_for(piece.face) for piece in shown]
    places = np.zeros((len(shown), 3))
    places[:, :2] = laid_out(shown, wide, WIDE)
    places[:place, 2] = SEEN
    sayings = [f"“{p.face}” is seen by both models" for p in shown[:place]]
    sayings.append(f"“{own}” is hidden")
    sayings += [f"“{p.face}” is seen by BERT alone" for p in shown[place + 1 :]]
    many = len(words[place])
    pieces = f" · it is {many} pieces: the first is guessed" if many > 1 else ""
    drawing = Tiles(
        name="text",
        title=title,
        formula=f"“{own}” is hidden{pieces} · colored: what GPT sees as well",
        palette="weights",
        faces=[("✓" if n == place else "", p.face) for n, p in enumerate(shown)],
        sayings=sayings,
        sentence="BERT reads both sides of ⟨MASK⟩. GPT reads what is before it.",
        board=(WIDE + 1.0, 1.0 + places[:, 1].max()),
        wide=wide,
        chooses=("hidden", range(1, len(words) + 1)),
        note=note,
        concludes=True,
    )
    s.draw(drawing, places)


def draw_guess(
    s: Sheet, name: str, title: str, formula: str, p: Tensor, taken: int
) -> None:
    """Draw how likely pieces are where the word is hidden."""
    each = [p.double().numpy()]
    few = most_likely_ids(each[0], taken)
    labels, values = most_likely(each, names_of(dictionary_writer(), few), taken)
    drawing = Bars(
        name=name,
        title=title,
        formula=formula,
        palette="output" if name == "both" else "scores",
        labels=labels,
        rest=len(labels) > SHOWN,
        sentence="how likely it is hidden: {label}",
        note="✓ the hidden word",
        wide=20,
        least=12,
        digits=3,
        blank_zeros=True,
        band=1,
    )
    s.draw(drawing, values)
