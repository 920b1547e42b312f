"""Prompts: brought into line before a text is written, and taken apart after."""

from typing import NamedTuple

import torch
from torch import Tensor

from ..model.config import TransformerConfig
from ..support.shapes import check_ids
from ..support.validation import check_type
from .settings import Decoding


class Prompt(NamedTuple):
    """Texts that end in the same column, so that the next tokens fill one column.

    ids: (B, T), padded on the left; lengths: (B,), the real tokens of each.
    """

    ids: Tensor
    lengths: Tensor

    @property
    def pads(self) -> Tensor:
        """Count the padding in front of each text: (B,)."""
        return self.ids.size(1) - self.lengths

    def repeat(self, times: int) -> "Prompt":
        """Give each text `times` rows, side by side."""
        return Prompt(*(x.repeat_interleave(times, dim=0) for x in self))

    def mask(self, width: int) -> Tensor | None:
        """Hide the padding, if any, in `width` columns: boolean (B, 1, 1, width)."""
        if not self.pads.any():
            return None
        columns = torch.arange(width, device=self.ids.device)
        return (columns >= self.pads[:, None])[:, None, None, :]

    def positions(self, width: int, most: int) -> Tensor:
        """Count each text's positions from its own first token: (B, width).

        Padding, and columns behind a text that is over, get a position that exists.
        """
        columns = torch.arange(width, device=self.ids.device)
        return (columns - self.pads[:, None]).clamp(0, most - 1)


def align(ids: Tensor, pad_id: int | None) -> Prompt:
    """Move the real tokens of each row of ids (B, T) to the right.

    Raises:
        ValueError: a row is padding alone, or has padding between real tokens.
    """
    real = torch.ones_like(ids, dtype=torch.bool) if pad_id is None else ids != pad_id
    lengths = real.sum(dim=1)  # (B,)
    if (lengths == 0).any():
        row = int((lengths == 0).nonzero()[0])
        raise ValueError(
            f"ids must hold a token in every row, got only {pad_id=} in row {row}"
        )
    columns = torch.arange(ids.size(1), device=ids.device)
    last = (real * columns).amax(dim=1)  # (B,), the column of the last real token
    first = last - lengths + 1
    apart = (real & (columns < first[:, None])).any(dim=1)  # (B,)
    if apart.any():
        row = int(apart.nonzero()[0])
        raise ValueError(
            "ids must hold padding only before or after the tokens, "
            f"got {pad_id=} between them in row {row}"
        )
    moved = ids.gather(1, (columns + last[:, None] + 1) % ids.size(1))  # (B, T)
    width = int(lengths.max()) if len(ids) else ids.size(1)
    return Prompt(moved[:, -width:], lengths)


def starts(decoding: Decoding, ids: Tensor) -> Prompt:
    """Start a target for each row of a source (B, S): its start token alone."""
    if decoding.start_id is None:
        raise ValueError("decoding.start_id must be given for a Transformer, got None")
    return Prompt(
        ids.new_full((len(ids), 1), decoding.start_id), ids.new_ones(len(ids))
    )


def check_request(ids: Tensor, decoding: Decoding, config: TransformerConfig) -> None:
    """Refuse ids, special tokens and lengths that the model does not have.

    Raises:
        TypeError, ValueError, IndexError: as `greedy` says.
    """
    check_type("decoding", decoding, Decoding)
    check_ids("ids", ids)
    V = config.vocabulary_size
    for name, token in decoding.special().items():
        if token is not None and not 0 <= token < V:
            raise IndexError(
                f"decoding.{name} must lie between 0 and {V - 1}, got {token}"
            )
    if ids.numel() and not 0 <= int(ids.min()) <= int(ids.max()) < V:
        raise IndexError(
            f"ids must lie between 0 and {V - 1}, got {int(ids.min())} to "
            f"{int(ids.max())}"
        )
    if decoding.max_length > config.max_length:
        raise ValueError(
            f"decoding.max_length must be at most the model's {config.max_length}, "
            f"got {decoding.max_length}"
        )


def check_length(prompt: Prompt, most: int, name: str) -> None:
    """Refuse a prompt of more than `most` tokens.

    Raises:
        ValueError: it is longer.
    """
    if prompt.ids.size(1) > most:
        raise ValueError(
            f"ids must hold at most {most} tokens in a row, for {name}, "
            f"got {prompt.ids.size(1)}"
        )


def finish(prompt: Prompt, written: Tensor, lengths: Tensor) -> Tensor:
    """Put what was written (B, N) behind the prompts, and all padding behind that.

    Args:
        prompt: of B rows.
        written: (B, N), with padding behind the end of a text.
        lengths: (B,), the tokens written in each row before its padding.

    Returns:
        (B, L), where L is the longest of prompt and text together.
    """
    ids = torch.cat([prompt.ids, written], dim=1)  # (B, T + N)
    columns = torch.arange(ids.size(1), device=ids.device)
    moved = ids.gather(1, (columns + prompt.pads[:, None]) % ids.size(1))
    longest = int((prompt.lengths + lengths).max()) if len(ids) else ids.size(1)
    return moved[:, :longest]
