"""picture_writing: a DALL-E draws what a caption says, one cell after another."""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
import torch
from matplotlib.colors import to_hex
from torch import Tensor

from explorable import Array, Explorer, Sheet
from explorable.controls import slider, text, whole
from explorable.drawings.bars import Bars
from explorable.drawings.picture import PixelGrid
from explorable.player import Player
from transformer_lib.checks.validation import require
from transformer_lib.generation.prediction import predicting
from transformer_lib.generation.sampling import Sampling

from ...data.captions import in_ids
from ...data.shapes import COLORS, SIDE, seen
from ...models import dalle
from ...models.dalle import ADVISED, CELLS, KINDS, PICTURE, WORDS
from .said import KNOWN, MOST_WORDS, caption_of

SEEDS = 99
EMPTY = ("empty", "#B0B0B0")
#: The kinds of cells as they are painted.
PAINTS = [("dark", "#000000"), *((name, to_hex(c)) for name, c in COLORS.items())]
Cells = tuple[int, ...]  # 64 kinds, row after row; −1 where none is given
_trained = cache(dalle.trained)  # nobody changes it here


def picture_writing(
    caption: str = "a yellow cross at the bottom right",
    *,
    step: int = 37,
    temperature: float = ADVISED,
    seed: int = 1,
    later: str | None = None,
    after: int = CELLS,
) -> Explorer:
    """How a picture is drawn from a caption: what each cell was drawn from, and all.

    The model is that of `models.dalle`. Next and Back take a step, To
    the end takes all. A cell that the reader paints is not drawn, but read by the model
    like its own, until it is painted "empty". Behind a number of cells the caption may
    become another one.

    Args:
        caption: 1 to 12 words that the model knows.
        step: how many cells there are to begin with, from 1 to 64.
        temperature: of the probabilities that cells are drawn from, 0 to 2; at 0 the
            most likely is taken.
        seed: of the drawing, 0 to 99.
        later: what the caption becomes; the same without it.
        after: behind how many cells, 0 to 64; with 64 it never does.

    Returns:
        an Explorer with controls "caption", "temperature", "seed", "later", "after" and
        "step". Its values: "picture" (8, 8), to be painted on: 0 for what is empty, or
        1 + the place of a cell's kind among "dark" and `COLORS`; "surprise" (8, 8),
        1 − p of each cell that was drawn or read, at temperature 1; and "probabilities"
        (10, 1), which the latest cell was drawn from.

    Raises:
        TypeError, ValueError: a caption cannot be read, or a setting is not one of
            those there are.

    Source: Ramesh et al. (2021), §2; D0.6.multi.
    """
    said = caption_of("caption", caption)
    changed = said if later is None else caption_of("later", later)
    room: Any = {"at_once": False, "room": 44, "words": KNOWN}
    controls = {
        "caption": text("caption", said, MOST_WORDS, **room),
        "temperature": slider("temperature", temperature, 0.0, 2.0, 0.1),
        "seed": whole("seed", seed, 0, SEEDS),
        "later": text("later caption", changed, MOST_WORDS, **room),
        "after": whole("which holds after cell", after, 0, CELLS, "after"),
        "step": whole("step", step, 1, CELLS),
    }
    inputs = {"picture": np.zeros((SIDE, SIDE))}
    return Player(
        "picture_writing",
        writing_sheet,
        controls,
        inputs=inputs,
        title="Drawing a picture, cell by cell",
        task="Type a caption, then step through the drawing.",
        more=("temperature", "seed", "later", "after"),
    )


@dataclass(frozen=True)
class Drawn:
    """A picture, and what each of its cells was drawn from.

    Attributes:
        kinds: (8, 8) of the cells; −1 for a word.
        probabilities: (64, 10, 2): how likely each kind was, and any word: as the model
            has it, and as the temperature does.
    """

    kinds: Tensor
    probabilities: Array


@lru_cache(maxsize=32)
def draw(
    caption: str, later: str, after: int, temperature: float, seed: int, begun: Cells
) -> Drawn:
    """Draw a picture: each cell as it is begun, or else by chance.

    Where nothing is begun, and the caption stays, it is what `dalle.draw` gives.
    """
    chance = torch.Generator().manual_seed(seed)
    tokens = torch.zeros(1, 0, dtype=torch.long)
    rows: list[Tensor] = []
    parts = (caption, range(after)), (later, range(after, CELLS))
    for said, cells in (part for part in parts if part[1]):
        new = torch.cat([in_ids([said]), tokens], dim=1)
        with predicting(_trained(), new, PICTURE) as predictor:
            for cell in cells:
                log_p = predictor.read(new)  # (1, V)
                p = drawn_from(log_p, temperature)
                rows += [log_p.exp(), p]
                new = torch.tensor([[WORDS + begun[cell]]])
                if begun[cell] < 0:
                    new = torch.multinomial(p, 1, generator=chance)
                tokens = torch.cat([tokens, new], dim=1)
    both = torch.cat(rows).double().view(CELLS, 2, -1)  # (64, 2, V)
    words = both[..., :WORDS].sum(-1, keepdim=True)
    probabilities = torch.cat([both[..., WORDS:], words], dim=-1).mT  # (64, 10, 2)
    return Drawn((tokens - WORDS).clamp(min=-1).view(SIDE, SIDE), probabilities.numpy())


