"""split_lab: what view, transpose and contiguous do to a tensor and its memory."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from explorable import Array, Explorer, Sheet, plots
from explorable.controls import choice
from explorable.drawings.tiles import Tiles
from explorable.inputs import some_words, whole_number

from .head_split import divisors

CODES = {  # what is shown is what is run
    "x": "x",
    "view": "x.view(T, H, d_k)",
    "transpose": "x.view(T, H, d_k).transpose(0, 1)",
    "contiguous": "x.view(T, H, d_k).transpose(0, 1).contiguous()",
    "joined again": "heads.transpose(0, 1).reshape(T, D)",
    "view alone": "x.view(H, T, d_k)",
}
NOTES = {
    "x": "one row per token",
    "view": "one block per token: its features, divided among the heads",
    "transpose": "one block per head: every token, with the features of this head",
    "contiguous": "the same tensor as after transpose",
    "joined again": "the heads next to each other again: the concatenation",
    "view alone": "a mistake: each block holds only some of the tokens",
}
COPIED = "contiguous", "joined again"
Mark = tuple[float, float, str]
TITLE = 2.6  # tiles that a row's label takes
GAP = 0.6  # tiles between two blocks
WIDEST = 24  # tiles in a line
WHOLE = 4  # letters of a word that has room on a tile


def split_lab(
    d_model: int = 8,
    n_heads: int | None = None,
    tokens: Sequence[str] = ("AI", "is", "powerful"),
) -> Explorer:
    """Show how a matrix of tokens is split into heads, and its layout in memory.

    Args:
        d_model: D, 1 to 8.
        n_heads: H to begin with, a divisor of D; by default 2, or 1 for an odd D.
        tokens: T words, 1 to 32.

    Returns:
        an Explorer with controls "step" and "n_heads".

    Raises:
        TypeError, ValueError: a size or a word does not fit.

    Source: Vaswani et al. (2017), §3.2.2; D2.3.3, D3.5.
    """
    words = some_words("tokens", tokens, 1, 32)
    D = whole_number("d_model", d_model, 1, 8)
    controls = {"step": choice("step", [*CODES]), "n_heads": divisors(D, n_heads)}
    return Explorer(
        "split_lab",
        split_sheet,
        controls,
        words=words,
        d_model=D,
        title="View, transpose, and back",
        task="Choose a number of heads, and follow one number through every step.",
    )


def split(T: int, D: int, H: int, step: str) -> Tensor:
    """The numbers 0, 1, … of a matrix (T, D), after a step: the code shown is run."""
    x = torch.arange(T * D).view(T, D)
    heads = x.view(T, H, D // H).transpose(0, 1).contiguous()  # as attention gives them
    names = {"x": x, "heads": heads, "T": T, "D": D, "H": H, "d_k": D // H}
    after: Tensor = eval(CODES[step], names)
    return after


def split_sheet(words: list[str], d_model: int, *, step: str, n_heads: int) -> Sheet:
    """The index of every number in the tensor, and its address in memory.

    The address of a number is Σ_axis index_axis · stride_axis.
    """
    s = Sheet()
    sizes = (len(words), d_model, n_heads)
    t = split(*sizes, step)
    N = len(words) * d_model
    d_k = d_model // n_heads
    shades = np.linspace(3, plots.STEPS - 2, n_heads).round()  # from faint to full
    shade = np.tile(np.repeat(shades, d_k), len(words))
    numbers = [(word, str(c + 1)) for word in words for c in range(d_model)]
    short = dict(zip(words, abbreviated(words), strict=True))
    faces = [(short[word], feature) for word, feature in numbers]
    tiles: dict[str, Any] = {"faces": faces, "sayings": _sayings(numbers, d_k, t)}
    tiles["opens"] = len(words) // 2 * d_model + 5 * d_model // 8  # no index is 0
    wide, high = np.max([_places(split(*sizes, x)) for x in CODES], axis=(0, 1)) + 1
    tensor = Tiles(
        name="tensor",
        formula=f"{CODES[step]} · shape {tuple(t.shape)}",
        sentence="Each tile is one number: a token, and the number of the feature.",
        marks=_marks(words, n_heads, step, t),
        board=(max(12.0, wide), high),  # as large as any step needs
        note=NOTES[step],
        **tiles,
    )
    across = N if N <= WIDEST else 16  # numbers in one line of memory
    line, column = np.divmod(_index(t) @ t.stride(), across)
    moves = min(len(words), n_heads) > 1  # a transpose of one row or block does not
    memory = Tiles(
        name="memory",
        formula=f"strides {t.stride()}",
        marks=[(a % across + 0.3, 2 * (a // across) + 0.9, str(a)) for a in range(N)],
        board=(float(across), -(-N // across) * 2.0),
        note=_said(moves and step in COPIED, n_heads, _pieces(t, d_model, d_k)),
        concludes=True,
        group=1,
        **tiles,
    )
    s.draw(tensor, np.column_stack([_places(t), shade]))
    s.draw(memory, np.column_stack([column, 2 * line, shade]))
    return s


def abbreviated(words: Sequence[str]) -> list[str]:
    """Words as short as a tile: "pow." for "powerful", unless two then look alike."""
    short = [word if len(word) <= WHOLE else f"{word[: WHOLE - 1]}." for word in words]
    return short if len(set(short)) == len(set(words)) else list(words)


def _said(copied: bool, n_heads: int, pieces: int) -> str:
    """State whether a step has moved numbers, and in how many pieces a head lies."""
    done = "copied" if copied else "nothing has moved"
    if n_heads == 1:
        return f"{done} in memory"
    many = "one piece" if pieces == 1 else f"{pieces} pieces"
    return f"{done}: each head lies in {many} of memory"


def _pieces(t: Tensor, d_model: int, d_k: int) -> int:
    """How many runs of neighbors in memory hold the numbers of the first head."""
    address = np.sort((_index(t) @ t.stride())[np.arange(t.numel()) % d_model < d_k])
    return 1 + int((np.diff(address) > 1).sum())


def _index(t: Tensor) -> NDArray[np.int_]:
    """Where each number stands in a tensor of 0, 1, …: its index, (numbers, axes)."""
    order = np.argsort(t.numpy(), axis=None)
    return np.stack(np.unravel_index(order, t.shape), axis=-1)


def _places(t: Tensor) -> Array:
    """Where each number is drawn: x and y, (numbers, 2)."""
    blocks = t.reshape(-1, *t.shape[-2:])  # a matrix is one block
    return np.stack(_at(t, *_index(blocks).T), axis=-1)


def _at(t: Tensor, block: Any, row: Any, column: Any = 0) -> tuple[Any, Any]:
    """The place of a tile: blocks stand side by side, in lines of equal height."""
    high, wide = t.shape[-2:]
    line, nth = np.divmod(block, max(1, int(WIDEST // (wide + GAP))))
    return TITLE + nth * (wide + GAP) + column, 1 + line * (high + 1.0) + row


def _marks(words: list[str], n_heads: int, step: str, t: Tensor) -> list[Mark]:
    """The names of the blocks or heads, above them, and of the rows, to their left."""
    heads = [f"head {h + 1}" for h in range(n_heads)]
    mixed = [f"{h}?" for h in heads], [f"row {n + 1}" for n in range(len(words))]
    known = {"view": (words, heads), "view alone": mixed}
    blocks, rows = known.get(step, (heads, words))
    above = [(*_at(t, b, -1), name) for b, name in enumerate(blocks)]
    if t.dim() == 2:  # the features of a head stand in columns of one block
        d_k = t.size(1) // n_heads
        above = [(*_at(t, 0, -1, h * d_k), name) for h, name in enumerate(heads)]
    lines = sorted({y for _, y, _ in above})
    return above + [(0.0, y + 1 + n, row) for y in lines for n, row in enumerate(rows)]


def _sayings(faces: Sequence[tuple[str, str]], d_k: int, t: Tensor) -> list[str]:
    """For each number: what it is, and how its address comes from its index."""
    says = []
    strides = t.stride()
    for (word, feature), index in zip(faces, _index(t).tolist(), strict=True):
        what = f"“{word}”, feature {feature}, head {(int(feature) - 1) // d_k + 1}"
        at = " + ".join(map("{}·{}".format, index, strides))
        at += f" = {np.dot(index, strides)}"
        says.append(f"{what}: index {index} lies at address {at}")
    return says
