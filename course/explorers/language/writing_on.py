"""writing_on: a small GPT goes on from a prompt, character after character."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
import torch

from explorable import Array, Explorer, Sheet, plots
from explorable.controls import slider, text, whole
from explorable.drawings.bars import Bars
from explorable.drawings.tiles import Tiles
from explorable.inputs import whole_number
from explorable.player import Player
from transformer_lib.checks.validation import brief, require
from transformer_lib.generation.sampling import greedy, sample
from transformer_lib.generation.settings import Decoding, Sampling
from transformer_lib.runtime.recording import record

from ...data.documentation import VOCABULARY, in_ids
from ...models import gpt
from ..generation.choices import SHOWN, most_likely

LONGEST = 64  # characters of a prompt, and that are written: the model reads both
ACROSS = 40  # characters in a line: beside them the bars fit a small screen
AHEAD = 8  # characters that are written at a time: more would keep a slider waiting
SEEN = {" ": "␣", "\n": "⏎"}
SEEDS = 99
WEIGHTS = "decoder.blocks.{}.self_attention.weights"
Drawn = tuple[torch.Tensor, torch.Tensor]
CHARACTERS = [SEEN.get(c, c) for c in VOCABULARY.words]
_trained = cache(gpt.trained)  # nobody changes it here


def writing_on(
    prompt: str = "The value of the ",
    *,
    temperature: float = 0.8,
    seed: int = 0,
    step: int = 1,
    layer: int = 4,
    head: int = 1,
    characters: int = 60,
) -> Explorer:
    """Let a model write on from a prompt, and look at every step of it.

    The model is that of `models.gpt`, which has read Python's
    documentation. At each step it scores what comes next from where it looks in the
    text so far, and one character is drawn.

    Args:
        prompt: 1 to 64 characters that an English keyboard writes.
        temperature: 0 to 2; below 1 the likely get more likely. At 0 the most likely is
            taken.
        seed: of what is drawn, 0 to 99.
        step: to begin with, from 1.
        layer: whose attention is shown, from 1.
        head: of that layer, from 1.
        characters: how many are written, 1 to 64.

    Returns:
        an Explorer with controls "prompt", "temperature", "seed", "layer", "head" and
        "step". Its values: "text" (places, 3), of each character where it stands, in
        characters and lines, and how dark it is, and "next" (8, 2): how likely seven
        characters and all others are to come next, by the model, and as they are drawn
        from.

    Raises:
        TypeError, ValueError: the prompt cannot be read, or there is no such setting.

    Source: Radford et al. (2018), §3.1; D0.2.3.
    """
    check_prompt(prompt)
    sizes = gpt.SIZES
    most = whole_number("characters", characters, 1, LONGEST)
    controls = {
        "prompt": text("prompt", prompt, LONGEST, at_once=False, room=44),
        "temperature": slider("temperature", temperature, 0.0, 2.0, 0.1),
        "seed": whole("seed", seed, 0, SEEDS),
        "layer": whole("layer", layer, 1, sizes.n_decoder_layers),
        "head": whole("head", head, 1, sizes.n_heads),
        "step": whole("step", step, 1, most),
    }
    return Player(
        "writing_on",
        writing_sheet,
        controls,
        characters=most,
        title="A model that writes on",
        task="Type a beginning, then step through what the model writes.",
        more=("seed", "layer", "head"),
    )


@dataclass(frozen=True)
class Written:
    """A text, and what the model has computed of it.

    Attributes:
        text: the prompt, and what was written.
        begun: how many characters the prompt has.
        logits: by character but the last, the scores (L − 1, V) of the one behind it.
        weights: of each layer (H, L − 1, L − 1): a row looks at all up to itself.
    """

    text: str
    begun: int
    logits: torch.Tensor
    weights: list[torch.Tensor]


def sampling_of(temperature: float) -> Sampling | None:
    """How a character is drawn; None where the most likely is taken."""
    return Sampling(temperature=temperature) if temperature else None


@lru_cache(maxsize=32)  # who drags comes back
def written(prompt: str, temperature: float, seed: int, characters: int) -> Written:
    """Write on from a prompt; see `gpt.write`.

    Raises:
        TypeError, ValueError: the prompt cannot be read.
    """
    check_prompt(prompt)
    model = _trained()
    ids, _ = _drawn(prompt, temperature, seed, characters)
    with torch.no_grad(), record(model) as tensors:
        logits = model(ids[:, :-1])[0]
    layers = range(model.config.n_decoder_layers)
    weights = [tensors[WEIGHTS.format(n)][0] for n in layers]
    return Written("".join(VOCABULARY.decode(ids[0])), len(prompt), logits, weights)


@lru_cache(maxsize=256)
def _drawn(prompt: str, temperature: float, seed: int, characters: int) -> Drawn:
    """Return the ids (1, L) of a continued prompt, and the generator's state.

    What is written goes on from the text that is AHEAD characters shorter.
    """
    draw = torch.Generator().manual_seed(seed)
    if not characters:
        return in_ids(prompt)[None], draw.get_state()
    before = (characters - 1) // AHEAD * AHEAD
    ids, chance = _drawn(prompt, temperature, seed, before)
    draw.set_state(chance)
    longer = Decoding(max_length=ids.size(1) + characters - before)
    sampling = sampling_of(temperature)
    if sampling is None:
        found = greedy(_trained(), ids, longer)
    else:
        found = sample(_trained(), ids, longer, sampling, draw)
    return found.ids, draw.get_state()


def check_prompt(prompt: str) -> None:
    """Raise unless it is a text that the model can go on from.

    Raises:
        TypeError, ValueError: it is no string, has no character but spaces, or over 64,
            or one that no English keyboard writes.
    """
    is_text = isinstance(prompt, str)
    require(is_text, "prompt", "be a string", brief(prompt), TypeError)
    fits = len(prompt) <= LONGEST
    require(fits, "prompt", f"hold at most {LONGEST} characters", len(prompt))
    says = bool(prompt.strip())
    require(says, "prompt", "hold a character that is no space", brief(prompt))
    for character in prompt:
        wanted = "hold what an English keyboard writes"
        known = character in VOCABULARY and character != "\n"
        require(known, "prompt", wanted, brief(character))


def writing_sheet(
    characters: int,
    *,
    prompt: str,
    temperature: float,
    seed: int,
    layer: int,
    head: int,
    step: int,
) -> Sheet:
    """Where the last character looks, and how likely characters are to come next."""
    so_far = min(characters, -(-step // AHEAD) * AHEAD)
    made = written(prompt, temperature, seed, so_far)
    last = made.begun + step - 2  # the one that looks
    s = Sheet()
    weights = made.weights[layer - 1][head - 1, last, : last + 1].double().numpy()
    room = made.begun + characters
    draw_text(s, made.text, room, weights, f"layer {layer}, head {head}")
    draw_probabilities(s, made, last, sampling_of(temperature))
    return s


def draw_text(s: Sheet, text: str, room: int, weights: Array, whose: str) -> None:
    """Draw the text as it runs, each character as dark as the last one looks at it.

    There is room for so many characters; shown are those that have weights, and what
    comes next.
    """
    read = len(weights)
    faces = [("", "")] * room
    sayings = ["not written yet"] * room
    named = [SEEN.get(character, character) for character in text]
    for n, weight in enumerate(weights.tolist()):
        percent = f"{100 * weight:.0f}"
        faces[n] = ("" if percent == "0" else percent, shown(text[n]))
        share = plots.number(weight, 2)
        sayings[n] = f"“{named[read - 1]}” gives “{named[n]}” {share} of its attention"
    faces[read] = ("✓", shown(text[read]))
    sayings[read] = f"“{named[read]}” is what comes next"
    places = np.zeros((room, 3))
    places[: read + 1, :2] = laid_out(text[: read + 1])
    places[read + 1 :, :2] = places[read, :2] + [1, 0]  # nothing stands there
    places[:read, 2] = [plots.step_of(weight, 1.0) for weight in weights.tolist()]
    drawing = Tiles(
        name="text",
        title="the text so far",
        formula=f"where its last character, “{named[read - 1]}”, looks: {whose}",
        faces=faces,
        sayings=sayings,
        sentence="The stronger its color, the more attention a character gets.",
        board=(ACROSS + 1.0, max(1.0 + places[:, 1].max(), 2.0 - (-room // ACROSS))),
        running=True,
        note="underlined: what comes next · ⏎ end of line · point for the number",
    )
    s.draw(drawing, places)


def shown(character: str) -> str:
    """A character as the running text shows it."""
    return character if character == " " else SEEN.get(character, character)


def laid_out(text: str) -> list[tuple[int, int]]:
    """Where each character stands: its column and its line, broken before a word.

    The space that ends a line may stand behind its last column.
    """
    places = []
    column = line = 0
    for part in re.findall(r"\s|\S+", text):
        if column and column + len(part.rstrip()) > ACROSS:
            column, line = 0, line + 1
        for character in part:
            if column > ACROSS - (character != " "):
                column, line = 0, line + 1
            places.append((column, line))
            column += 1
        if part == "\n":
            column, line = 0, line + 1
    return places


def draw_probabilities(
    s: Sheet, made: Written, last: int, sampling: Sampling | None
) -> None:
    """Draw how likely characters are behind the last one, and are drawn."""
    logits = made.logits[last].double()
    [taken] = VOCABULARY.encode([made.text[last + 1]])
    drawn = torch.eye(len(logits), dtype=torch.float64)[taken]
    if sampling is not None:
        drawn = sampling.probabilities(logits)
    each = [logits.softmax(-1).numpy(), drawn.numpy()]
    labels, values = most_likely(each, CHARACTERS, taken)
    drawing = Bars(
        name="next",
        title="the next character",
        formula="how likely each is to come next",
        palette="output",
        labels=labels,
        rest=len(labels) > SHOWN,
        series=("model", "drawn from"),
        hues=("output", "weights"),
        sentence="how likely to come next: {label}, {series}",
        note="✓ drawn" if sampling else "✓ chosen: the most likely",
    )
    s.draw(drawing, values)
