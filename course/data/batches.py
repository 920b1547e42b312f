"""Batches: sentences of many lengths in one block of ids."""

from collections.abc import Sequence

import torch
from torch import Tensor

from transformer_lib.checks.validation import check_size, require


def padded(
    sentences: Sequence[Sequence[int]], pad_id: int, length: int | None = None
) -> Tensor:
    """Write sentences of ids below each other, with padding behind the shorter ones.

    Args:
        sentences: the ids of each, at least one sentence.
        pad_id: what fills up.
        length: how wide the block is; as the longest sentence without it.

    Returns:
        ids (B, length).

    Raises:
        TypeError, ValueError: there is no sentence, one is longer than length, or
            length is below 1.
    """
    rows = [list(sentence) for sentence in sentences]
    require(bool(rows), "sentences", "hold at least one", "none")
    longest = max(map(len, rows))
    width = longest if length is None else length
    check_size("length", width)
    require(longest <= width, "sentences", f"be at most {width} long", longest)
    return torch.tensor([row + [pad_id] * (width - len(row)) for row in rows])
