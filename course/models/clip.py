"""A small CLIP: it matches captions with pictures."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_lib.checkpoints import registered
from transformer_lib.checks.validation import check_number, require
from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.masks import padding_mask
from transformer_lib.model.transformer import EncoderOnlyTransformer
from transformer_lib.runtime.module import Assembly

from ..data.captions import PAD_ID, VOCABULARY, captions, in_ids
from ..data.shapes import (
    SIDE,
    Scene,
    Split,
    drawings,
    held_out_scenes,
    learned_scenes,
    numbers,
    photographed,
)
from .measures import fraction
from .small_model import Recipe, SmallModel
from .vision import VisionTransformer

PATCH = 2  # the side of a patch, in cells
GRID = SIDE // PATCH
SIZES = TransformerConfig(
    vocabulary_size=len(VOCABULARY),
    d_model=64,
    n_heads=4,
    n_encoder_layers=2,
    d_ff=128,
    dropout=0.0,
    max_length=1 + GRID**2,  # of the pictures; captions are shorter
    positions="learned",
    activation="gelu",
    norm_first=True,
)
RECIPE = Recipe(steps=1500, peak=2e-3, warmup=75)
TOGETHER = 64  # pictures, and captions, among which the right one is to be found
Match = tuple[Tensor, Tensor]


@dataclass(frozen=True, kw_only=True)
class CLIPConfig:
    """The sizes of a CLIP.

    Args:
        encoder: the sizes of each of the two encoders.
        shared: E, the dimension of the space that pictures and captions share.
        first_temperature: the initial value of the learned temperature.
    """

    encoder: TransformerConfig = SIZES
    shared: int = 32
    first_temperature: float = 0.07


@registered
class CLIP(Assembly):
    """Two encoders, one for pictures and one for captions, whose outputs are compared.

        similarity = p · t,  p = W_p picture / |W_p picture|,  t = W_t text / |W_t text|

    A picture is represented by the output at its class token, a caption by the output
    at ⟨SOS⟩. Only padding is masked. Training makes the similarity of matching pairs
    larger than that of all others.

    Source: Radford et al. (2021), §2.3 and figure 3; D0.6.multi.
    """

    def __init__(self, config: CLIPConfig) -> None:
        super().__init__()
        self.config = config
        D = config.encoder.d_model
        self.pictures = VisionTransformer(config.encoder, 3, SIDE, PATCH)
        self.texts = EncoderOnlyTransformer(config.encoder)
        self.W_p = nn.Linear(D, config.shared, bias=False)
        self.W_t = nn.Linear(D, config.shared, bias=False)
        start = math.log(config.first_temperature)
        self.log_temperature = nn.Parameter(torch.tensor(start))

    def of_pictures(self, pictures: Tensor) -> Tensor:
        """Turn pictures (B, 3, 8, 8) into vectors of length 1, (B, E)."""
        hidden = self.pictures(pictures * 2 - 1)  # (B, 1 + N, D)
        return F.normalize(self.W_p(hidden[:, 0]), dim=-1)

    def of_texts(self, ids: Tensor) -> Tensor:
        """Turn captions (C, T) into vectors of length 1, (C, E)."""
        hidden = self.texts(ids, padding_mask(ids, pad_id=PAD_ID))  # (C, T, D)
        return F.normalize(self.W_t(hidden[:, 0]), dim=-1)

    def forward(self, pictures: Tensor, ids: Tensor) -> Tensor:
        """Compare each picture with each caption: similarities (B, C), −1 to 1."""
        return self.of_pictures(pictures) @ self.of_texts(ids).mT


def contrastive_loss(similarities: Tensor, temperature: Tensor) -> Tensor:
    """Classify the caption of each picture and the picture of each caption.

        loss = − ½ mean_i log softmax_j(s_ij / τ)_i − ½ mean_j log softmax_i(s_ij / τ)_j

    Args:
        similarities: (B, B), with the matching pairs on the diagonal.
        temperature: τ, a scalar.

    Source: Radford et al. (2021), figure 3.
    """
    logits = similarities / temperature
    own = torch.arange(len(logits), device=logits.device)
    return (F.cross_entropy(logits, own) + F.cross_entropy(logits.mT, own)) / 2


def matches(
    draw: torch.Generator, count: int = TOGETHER, split: Split = "triples"
) -> Match:
    """Draw that many different training scenes; return their pictures and captions."""
    known = numbers(learned_scenes(split))
    return of_scenes(known[torch.randperm(len(known), generator=draw)[:count]], draw)


def of_scenes(scenes: Tensor, draw: torch.Generator) -> Match:
    """Draw a picture (B, 3, 8, 8) and a caption (B, T) of each scene, by number."""
    return photographed(drawings(scenes, draw), draw), captions(scenes, draw)


def loss(model: CLIP, match: Match) -> Tensor:
    """Return the contrastive loss of pictures and their captions."""
    return contrastive_loss(model(*match), model.log_temperature.exp())


def similarities(model: CLIP, pictures: Tensor, said: Sequence[str]) -> Tensor:
    """Compare pictures (B, 3, 8, 8) with C captions, in words: (B, C), −1 to 1.

    Raises:
        TypeError, ValueError: pictures are not real numbers of shape (B, 3, 8, 8); or a
            caption is empty, longer than 12 words, or has an unknown word.
    """
    with torch.inference_mode():
        return model(pictures, in_ids(said))


def probabilities(similarities: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
    """Turn similarities (B, C) into probabilities, both ways.

    Returns:
        how likely each caption is for each picture, (B, C): rows sum to 1; and how
        likely each picture is for each caption, (B, C): columns do.

    Raises:
        TypeError, ValueError: temperature is not above 0.
    """
    check_number("temperature", temperature, 0, above=True)
    scaled = similarities / temperature
    return scaled.softmax(1), scaled.softmax(0)


def temperature(model: CLIP) -> float:
    """Return the temperature that a model has learned."""
    return float(model.log_temperature.detach().exp())


class Retrieval(NamedTuple):
    """Top-1 accuracies of retrieval, in both directions.

    caption: the fraction of pictures for which their own caption was the most similar.
    picture: the fraction of captions for which their own picture was.
    """

    caption: float
    picture: float


def top_1(
    model: CLIP, scenes: Sequence[Scene] | None = None, rounds: int = 20
) -> Retrieval:
    """Measure how often the matching one is found among 64.

    Args:
        model: the model to measure.
        scenes: 64 different ones are drawn from these; by default from all held-out
            ones.
        rounds: how many times 64 are drawn.

    Raises:
        ValueError: scenes are given, and there is none.
    """
    require(scenes is None or len(scenes) > 0, "scenes", "hold at least one", "none")
    asked = numbers(held_out_scenes() if scenes is None else scenes)
    draw = torch.Generator().manual_seed(1)
    accuracies = []
    for _ in range(rounds):
        some = asked[torch.randperm(len(asked), generator=draw)[:TOGETHER]]
        accuracies.append(retrieval(model, of_scenes(some, draw)))
    return Retrieval(*(mean(each) for each in zip(*accuracies, strict=True)))


def retrieval(model: CLIP, match: Match) -> Retrieval:
    """Measure how often the matching one is found among all pictures and captions."""
    with torch.inference_mode():
        compared = model(*match)  # (B, B)
    own = torch.arange(len(compared))
    both = compared.argmax(1) == own, compared.argmax(0) == own
    return Retrieval(*(fraction(right) for right in both))


def measure(model: CLIP) -> dict[str, float]:
    """Measure the retrieval among 64 held-out pictures and captions, beside chance."""
    return {**top_1(model)._asdict(), "by chance": 1 / TOGETHER}


MODEL = SmallModel(
    name="clip",
    build=lambda: CLIP(CLIPConfig()),
    batch=matches,
    loss=loss,
    recipe=RECIPE,
    words=VOCABULARY.words,
    measure=measure,
    half=True,
)
begin, trained = MODEL.begin, MODEL.trained