def drawn_from(log_p: Tensor, temperature: float) -> Tensor:
    """Return the probabilities (1, V) to sample by; at 0, the most likely has 1."""
    if temperature:
        return Sampling(temperature=temperature).probabilities(log_p)
    return torch.zeros_like(log_p).scatter(-1, log_p.argmax(-1, keepdim=True), 1.0)


def writing_sheet(
    picture: Array,
    *,
    caption: str,
    later: str,
    after: int,
    temperature: float,
    seed: int,
    step: int,
) -> Sheet:
    """The picture after a step, what its last cell was drawn from, and surprises."""
    for kind in picture.flat:
        wanted = f"hold whole numbers from 0 to {KINDS}"
        require(kind in range(KINDS + 1), "picture", wanted, kind)
    own = tuple(int(x) - 1 for x in picture.flat)  # −1 is left to the model
    told = caption_of("caption", caption), caption_of("later", later)
    made = draw(*told, after, temperature, seed, own)
    kinds = made.kinds.flatten().numpy()  # (64,)
    there = np.arange(CELLS) < step
    s = Sheet()
    cells = np.where(there, kinds, own) + 1
    painted = sum(kind >= 0 for kind in own)
    two = after < CELLS and told[0] != told[1]  # one is read in its field
    said = told[step > after] if two else ""
    draw_canvas(s, cells, made.kinds, step, said, painted)
    taken = made.probabilities[range(CELLS), kinds, 0]  # (64,), of a word the last
    draw_surprise(s, np.where(there, 1 - taken, 0.0).clip(0, 1))
    draw_probabilities(
        s, made.probabilities[step - 1, :, 1:], int(kinds[step - 1]), step, own
    )
    return s


def draw_canvas(
    s: Sheet, cells: Array, made: Tensor, step: int, said: str, painted: int
) -> None:
    """Draw the cells that are there; and when all are, say what they show."""
    note = f"{step} of {CELLS} cells"
    if painted:
        note += f" · {painted} painted by you: “empty” gives one back"
    if step == CELLS:
        shown = seen(made)
        note = "an exact checker sees: "
        note += " · ".join(shown) if shown else "nothing that the data has"
    latest = np.zeros((SIDE, SIDE), dtype=bool)
    latest.flat[step - 1] = True
    canvas = PixelGrid(
        name="picture",
        title="the picture",
        formula=f"“{said}”" if said else "",
        size=(SIDE, SIDE),
        colors=[EMPTY, *PAINTS],
        outlined=latest,
        palette="output",
        side=3.0,
        shares="cells",
        note=note,
    )
    s.draw(canvas, cells.reshape(SIDE, SIDE).astype(float))


def draw_surprise(s: Sheet, surprise: Array) -> None:
    """Draw how little each cell was expected."""
    doubts = PixelGrid(
        name="surprise",
        title="surprise",
        formula="1 − p of each cell",
        size=(SIDE, SIDE),
        side=3.0,
        shares="cells",
        note="white 0, black 1; at temperature 1",
    )
    s.draw(doubts, surprise.reshape(SIDE, SIDE))


def draw_probabilities(
    s: Sheet, probabilities: Array, kind: int, step: int, own: Cells
) -> None:
    """Draw what the last cell was drawn from; mark what it became."""
    row, column = divmod(step - 1, SIDE)
    names = [*(name for name, _ in PAINTS), "a word"]
    became = f"became {names[kind]}, {float(probabilities[kind].max()):.0%} likely"
    if own[step - 1] >= 0:
        became = f"is {names[kind]}: you painted it"
    bars = Bars(
        name="probabilities",
        title=f"cell {step}",
        formula=f"row {row + 1}, column {column + 1}: what it was drawn from",
        labels=[f"{n} ✓" if n == names[kind] else n for n in names],
        palette="output",
        wide=10,
        least=10,
        leads=True,
        sentence=f"how likely cell {step} is {{label}}",
        opens=(kind, 0),
        blank_zeros=True,
        concludes=True,
        note=f"Cell {step} {became}",
    )
    s.draw(bars, probabilities)
