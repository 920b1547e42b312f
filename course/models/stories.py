"""A small decoder-only Transformer that writes stories, sentence after sentence."""

from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.transformer import DecoderOnlyTransformer

from ..data.stories import LENGTH, VOCABULARY, batch, held_out
from .small_model import Draw, Recipe, SmallModel

SIZES = TransformerConfig(
    vocabulary_size=len(VOCABULARY),
    d_model=64,
    n_heads=4,
    n_decoder_layers=2,
    d_ff=128,
    dropout=0.0,
    norm_first=True,
    final_norm=True,
    max_length=LENGTH,
)
RECIPE = Recipe(steps=600, peak=0.005, warmup=60, batch_size=32)
SEEDS = range(5)  # of the trainings of which results are kept


def next_word_loss(model: DecoderOnlyTransformer, ids: Tensor) -> Tensor:
    """Return the mean −log p of every token of texts (B, T) but the first."""
    logits = model(ids[:, :-1])  # (B, T − 1, V)
    return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())


def measure(model: DecoderOnlyTransformer) -> dict[str, float]:
    """Measure the mean loss of a token of held-out stories."""
    ids = torch.tensor([VOCABULARY.encode(story) for story in held_out(200)])
    with torch.inference_mode():
        return {"loss": float(next_word_loss(model, ids))}


class StoryModel(SmallModel[DecoderOnlyTransformer, Tensor]):
    """A small model that learns the stories of its seed."""

    def draw(self, seed: int) -> Draw[Tensor]:
        """Return what draws the batches: from 4,000 stories that the seed writes."""
        return partial(batch, count=self.recipe.batch_size, seed=seed)


MODEL = StoryModel(
    name="stories",
    build=lambda: DecoderOnlyTransformer(SIZES),
    batch=batch,
    loss=next_word_loss,
    recipe=RECIPE,
    words=VOCABULARY.words,
    measure=measure,
)
begin, trained = MODEL.begin, MODEL.trained
