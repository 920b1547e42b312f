"""Six ways to tell a small model where a word stands, and its training."""

from typing import Literal, get_args

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_lib.checks.validation import check_option
from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.embedding import sinusoidal_encoding
from transformer_lib.model.transformer import EncoderOnlyTransformer
from transformer_lib.training import Training

from ..data.order_questions import RANGES, SEEN, UNASKED, WORDS, Batch, Task, sentences
from .small_model import Recipe, SmallModel

Variant = Literal[
    "none", "number", "number rescaled", "waves appended", "waves added", "learned"
]
VARIANTS: tuple[Variant, ...] = get_args(Variant)
D_MODEL = 32
N_HEADS = 4

RECIPE = Recipe.plain(400, 3e-3)


class Reader(nn.Module):
    """One encoder block that is told positions in one of six ways, and answers.

    "waves added" and "learned" add a vector to each row of D features, "none" adds
    nothing. The others append: a word then has D/2 features, and its place the other
    D/2, which are waves, or the number 0, 1, 2, … and zeros; "number rescaled" shifts
    and scales the numbers of all places to mean 0 and spread 1. So every model is D
    wide, and all else is equal but for the rows that "learned" has for every position.

    Args:
        variant: one of the six.
        words: how many there are to read.
        places: how many there are to stand at.
        answers: how many there are to choose from.

    Raises:
        ValueError: the variant is none of the six.

    Source: D1.8, D1.9.3.
    """

    appended: Tensor

    def __init__(self, variant: Variant, words: int, places: int, answers: int) -> None:
        super().__init__()
        check_option("variant", variant, VARIANTS)
        added = {"waves added": "sinusoidal", "learned": "learned"}
        config = TransformerConfig(
            vocabulary_size=words,
            d_model=D_MODEL,
            n_heads=N_HEADS,
            n_encoder_layers=1,
            d_ff=64,
            dropout=0.0,
            max_length=places,
            positions=added.get(variant, "none"),  # type: ignore[arg-type]
        )
        self.register_buffer("appended", _appended(variant, places), persistent=False)
        self.output = nn.Linear(D_MODEL, answers)
        self.model = EncoderOnlyTransformer(config)

    def forward(self, ids: Tensor) -> Tensor:
        """Turn ids (B, T) into the logits of the answers (B, T, answers)."""
        B, T = ids.shape
        D_P = self.appended.size(1)
        if not D_P:
            hidden = self.model(ids)
        else:
            word = self.model.embedding(ids)[..., :-D_P]  # (B, T, D/2)
            place = self.appended[:T].expand(B, T, D_P)
            hidden = self.model.encoder(torch.cat([word, place], dim=-1))  # (B, T, D)
        logits: Tensor = self.output(hidden)  # (B, T, answers)
        return logits


def _appended(variant: Variant, places: int) -> Tensor:
    """What a variant appends, (places, D/2), or (places, 0) for nothing."""
    number = torch.arange(places, dtype=torch.float32)[:, None]  # (places, 1)
    if variant == "waves appended":
        return sinusoidal_encoding(places, D_MODEL // 2)
    if variant == "number rescaled":
        number = (number - number.mean()) / number.std(correction=0)
    elif variant != "number":
        return number[:, :0]
    return F.pad(number, (0, D_MODEL // 2 - 1))  # (places, D/2)


def loss(model: Reader, batch: Batch) -> Tensor:
    """Return the cross-entropy of the answers that are asked for."""
    ids, answers = batch
    logits = model(ids).flatten(0, 1)
    return F.cross_entropy(logits, answers.flatten(), ignore_index=UNASKED)


def model_of(task: Task, variant: Variant) -> SmallModel[Reader, Batch]:
    """Return the small model of a variant, which learns from short sentences."""

    def batch(draw: torch.Generator, count: int) -> Batch:
        T = int(torch.randint(SEEN[0], SEEN[1] + 1, (1,), generator=draw))
        return sentences(task, T, draw, count)

    return SmallModel(
        name=variant,
        build=lambda: new_reader(task, variant),
        batch=batch,
        loss=loss,
        recipe=RECIPE,
        seeds=(),
        settings={"heads": N_HEADS},
    )


def begin(
    task: Task, variant: Variant, seed: int = 0, steps: int | None = None
) -> tuple[Reader, Training]:
    """Return a new reader, and its training.

    Raises:
        TypeError, ValueError: there is no such variant, or steps is below 1.
    """
    return model_of(task, variant).begin(seed, steps)


def new_reader(task: Task, variant: Variant) -> Reader:
    """A reader with random weights, with as many answers as the task has."""
    answers = len(WORDS) if task == "two to the left" else 2
    return Reader(variant, len(WORDS), RANGES[-1][0][1], answers)
