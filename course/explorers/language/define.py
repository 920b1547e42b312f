"""define: a GPT writes what a word means, piece after piece."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from explorable import Array, Explorer, Sheet, plots
from explorable.controls import choice, menu, slider, text, whole
from explorable.drawings.bars import Bars
from explorable.drawings.tiles import Tiles
from explorable.player import Player
from transformer_lib.checks.validation import brief, check_option, check_type, require
from transformer_lib.generation.sampling import Sampling
from transformer_lib.model.transformer import DecoderOnlyTransformer
from transformer_lib.text.subwords import BytePairs

from ...data.dictionary import PARTS_OF_SPEECH, is_shown, prompt
from ...models.definitions import Writer, Written, dictionary_writer
from ..generation.choices import SHOWN, most_likely, most_likely_ids

LONGEST_WORD = 30  # characters: behind it there is room for a long definition
LONGEST_PROMPT = 120
LONGEST_BEGINNING = 240
LONGEST_TEXT = 40  # tokens of a text that goes on from a prompt
ACROSS, WIDE = 44, 74  # characters in a line: beside bars, and above them
LINES = 2  # that there is always room for
LETTER, PADDING = 0.91, 0.9  # characters: of a letter, and around the text of a piece
SPACE = 0.7  # between two words
SEEDS = 99
ALL = "all"
FEW = (1, 2, 3, 5, 10, 20, 50, 100)  # pieces that top-k keeps
MEAN = "mean"
UNKNOWN = (
    "This course does not define that word. Try “glorpitis”, “moonfish”, or a word "
    "that nobody has heard yet."
)
UNREAD = "This course does not go on from that text. Try “The cat sat on”."


def define(
    word: str = "glorpitis",
    *,
    part_of_speech: str = "noun",
    step: int = 1,
    temperature: float = 0.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    seed: int = 0,
    layer: int | None = None,
    head: str = MEAN,
    begins: str = "",
    model: DecoderOnlyTransformer | None = None,
    tokenizer: BytePairs | None = None,
    end: str = "<|endoftext|>",
) -> Explorer:
    """Type any word, and see a model write what it means.

        define("moonling")
        define("Once upon a time", model=load_pretrained("gpt2"),
               tokenizer=load_tokenizer("gpt2"))

    The model is the GPT of `models.dictionary`, which has read WordNet. At each step it
    scores every piece (token) by where it looks in the text so far, and the most likely
    one, or one that is drawn, is written. A click on another one writes that instead,
    and goes on from there.

    Nothing is written that the course does not show: see `is_shown`. A piece that would
    complete such a word is no candidate, and the probabilities are those of the other
    pieces, scaled to sum to 1.

    Args:
        word: 1 to 30 characters of an English keyboard; with a model of your own the
            text that it goes on from, up to 120.
        part_of_speech: "noun", "verb", "adjective" or "adverb"; of the course's model.
        step: to begin with, from 1.
        temperature: 0 to 2. At 0 the most likely piece is taken, whatever top-k and
            top-p are.
        top_k: only so many pieces can be drawn: 1, 2, 3, 5, 10, 20, 50 or 100; None for
            all.
        top_p: 0.05 to 1: only the most likely pieces that together reach it can be
            drawn.
        seed: of what is drawn, 0 to 99.
        layer: whose attention is shown, from 1; the last by default.
        head: of that layer, "1", "2", …, or "mean" for the mean of all.
        begins: what the definition begins with, written for the model; a click on a
            piece sets it.
        model: another model, as `load_pretrained` gives it.
        tokenizer: of that model, as `load_tokenizer` gives it.
        end: the token of that tokenizer that ends a text.

    Returns:
        an Explorer with controls "word", "part_of_speech", "temperature", "top_k",
        "top_p", "seed", "layer", "head", "begins" and "step". Its values:
        "text" (pieces, 3), of each piece where it stands, in characters and lines, and
        how dark it is, and "next" (8, 1 or 2): how likely seven pieces and all others
        are to come next, by the model, and as they are drawn from.

    Raises:
        TypeError, ValueError: the word cannot be read or is not shown, there is no such
            setting, or model and tokenizer do not fit each other.

    Source: Radford et al. (2018), §3.1; Holtzman et al. (2020); D3.10.loop.
    """
    alone = model is None and tokenizer is None
    asked = Asked(dictionary_writer() if alone else writer_of(model, tokenizer, end))
    asked.check(word)
    if alone:
        check_option("part_of_speech", part_of_speech, PARTS_OF_SPEECH)
        part = menu("part of speech", PARTS_OF_SPEECH, part_of_speech)
        given = {"word": text("word", word, LONGEST_WORD, at_once=False, room=22)}
        given["part_of_speech"] = part
    else:
        given = {"word": text("text", word, LONGEST_PROMPT, at_once=False, room=44)}
    sizes = asked.writer.model.config
    layers = sizes.n_decoder_layers
    heads = [MEAN, *(str(n + 1) for n in range(sizes.n_heads))]
    known = top_k is None or (type(top_k) is int and top_k in FEW)
    require(known, "top_k", f"be None or one of {list(FEW)}", brief(top_k))
    kept = ALL if top_k is None else str(top_k)
    controls = given | {
        "temperature": slider("temperature", temperature, 0.0, 2.0, 0.1),
        "top_k": menu("top-k", [ALL, *map(str, FEW)], kept),
        "top_p": slider("top-p", top_p, 0.05, 1.0, 0.05, "top_p"),
        "seed": whole("seed", seed, 0, SEEDS),
        "layer": whole("layer", layers if layer is None else layer, 1, layers),
        "head": choice("head", heads, head),
        "begins": text("begins", begins, 40, at_once=False, room=36, least=0),
        "step": whole("step", step, 1, asked.writer.longest),
    }
    title, task = "A model that defines words", "Invent a word"
    if not alone:
        title, task = "A model that writes on", "Type a beginning"
    return Definer(
        "define",
        define_sheet,
        controls,
        asked=asked,
        title=title,
        task=f"{task}, then click another piece in the chart to go on from it.",
        more=("temperature", "top_k", "top_p", "seed", "layer", "head", "begins"),
    )


def writer_of(
    model: DecoderOnlyTransformer | None, tokenizer: BytePairs | None, end: str
) -> Writer:
    """Return the writer of a reader's own model.

    Raises:
        TypeError, ValueError: as `Writer`.
    """
    check_type("model", model, DecoderOnlyTransformer)
    check_type("tokenizer", tokenizer, BytePairs)
    given = cast(DecoderOnlyTransformer, model)
    most = min(LONGEST_TEXT, given.config.max_length)
    return Writer(given, cast(BytePairs, tokenizer), end, most)


@dataclass(frozen=True, eq=False)
class Asked:
    """What a model goes on from: a word to define, or any text.

    Attributes:
        writer: the course's, which defines words, or one that goes on from a text.
    """

    writer: Writer

    @property
    def defines(self) -> bool:
        """Whether it is a word that is defined."""
        return self.writer is dictionary_writer()

    def check(self, said: str) -> None:
        """Raise unless it is a word, or a text, that can be gone on from.

        Raises:
            TypeError: it is no string.
            ValueError: it is empty or too long, is not written with an English
                keyboard, or is not shown in this course.
        """
        require(isinstance(said, str), "word", "be a string", brief(said), TypeError)
        most = LONGEST_WORD if self.defines else LONGEST_PROMPT
        fits = len(said) <= most
        require(fits, "word", f"hold at most {most} characters", len(said))
        if not is_shown(said):
            raise ValueError(UNKNOWN if self.defines else UNREAD)
        plain = said.isascii() and said.isprintable()
        require(plain, "word", "hold what an English keyboard writes", brief(said))
        says = bool(said.strip())
        require(says, "word", "hold a character that is no space", brief(said))

    def given(self, said: str, part_of_speech: str) -> list[int]:
        """The tokens that the model reads before it writes."""
        self.check(said)
        said = " ".join(said.split())
        if self.defines:
            return prompt(said, part_of_speech)
        return self.writer.pieces.tokenizer.encode(said)


class Definer(Player):
    """A player whose definition starts again when the word is another one."""

    def _changed(self, change: Any = None) -> None:
        names = ("word", "part_of_speech")
        words = [self.controls[name] for name in names if name in self.controls]
        if change is not None and not self._holding and change.owner in words:
            with self._held():
                self.controls["begins"].value = ""
        super()._changed(change)


@dataclass(frozen=True)
class Piece:
    """What a tile of the text shows.

    Attributes:
        text: that it says; with a space before it, it begins a word.
        ids: the tokens that it stands for: one, most often.
        first: the place of the first one in the whole text.
    """

    text: str
    ids: list[int]
    first: int

    @property
    def face(self) -> str:
        """What stands on the tile."""
        return self.text.strip() or "␣"

    @property
    def begins(self) -> bool:
        """Whether it begins a word: "⟨MEANS⟩" is one."""
        return self.text[0] in " ⟨<"

    @property
    def name(self) -> str:
        """What it is called by itself: "…itis" goes on with a word."""
        goes_on = self.text[0].isalnum() and not self.begins
        return f"…{self.text}" if goes_on else self.face


def define_sheet(
    asked: Asked,
    *,
    word: str,
    part_of_speech: str = "",
    step: int,
    temperature: float,
    top_k: str,
    top_p: float,
    seed: int,
    layer: int,
    head: str,
    begins: str,
) -> Sheet:
    """Where the newest piece looks, and how likely pieces are to come next."""
    writer = asked.writer
    given = asked.given(word, part_of_speech)
    sampling = None
    if temperature:
        few = None if top_k == ALL else int(top_k)
        sampling = Sampling(temperature=temperature, top_k=few, top_p=top_p)
    chosen = beginning(writer, begins, len(given))
    made = writer.compose(given, chosen, sampling, seed)
    s = Sheet()
    steps = len(made.ids) - made.begun
    s.control("step", max=steps, keep_last=True)
    step = min(step, steps)
    for name in ("top_k", "top_p", "seed"):
        s.control(name, shown=sampling is not None)
    attention = made.weights[layer - 1]
    weights = attention.mean(0) if head == MEAN else attention[int(head) - 1]
    whose = "mean of heads" if head == MEAN else f"head {head}"
    looks = weights.double().numpy()
    title = f"{word} ({part_of_speech})" if asked.defines else "the text"
    whose = f"layer {layer}, {whose}"
    defined = word if asked.defines else ""
    draw_text(s, writer, made, step, looks, whose=whose, word=defined, title=title)
    draw_pieces(s, writer, made, step, sampling, len(chosen))
    return s


def beginning(writer: Writer, begins: str, given: int) -> list[int]:
    """Read what a text is to begin with.

    Raises:
        ValueError: there is no room for it, or it is not shown in this course.
    """
    require(isinstance(begins, str), "begins", "be a string", brief(begins), TypeError)
    room = writer.longest - given - 1
    fits = len(begins) <= LONGEST_BEGINNING
    wish = f"hold at most {LONGEST_BEGINNING} characters"
    require(fits, "begins", wish, len(begins))
    chosen = writer.pieces.read(begins)
    require(len(chosen) <= room, "begins", f"be at most {room} pieces", len(chosen))
    writer.check_begins(chosen)
    return chosen


def pieces_of(writer: Writer, made: Written) -> list[Piece]:
    """The whole text in pieces: each token of what was written is one."""
    pieces = writer.pieces
    groups = pieces.apart(made.ids[: made.begun])
    groups += [[token] for token in made.ids[made.begun :]]
    found: list[Piece] = []
    place = 0
    for group in groups:
        found.append(Piece(pieces.tokenizer.decode(group), group, place))
        place += len(group)
    return found


def draw_text(
    s: Sheet,
    writer: Writer,
    made: Written,
    step: int,
    weights: Array,
    *,
    whose: str,
    word: str,
    title: str,
) -> None:
    """Draw the text in pieces, each as dark as the newest one looks at it."""
    newest = made.begun + step - 2  # the token that looks
    pieces = pieces_of(writer, made)
    looks = [
        float(weights[newest, piece.first : piece.first + len(piece.ids)].sum())
        for piece in pieces
        if piece.first <= newest
    ]
    read = len(looks)
    faces = [("", piece.face) for piece in pieces]
    sayings = [f"“{piece.name}” is not reached yet" for piece in pieces]
    named = pieces[read - 1].name
    for n, weight in enumerate(looks):
        percent = f"{100 * weight:.0f}"
        faces[n] = ("" if percent == "0" else percent, pieces[n].face)
        share = plots.number(weight, 2)
        sayings[n] = f"“{named}” gives “{pieces[n].name}” {share} of its attention"
    faces[read] = ("✓", pieces[read].face)
    sayings[read] = f"“{pieces[read].name}” is what comes next"
    places = np.zeros((len(pieces), 3))
    wide = [room_for(piece.face) for piece in pieces]
    places[:, :2] = laid_out(pieces, wide, WIDE)
    places[:read, 2] = [plots.step_of(weight, 1.0) for weight in looks]
    said = writer.pieces.says(made.ids[made.begun :]).strip()
    whole = f"{word}: {said}" if word else f"… {said}"
    steps = len(made.ids) - made.begun
    begun = len(pieces) - steps
    drawing = Tiles(
        name="text",
        title=title,
        formula=f"color: where “{named}” looks · click a piece to see its step",
        faces=faces,
        sayings=sayings,
        sentence=f"The stronger its color, the more attention a piece gets ({whose}).",
        board=(WIDE + 1.0, max(LINES, 1.0 + places[:, 1].max())),
        wide=wide,
        later=len(pieces) - read - 1,
        chooses=("step", [*[None] * begun, *range(1, steps + 1)]),
        note=whole,
        concludes=True,
    )
    s.draw(drawing, places)


def room_for(face: str) -> float:
    """How wide the tile of a text is, in characters of a running text."""
    return LETTER * len(face) + PADDING


def laid_out(
    pieces: Sequence[Piece], wide: Sequence[float], across: float = ACROSS
) -> list[tuple[float, int]]:
    """Where each piece stands: its column and its line, broken before a word."""
    words: list[list[int]] = []
    for n, piece in enumerate(pieces):
        if piece.begins or not words or pieces[n - 1].text[0] in "⟨<":
            words.append([])
        words[-1].append(n)
    places: list[tuple[float, int]] = []
    column, line = 0.0, 0
    for word in words:
        length = sum(wide[n] for n in word)
        if column and column + length > across:
            column, line = 0.0, line + 1
        for n in word:
            if column and column + wide[n] > across:
                column, line = 0.0, line + 1
            places.append((column, line))
            column += wide[n]
        column += SPACE
    return places


def draw_pieces(
    s: Sheet,
    writer: Writer,
    made: Written,
    step: int,
    sampling: Sampling | None,
    chosen: int,
) -> None:
    """Draw how likely pieces are to come at a step; a click writes one of them."""
    log_p = made.log_p[step - 1].double()
    written = made.ids[made.begun : made.begun + step - 1]
    taken = made.ids[made.begun + step - 1]
    each = [log_p.exp().numpy()]
    if sampling is not None:
        each.append(sampling.probabilities(log_p).numpy())
    few = most_likely_ids(each[0], taken)
    labels, values = most_likely(each, names_of(writer, few), taken)
    begun = [writer.pieces.spelled([*written, token]) for token in few]
    cut = values == 0
    cut[:, 0] = False
    how = "drawn" if sampling else "the most likely"
    rest = len(labels) > SHOWN
    inside = any(label.startswith("…") for label in labels)
    goes_on = " · … goes on with a word" if inside else ""
    drawing = Bars(
        name="next",
        title="the next piece",
        formula="how likely each is",
        palette="output",
        labels=labels,
        series=("model", "drawn from") if sampling else ("",),
        hues=("output", "weights")[: len(each)],
        hidden=cut,
        scale=(0.0, min(1.0, plots.rounded_up(float(values.max())))),
        rest=rest,
        masked_text="cut",
        sentence="how likely to come next: {label}" + ", {series}" * len(each[1:]),
        note=f"✓ {'yours' if step <= chosen else how}{goes_on}",
        least=12,
        wide=52,
        digits=3,
        blank_zeros=True,
        chooses=("begins", [*begun, *[None] * rest]),
        band=1,
    )
    s.draw(drawing, values)


def names_of(writer: Writer, few: Sequence[int]) -> dict[int, str]:
    """What some pieces are called by themselves, by id."""
    texts = writer.pieces.texts
    return {n: Piece(texts[n] or "␣", [n], 0).name for n in few}
