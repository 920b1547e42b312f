"""leak_detector: change one token and see exactly which outputs move."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...model.config import TransformerConfig
from ...model.embedding import PositionalEncoding, TokenEmbedding
from ..toolkit.controls import choice, stops
from ..toolkit.explorer import Arrays, Explorer
from ..toolkit.inputs import labels
from ..toolkit.panel import Panel
from .leaky import KINDS, UNMASKED, Stack

LARGEST = 32  # words: each is changed once, and the whole model run
BLOCKS = range(1, 5)
FARTHEST = 4.0  # one scale for all models: what is normalised moves by 2√3 at most
SIZES = TransformerConfig(d_model=4, n_heads=2, d_ff=16, dropout=0.0)
Matrix = NDArray[np.float64]


def leak_detector(
    tokens: Sequence[str], other: str = "robot", model: str = UNMASKED
) -> Explorer:
    """A small untrained model, and which of its outputs move with which token.

    Args:
        tokens: the sentence, 2 to 32 words.
        other: the word that takes the place of one of them.
        model: which kind to begin with: "encoder" (no mask), "GPT-style" (one masked
            self-attention), "second unmasked" (document D3's block) or "both masked".

    Returns:
        an Explorer with controls "model", "n_blocks" and "position".

    Raises:
        TypeError, ValueError: the words or the model are none of these.

    Source: D2.8, D3.9, D3.9.3.
    """
    words = _words(tokens, other)
    if model not in KINDS:
        raise ValueError(f"model must be one of {KINDS}, got {model!r}")
    controls = {
        "model": choice("model", KINDS, wide=11),
        "n_blocks": stops("blocks", BLOCKS, 1),
        "position": stops("change token", range(1, len(words) + 1), len(words)),
    }
    controls["model"].value = model
    return Explorer(
        lambda **settings: leak_steps(len(words), **settings),
        lambda arrays, **settings: leak_panels(arrays, words, other, **settings),
        controls,
        {},
    )


def _words(tokens: Sequence[str], other: str) -> list[str]:
    """The words of the sentence, if they are some and `other` is another one."""
    if isinstance(tokens, str) or not isinstance(tokens, Iterable):
        raise TypeError(f"tokens must be a list of words, got {tokens!r}")
    words = labels("tokens", list(tokens), len(list(tokens)))
    if not 2 <= len(words) <= LARGEST:
        raise ValueError(f"tokens must be 2 to {LARGEST} words, got {len(words)}")
    labels("other", [other], 1)
    if other in words:
        raise ValueError(f"other must be a word that is not in tokens, got {other!r}")
    return words


def leak_steps(length: int, *, model: str, n_blocks: int, position: int) -> Arrays:
    """Outputs before and after each token is changed, and how far each one moves.

        moved_ij = max over features |y_i(token j changed) − y_i|

    Args:
        length: T.
        model: one of KINDS.
        n_blocks: 1 … 4.
        position: the token that "after" and "difference" are about, 1 … T.

    Returns:
        "moved" (T, T), "leaks" (1, 1): how many of its cells above the diagonal are
        not 0, and "before", "after" and "difference" (T, 4).

    Raises:
        ValueError: a setting is out of range.
    """
    if position not in range(1, length + 1):
        raise ValueError(f"position must be between 1 and {length}, got {position}")
    if n_blocks not in BLOCKS:
        raise ValueError(f"n_blocks must be between 1 and 4, got {n_blocks}")
    kept = _outputs(model, n_blocks, length)
    before, *after = (y.clone() for y in kept)  # what is kept is not handed out
    moved = torch.stack([(y - before).abs().amax(-1) for y in after], dim=1)  # (T, T)
    later = after[position - 1]
    return {
        "moved": moved.numpy(),
        "leaks": moved.triu(1).count_nonzero().double()[None, None].numpy(),
        "before": before.numpy(),
        "after": later.numpy(),
        "difference": (later - before).numpy(),
    }


@cache
def _outputs(model: str, n_blocks: int, length: int) -> list[Tensor]:
    """Outputs (T, D): of the sentence, and of it with token 1, 2, … T changed.

    One sentence at a time: every run is then the same sums in the same order, and what
    does not depend on the changed token is equal to the last bit.
    """
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(6)
        embedding = TokenEmbedding(LARGEST + 1, SIZES.d_model)
        stack = Stack(model, n_blocks, SIZES).double()
        positions = PositionalEncoding(LARGEST, SIZES.d_model).double()
        ids = torch.arange(length).repeat(length + 1, 1)  # (1 + T, T)
        ids[1:].fill_diagonal_(LARGEST)
        x = embedding.double()(ids) + positions(torch.arange(length))
        return [stack(one[None])[0] for one in x]


def leak_panels(
    arrays: Arrays,
    words: Sequence[str],
    other: str,
    *,
    model: str,
    n_blocks: int,
    position: int,
) -> list[Panel]:
    """Which output moves with which token; the outputs before and after one change."""
    changed = [other if n == position else w for n, w in enumerate(words, 1)]
    before = _outputs_of(words)
    after = replace(
        before,
        name="after",
        title="after",
        formula=f"token {position} is now “{other}”",
        rows=changed,
        sentence=f"{before.sentence}, after the change",
    )
    return [_moved(arrays, words, other), before, after, _difference(arrays, after)]


def _difference(arrays: Arrays, after: Panel) -> Panel:
    return replace(
        after,
        name="difference",
        title="difference",
        formula="after − before",
        palette="scores",
        limit=FARTHEST,
        **_exact_zeros(arrays["difference"]),
        sentence="how much feature {column} of the output of “{row}” has moved",
        note="hatched: exactly 0",
    )


def _moved(arrays: Arrays, words: Sequence[str], other: str) -> Panel:
    return Panel(
        name="moved",
        title="moved",
        formula=f"how far each output moves when one token becomes “{other}”",
        rows=words,
        columns=words,
        axes=("output of", "changed token"),
        palette="scores",
        limit=FARTHEST,
        **_exact_zeros(arrays["moved"]),
        sentence="how far the output of “{row}” moves with the token “{column}”",
        note=_verdict(int(arrays["leaks"][0, 0]), len(words)),
    )


def _outputs_of(words: Sequence[str]) -> Panel:
    return Panel(
        name="before",
        title="before",
        formula="outputs",
        rows=words,
        columns=[str(n + 1) for n in range(SIZES.d_model)],
        axes=("output of", "feature"),
        palette="output",
        limit=2.8,
        sentence="output of “{row}”, feature {column}",
        group=1,
    )


def _exact_zeros(values: Matrix) -> dict[str, Any]:
    """Three decimals, and a hatched 0 where nothing has moved at all."""
    return {"digits": 3, "words": ("0",), "hidden": values == 0, "veil": ""}


def _verdict(leaks: int, length: int) -> str:
    if not leaks:
        return "Hatched: exactly 0. No output moves with a token that comes after it."
    above = length * (length - 1) // 2
    return f"It leaks: above the diagonal {leaks} of {above} cells are not 0."
