"""split_lab: what view, transpose and contiguous do to the numbers in memory."""

from collections.abc import Sequence
from typing import Any

from ...support.validation import check_size
from ..toolkit.controls import choice, stops
from ..toolkit.drawing import Drawing, Matrix
from ..toolkit.explorer import Arrays, Explorer
from ..toolkit.inputs import some_words
from ..toolkit.tiles import Tiles
from .splitting import (
    COPY,
    JOINED,
    MISTAKE,
    STEPS,
    TITLE,
    TRANSPOSE,
    VIEW,
    X,
    corner,
    in_line_of_memory,
    split_steps,
)

SIZES, MOST_TOKENS = range(1, 9), 32


def split_lab(
    d_model: int = 8,
    n_heads: int = 2,
    tokens: Sequence[str] = ("AI", "is", "powerful"),
) -> Explorer:
    """How a matrix of tokens is split into heads, and where its numbers lie.

    Args:
        d_model: D, 1 to 8.
        n_heads: H to begin with, a divisor of D.
        tokens: T words, 1 to 32.

    Returns:
        an Explorer with controls "step" and "n_heads".

    Raises:
        TypeError, ValueError: a size or a word does not fit.

    Source: Vaswani et al. (2017), §3.2.2; D2.3.3, D3.5.
    """
    check_size("d_model", d_model)
    check_size("n_heads", n_heads)
    words = some_words("tokens", tokens, MOST_TOKENS)
    if d_model not in SIZES:
        raise ValueError(f"d_model may be 8 at most, got {d_model}")
    if d_model % n_heads:
        raise ValueError(f"n_heads must divide d_model, got {n_heads=} and {d_model=}")
    divisors = [h for h in SIZES if d_model % h == 0]
    controls = {
        "step": choice("step", STEPS, wide=8.5),
        "n_heads": stops("heads", divisors, n_heads),
    }
    T = len(words)
    return Explorer(
        lambda **settings: split_steps(T, d_model, **settings),
        lambda arrays, **settings: split_boards(arrays, words, d_model, **settings),
        controls,
        {},
    )


def split_boards(
    arrays: Arrays, words: Sequence[str], d_model: int, *, step: str, n_heads: int
) -> list[Drawing]:
    """The tensor as its axes arrange it, and the memory below it."""
    faces = [(w, str(c + 1)) for w in words for c in range(d_model)]
    shape, strides = (_tuple(arrays[name]) for name in ("shape", "strides"))
    tiles: dict[str, Any] = {
        "faces": faces,
        "sayings": _sayings(arrays, faces, d_model // n_heads),
    }
    tensor = Tiles(
        name="tensor",
        title="tensor",
        formula=f"{_code(step)} · shape {shape}",
        sentence="Each tile: a token and the number of the feature.",
        marks=_titles(words, step, n_heads, d_model),
        board=_room(len(words), d_model, n_heads),
        note=_note(step),
        **tiles,
    )
    return [tensor, _memory(len(words), step, n_heads, strides, tiles)]


def _memory(
    length: int, step: str, n_heads: int, strides: str, tiles: dict[str, Any]
) -> Tiles:
    """The line of memory, with its addresses, wrapped where it is long."""
    N = len(tiles["faces"])
    across = in_line_of_memory(N)
    return Tiles(
        name="memory",
        title="memory",
        formula=f"strides {strides}",
        marks=[(a % across + 0.3, 2 * (a // across) + 0.9, str(a)) for a in range(N)],
        board=(float(across), -(-N // across) * 2.0),
        group=1,
        note=_lies(step, length > 1 and n_heads > 1),
        **tiles,
    )


def _room(length: int, d_model: int, n_heads: int) -> tuple[float, float]:
    """How many tiles wide and high the tensor is at most, in any of the steps."""
    d_k = d_model // n_heads
    blocks = (1, d_model, length), (length, d_k, n_heads), (n_heads, d_k, length)
    corners = [
        (*corner(n, wide, high), wide, high)
        for count, wide, high in blocks
        for n in range(count)
    ]
    wide_enough = max(x + wide for x, _, wide, _ in corners)
    return max(12.0, wide_enough), max(y + high for _, y, _, high in corners)


def _sayings(arrays: Arrays, faces: Sequence[tuple[str, str]], d_k: int) -> list[str]:
    """For each number: what it is, and how its address comes from its index."""
    says = []
    strides = arrays["strides"][0].astype(int).tolist()
    indices = arrays["index"].astype(int).tolist()
    addresses = arrays["address"][:, 0].astype(int).tolist()
    rows = zip(faces, indices, addresses, strict=True)
    for (word, feature), index, address in rows:
        terms = " + ".join(f"{i}·{s}" for i, s in zip(index, strides, strict=True))
        head = (int(feature) - 1) // d_k + 1
        says.append(
            f"“{word}”, feature {feature}, head {head}: "
            f"index {index} lies at address {terms} = {address}"
        )
    return says


def _titles(
    words: Sequence[str], step: str, n_heads: int, d_model: int
) -> list[tuple[float, float, str]]:
    """The names of the blocks above them, and of the rows at the left."""
    heads = [f"head {h + 1}" for h in range(n_heads)]
    blocks, rows = {
        VIEW: (list(words), heads),
        TRANSPOSE: (heads, list(words)),
        COPY: (heads, list(words)),
        MISTAKE: (
            [f"{h}?" for h in heads],
            [f"row {n + 1}" for n in range(len(words))],
        ),
    }.get(step, ([], list(words)))
    wide, high = d_model // n_heads, len(rows)
    above, left = [], [] if blocks else [(0.0, n + 1.0, w) for n, w in enumerate(rows)]
    for block, name in enumerate(blocks):
        x, y = corner(block, wide, high)
        above.append((x, y - 1, name))
        if x == TITLE:  # the first of its line
            left += [(0.0, y + n, row) for n, row in enumerate(rows)]
    return above + left


def _code(step: str) -> str:
    return {
        X: "x",
        VIEW: "x.view(T, H, d_k)",
        TRANSPOSE: "x.view(T, H, d_k).transpose(0, 1)",
        COPY: "x.view(T, H, d_k).transpose(0, 1).contiguous()",
        JOINED: "heads.transpose(0, 1).reshape(T, D)",
        MISTAKE: "x.view(H, T, d_k)",
    }[step]


def _note(step: str) -> str:
    return {
        X: "one row per token",
        VIEW: "one block per token: its row, cut into heads",
        TRANSPOSE: "one block per head: every token, with this head's features",
        COPY: "the same tensor as after transpose",
        JOINED: "the heads side by side again: this is the concatenation",
        MISTAKE: "the mistake: a block holds pieces of one token, then of the next",
    }[step]


def _lies(step: str, moves: bool) -> str:
    """Whether memory was copied; a transpose of one row or block moves nothing."""
    copied = {
        COPY: "copied: the numbers of one head now lie side by side",
        JOINED: "copied: the numbers of one token lie side by side again",
    }
    return copied.get(step, "") * moves or "nothing has moved in memory"


def _tuple(values: Matrix) -> str:
    return str(tuple(int(v) for v in values[0]))
