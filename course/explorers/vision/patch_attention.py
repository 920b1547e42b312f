"""patch_attention: where a Vision Transformer looks in a digit, and what it reads."""

from functools import cache, lru_cache

import numpy as np
import torch

from explorable import Array, Axis, Explorer, Sheet, Style
from explorable.controls import choice, menu, stops, whole
from explorable.drawings.picture import PixelGrid
from explorable.inputs import whole_number

from ...data.digits import SIDE, digits, shifted
from ...models import vit
from ...models.vit import GRID, SIZES
from .reading import FULL, draw_looks, draw_probabilities

MEAN = "mean"
HEADS = [str(h) for h in range(1, SIZES.n_heads + 1)]
TOKENS = GRID**2  # the patches, behind the class token
WHO = [
    "the class token",
    *(f"patch ({n // GRID + 1}, {n % GRID + 1})" for n in range(TOKENS)),
]
WIDE = 2.0  # em of a cell
NEW = 891  # digits of new writers
_trained = cache(vit.trained)  # nobody changes it here


def patch_attention(
    number: int = 49,
    *,
    block: int = 1,
    head: str = MEAN,
    asks: int = 0,
    right: int = 0,
    down: int = 0,
) -> Explorer:
    """A digit in patches, where the model looks in it, and which digit it reads.

    The model is that of `models.vit`. The digit can be painted on, shifted
    by a pixel, and exchanged for another one of new writers.

    Args:
        number: which of the digits of new writers, from 1 to 891.
        block: whose attention is shown, from 1 to 3.
        head: whose in the block, "1" to "4", or "mean" for the mean of all of them.
        asks: who looks: 0 for the class token, or a patch from 1 to 16, row after row.
        right: by how many pixels the digit is shifted to the right, −1 to 1.
        down: the same, down.

    Returns:
        an Explorer with controls "number", "block", "head", "asks", "right" and "down".
        Its values: "digit" (8, 8), to be painted on; "seen" (8, 8), what the model
        reads, over it "seen.weights" (4, 4); "head 1" to "head 4" (4, 4); and
        "probabilities" (10, 1).

    Raises:
        TypeError, ValueError: there is no such digit, block, head, patch or push.

    Source: Dosovitskiy et al. (2021), §3.1; D0.6.vision.
    """
    blocks = range(1, _trained().config.encoder.n_encoder_layers + 1)
    controls = {
        "number": whole("new digit", number, 1, NEW, "number"),
        "block": stops("block", blocks, block),
        "head": choice("head", [MEAN, *HEADS], head),
        "asks": menu("who looks", WHO, WHO[whole_number("asks", asks, 0, TOKENS)]),
        "right": whole("shift right", right, -1, 1, "right"),
        "down": whole("shift down", down, -1, 1, "down"),
    }

    def exchange(_: object) -> None:
        explorer.inputs = explorer.inputs | {"digit": new_digit(shown.value)}

    shown = controls["number"]
    shown.observe(exchange, names="value")  # before the explorer's own
    inputs = {"digit": new_digit(shown.value)}
    explorer = Explorer(
        "patch_attention",
        patch_sheet,
        controls,
        inputs,
        title="Attention over patches",
        task="Paint on the digit, and see which patches the model looks at.",
        more=("right", "down"),
    )
    return explorer


def new_digit(number: int) -> Array:
    """Return a digit of the new writers, counted from 1: (8, 8)."""
    picture: Array = digits("held out").pictures[number - 1].double().numpy()
    return picture


def patch_sheet(
    digit: Array,
    *,
    number: int,
    block: int,
    head: str,
    asks: str,
    right: int,
    down: int,
) -> Sheet:
    """What a token gives to every patch, in each head, and how likely digits are."""
    picture = shifted(torch.tensor(digit, dtype=torch.float32), right, down)
    looks, probabilities = read(tuple(picture.flatten().tolist()))
    looking = WHO.index(asks)
    weights = looks[block - 1, :, looking]  # (H, 1 + N)
    mine = weights.mean(0) if head == MEAN else weights[int(head) - 1]  # (1 + N,)
    s = Sheet()
    paper = PixelGrid(name="digit", title="the digit", size=(SIDE, SIDE), side=WIDE)
    s.draw(paper, digit)
    whose = "mean of heads" if head == MEAN else f"head {head}"
    itself = WHO[0] if looking else f"{WHO[0]} itself"
    words = {
        "title": "where it looks",
        "note": f"block {block}, {whose}; {mine[0]:.2f} goes to {itself}",
        "side": WIDE,
    }
    draw_looks(s, "seen", picture, mine[1:], **words)
    draw_heads(s, weights, head, looking)
    meant = int(digits("held out").digits[number - 1])
    best, chance = int(probabilities.argmax()), float(probabilities.max())
    own = not np.array_equal(digit, new_digit(number))
    words = {
        "title": "which digit it reads",
        "formula": "after your painting" if own else "✓ what its writer meant",
        "note": f"It reads a {best}, {chance:.0%} sure",
        "concludes": True,
    }
    draw_probabilities(s, probabilities, None if own else meant, **words)
    return s


@lru_cache(maxsize=32)
def read(pixels: tuple[float, ...]) -> tuple[torch.Tensor, Array]:
    """Read 64 pixels: all weights (L, H, 1 + N, 1 + N), probabilities (10, 1)."""
    picture = torch.tensor(pixels).view(SIDE, SIDE)
    model = _trained()
    probabilities = vit.probabilities(model, picture[None]).mT.double().numpy()
    return vit.attention_weights(model, picture).double(), probabilities


def draw_heads(s: Sheet, weights: torch.Tensor, head: str, asks: int) -> None:
    """Draw what each head gives to the patches, small; a click takes that head."""
    rows = Axis.numbered("", GRID)
    columns = Axis.numbered("", GRID)
    mine = np.zeros((GRID, GRID), dtype=bool)
    if asks:
        mine[divmod(asks - 1, GRID)] = True
    for n, (name, each) in enumerate(zip(HEADS, weights[:, 1:], strict=True)):
        table = s.leaf(f"head {name}", rows, columns, each.view(GRID, GRID).numpy())
        look: Style = {"palette": "weights", "vmax": 2 * FULL, "size": "medium"}
        look |= {"sentence": "patch ({row}, {column})", "shares": "patches"}
        look |= {"chooses": ("head", name), "chosen": name == head}
        s.show(table, outlined=mine, group=n // 2, **look)
