"""A small Vision Transformer: it reads a handwritten digit, patch by patch."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from transformer_lib.checkpoints import registered
from transformer_lib.checks.validation import check_type, require
from transformer_lib.model.config import TransformerConfig
from transformer_lib.runtime.module import Assembly
from transformer_lib.runtime.recording import record
from transformer_lib.training import smoothed_cross_entropy

from ..data.digits import CLASSES, SIDE, Digits, augmented, digits
from .baselines import majority_accuracy
from .measures import fraction
from .small_model import Recipe, SmallModel
from .vision import VisionTransformer

PATCH = 2  # pixels a patch is wide and high
GRID = SIDE // PATCH  # patches in a row
SIZES = TransformerConfig(
    d_model=48,
    n_heads=4,
    n_encoder_layers=3,
    d_ff=96,
    dropout=0.0,
    max_length=1 + GRID**2,
    positions="learned",
    activation="gelu",
    norm_first=True,
)
RECIPE = Recipe(steps=3000, peak=3e-3, warmup=200, smoothing=0.1)
MEAN, SPREAD = 0.3, 0.4  # of the ink of pixels, about, in what is learned
Augment = Callable[[Tensor, torch.Generator], Tensor]


@dataclass(frozen=True, kw_only=True)
class ViTConfig:
    """The sizes of a ViT.

    Args:
        encoder: those of its encoder, which has a position for the class token and each
            patch.
        patch_size: how many pixels a patch is high and wide; divides 8.
    """

    encoder: TransformerConfig = SIZES
    patch_size: int = PATCH


@registered
class ViT(Assembly):
    """A VisionTransformer whose class token is asked which digit a picture shows.

        logits = W · encoder(class token, patches)_0 + b

    There is no mask: every patch may look at every other. The input is patches in the
    place of words, the objective the name of the digit.

    Source: Dosovitskiy et al. (2021), §3.1; D0.6.vision.
    """

    def __init__(self, config: ViTConfig) -> None:
        check_type("config", config, ViTConfig)
        super().__init__()
        self.config = config
        self.reader = VisionTransformer(config.encoder, 1, SIDE, config.patch_size)
        self.head = nn.Linear(config.encoder.d_model, CLASSES)

    def forward(self, pictures: Tensor) -> Tensor:
        """Score the ten digits for pictures (B, 8, 8): logits (B, 10)."""
        hidden = self.reader((pictures[:, None] - MEAN) / SPREAD)  # (B, 1 + N, D)
        logits: Tensor = self.head(hidden[:, 0])  # (B, 10)
        return logits


def probabilities(model: nn.Module, pictures: Tensor) -> Tensor:
    """Return how likely each digit is: pictures (B, 8, 8) of 0 … 1 to (B, 10).

    Raises:
        TypeError, ValueError: pictures are not numbers from 0 to 1 of shape (B, 8, 8).
    """
    check_type("pictures", pictures, Tensor)
    shape = tuple(pictures.shape)
    fits = len(shape) == 3 and shape[1:] == (SIDE, SIDE)
    require(fits, "pictures", f"have shape (batch, {SIDE}, {SIDE})", shape)
    outside = pictures[~((pictures >= 0) & (pictures <= 1))].tolist()
    require(not outside, "pictures", "hold numbers from 0 to 1", outside[:1])
    with torch.inference_mode():
        logits: Tensor = model(pictures.float())  # (B, 10)
    return logits.softmax(-1)


def score(model: nn.Module, asked: Digits) -> float:
    """Return the accuracy of a model on pictures."""
    said = probabilities(model, asked.pictures).argmax(-1)
    return fraction(said == asked.digits)


def attention_weights(model: ViT, picture: Tensor) -> Tensor:
    """Return the attention weights on a picture (8, 8): (L, H, 1 + N, 1 + N).

    L is the blocks, H their heads. The first row and column are the class token's; the
    others are the patches', row after row.
    """
    with record(model) as tensors:
        probabilities(model, picture[None])
    name = "reader.encoder.blocks.{}.self_attention.weights"
    blocks = range(model.config.encoder.n_encoder_layers)
    return torch.cat([tensors[name.format(n)] for n in blocks])


def measure(model: ViT) -> dict[str, float]:
    """Measure the accuracy on digits of new writers, beside the baseline."""
    held_out = digits("held out")
    return {
        "accuracy": score(model, held_out),
        "the commonest digit": majority_accuracy(held_out.digits.tolist()),
    }


def loss(model: nn.Module, batch: Digits) -> Tensor:
    """Return the smoothed cross-entropy of the digits that pictures show."""
    logits = model(batch.pictures)
    return smoothed_cross_entropy(logits, batch.digits, RECIPE.smoothing)


def drawn(
    draw: torch.Generator, count: int, known: Digits | None, augment: Augment
) -> Digits:
    """Draw pictures to learn from, each changed a little."""
    pictures, names = digits("first half") if known is None else known
    rows = torch.randint(len(names), (count,), generator=draw)
    return Digits(augment(pictures[rows], draw), names[rows])


def model_of(
    build: Callable[[], nn.Module],
    known: Digits | None = None,
    augment: Augment = augmented,
    **others: Any,
) -> SmallModel[Any, Digits]:
    """Return the small model of a network that reads digits.

    Args:
        build: makes a network that turns pictures (B, 8, 8) into logits (B, 10).
        known: what it learns from; the first half of all digits without it.
        augment: changes the pictures of a batch, by chance.
        others: see `SmallModel`.
    """
    return SmallModel(
        build=build,
        batch=partial(drawn, known=known, augment=augment),
        loss=loss,
        recipe=RECIPE,
        **{"name": "digits", "seeds": (), **others},
    )


MODEL: SmallModel[ViT, Digits] = model_of(
    lambda: ViT(ViTConfig()), name="vit", seeds=(0,), measure=measure, half=True
)
begin, trained = MODEL.begin, MODEL.trained
