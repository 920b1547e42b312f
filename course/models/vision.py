"""An encoder of pictures: patches in the place of words, and a class token."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_lib.checks.validation import (
    check_arguments,
    check_numbers,
    checked_by,
    require,
)
from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.embedding import PositionalEncoding
from transformer_lib.model.transformer import Encoder, add_positions, check_no_window
from transformer_lib.runtime.module import Assembly, Part, glorot


def check_pictures(self: Any, pictures: Tensor) -> None:
    """Raise unless pictures are (B, C, height, width) and consist of whole patches."""
    check_numbers("pictures", pictures, self)
    patches = getattr(self, "patches", self)
    C, P = patches.channels, patches.patch_size
    side, shape = getattr(self, "side", None), pictures.shape
    wanted = f"have shape (batch, {C}, {side or 'height'}, {side or 'width'})"
    fits = len(shape) == 4 and shape[1] == C and 0 not in shape[2:]
    fits = fits and (side is None or shape[2:] == (side, side))
    require(fits, "pictures", wanted, shape)
    whole = shape[2] % P == 0 == shape[3] % P
    require(whole, "pictures", f"be whole patches of {P} × {P} pixels", shape)


class PatchEmbedding(Part):
    """Cut a picture into square patches, and project the pixels of each to a vector.

        x_n = W · pixels_n + b,  where patches n are numbered row by row

    A patch is P = `patch_size` pixels wide and high, and a picture has C = `channels`.
    The C · P² numbers of a patch are ordered by channel, and then row by row.

    Source: Dosovitskiy et al. (2021), §3.1; D0.6.vision.
    """

    @check_arguments
    def __init__(self, channels: int, patch_size: int, d_model: int) -> None:
        super().__init__()
        self.channels = channels
        self.patch_size = patch_size
        self.W = nn.Linear(channels * patch_size**2, d_model)
        glorot(self.W)

    @checked_by(check_pictures)
    def forward(self, pictures: Tensor) -> Tensor:
        """Turn pictures (B, C, height, width) of N patches into vectors (B, N, D).

        Raise a ValueError if they cannot be cut into whole patches.
        """
        P = self.patch_size
        pixels = F.unfold(pictures, P, stride=P).mT  # (B, N, C · P²)
        vectors: Tensor = self.W(pixels)  # (B, N, D)
        return vectors

    def extra_repr(self) -> str:
        """Show the sizes."""
        return f"patches of {self.patch_size} × {self.patch_size} × {self.channels}"


class VisionTransformer(Assembly):
    """An encoder of pictures, as ViT: the N patches of a picture are its tokens.

    A learned class token comes first; its hidden state represents the whole picture.

    Args:
        config: its sizes; max_length must be at least 1 + N. The vocabulary is unused.
        channels: C, 1 for gray pictures and 3 for color.
        side: the height and width of a picture in pixels.
        patch_size: the height and width of a patch in pixels; must divide side.

    Source: Dosovitskiy et al. (2021), §3.1; D0.6.vision.
    """

    @check_arguments
    def __init__(
        self, config: TransformerConfig, channels: int, side: int, patch_size: int
    ) -> None:
        super().__init__()
        divides = side % patch_size == 0
        require(divides, "patch_size", "divide side", f"{patch_size} and {side}")
        needed = 1 + (side // patch_size) ** 2
        wanted = (
            f"have max_length of at least {needed}, for the class token and patches"
        )
        require(config.max_length >= needed, "config", wanted, config.max_length)
        check_no_window(config)
        self.config = c = config
        self.d_model = c.d_model
        self.side = side
        self.patches = PatchEmbedding(channels, patch_size, c.d_model)
        row = torch.empty(c.d_model)
        self.class_token = nn.Parameter(nn.init.normal_(row, std=c.d_model**-0.5))
        if c.positions != "rotary":
            self.positions = PositionalEncoding(c.max_length, c.d_model, c.positions)
        self.encoder = Encoder(c)

    @checked_by(check_pictures)
    def forward(self, pictures: Tensor) -> Tensor:
        """Turn pictures (B, C, side, side) into hidden states (B, 1 + N, D).

        The first hidden state belongs to the class token, the others to the patches,
        row by row. Raise a TypeError or a ValueError if the pictures do not fit.
        """
        patches = self.patches(pictures)  # (B, N, D)
        row = self.class_token.expand(len(patches), 1, -1)  # (B, 1, D)
        tokens = torch.cat([row, patches], dim=1)  # (B, 1 + N, D)
        positions = torch.arange(tokens.size(1), device=tokens.device)
        return self.encoder(add_positions(self, tokens, positions))
