"""Padding: align texts of different lengths, and join them with their continuations."""

from typing import NamedTuple

import torch
from torch import Tensor

from ..checks.validation import require


class Prompt(NamedTuple):
    """Texts that end in the same column, so that the next tokens fill one column.

    ids: (B, T), padded on the left; lengths: (B,), the number of tokens in each.
    """

    ids: Tensor
    lengths: Tensor

    @property
    def pads(self) -> Tensor:
        """Count the padding in front of each text: (B,)."""
        return self.ids.size(1) - self.lengths

    def repeat(self, times: int) -> "Prompt":
        """Repeat each text in `times` adjacent rows."""
        return Prompt(*(x.repeat_interleave(times, dim=0) for x in self))

    def mask(self, width: int) -> Tensor | None:
        """Hide the padding, if any, in `width` columns: boolean (B, 1, 1, width)."""
        if not self.pads.any():
            return None
        columns = torch.arange(width, device=self.ids.device)
        return (columns >= self.pads[:, None])[:, None, None, :]

    def positions(self, width: int, most: int) -> Tensor:
        """Count each text's positions from its start: (B, width), below `most`."""
        columns = torch.arange(width, device=self.ids.device)
        return (columns - self.pads[:, None]).clamp(0, most - 1)


def align(ids: Tensor, pad_id: int | None) -> Prompt:
    """Move the number of tokens in each row of ids (B, T) to the right.

    Raise a ValueError if a row is padding alone, or has padding between tokens.
    """
    is_token = ids != pad_id if pad_id is not None else torch.ones_like(ids) > 0
    lengths = is_token.sum(dim=1)  # (B,)
    for row in (lengths == 0).nonzero().flatten().tolist():
        got = f"only {pad_id=} in row {row}"
        require(False, "ids", "hold a token in every row", got)
    columns = torch.arange(ids.size(1), device=ids.device)
    last = (is_token * columns).amax(dim=1)  # (B,), the column of the last token
    first = last - lengths + 1
    apart = (is_token & (columns < first[:, None])).any(dim=1)  # (B,)
    for row in apart.nonzero().flatten().tolist():
        got = f"{pad_id=} between them in row {row}"
        require(False, "ids", "hold padding only before or after the tokens", got)
    moved = ids.gather(1, (columns + last[:, None] + 1) % ids.size(1))  # (B, T)
    width = int(lengths.max()) if len(ids) else ids.size(1)
    return Prompt(moved[:, -width:], lengths)


def join(prompt: Prompt, written: Tensor, lengths: Tensor) -> Tensor:
    """Put new tokens (B, N) after the prompts, and all padding after them: (B, L).

    Of each row of new tokens, `lengths` (B,) are text. L is the longest text's length.
    """
    ids = torch.cat([prompt.ids, written], dim=1)  # (B, T + N)
    columns = torch.arange(ids.size(1), device=ids.device)
    moved = ids.gather(1, (columns + prompt.pads[:, None]) % ids.size(1))
    longest = int((prompt.lengths + lengths).max()) if len(ids) else ids.size(1)
    return moved[:, :longest]
