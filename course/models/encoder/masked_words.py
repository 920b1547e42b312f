"""An encoder-only Transformer that says which words are hidden in a sentence.

Made by the command `python -m course.models.encoder.masked_words`.
"""

from functools import cache
from pathlib import Path
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_lib.checkpoints import Provenance, load_checkpoint, save_checkpoint
from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.model.transformer import EncoderOnlyTransformer
from transformer_lib.training import Training, fit_steps, seeded

from ...data.grammar_sentences import MOST_WORDS, learned, padded
from ...data.masked_words import MASK, NOTHING, VOCABULARY, hide
from ...trained import CHECKPOINTS

SIZES = TransformerConfig(
    vocabulary_size=len(VOCABULARY),
    d_model=32,
    n_heads=4,
    n_encoder_layers=6,
    d_ff=64,
    dropout=0.0,
    max_length=MOST_WORDS + 2,
)
CHECKPOINT = CHECKPOINTS / "masked_words.safetensors"
STEPS = 3000
Batch = tuple[Tensor, Tensor]


def train_masked_words(path: Path = CHECKPOINT, *, steps: int = STEPS) -> list[float]:
    """Train the model of seed 0, and write its checkpoint.

    Returns:
        the loss of every step.

    Raises:
        TypeError, ValueError: steps is below 1.

    Source: Devlin et al. (2019), §3.1.
    """
    model, training = learn(steps)
    losses = list(training)
    save_checkpoint(model, path, Provenance(words=VOCABULARY.words))
    return losses


def new_model(seed: int = 0) -> EncoderOnlyTransformer:
    """Give a model that has learned nothing, its weights drawn from the seed."""
    with seeded(seed):
        return EncoderOnlyTransformer(SIZES).eval()


def learn(steps: int, seed: int = 0) -> tuple[EncoderOnlyTransformer, Training]:
    """Give a model, and its training: weights and batches are drawn from one seed.

    All seeds learn from the same 6,000 sentences. A batch is 64 of them, with words
    hidden by `hide`; the loss is the cross-entropy of the words that are asked.

    Returns:
        the model, and one after another, the loss of every step: see `fit_steps`.
    """
    model = new_model(seed)
    written = padded(VOCABULARY, learned())  # (6000, 18)

    def batch(draw: torch.Generator) -> Batch:
        rows = torch.randint(len(written), (64,), generator=draw)
        return hide(written[rows], draw)

    def loss(batch: Batch) -> Tensor:
        read, asked = batch
        return F.cross_entropy(logits(model, read).mT, asked, ignore_index=NOTHING)

    return model, fit_steps(model, batch, loss, steps, lr=1e-3, seed=seed)


@cache
def trained() -> EncoderOnlyTransformer:
    """Give the model that has learned to say hidden words."""
    return cast(EncoderOnlyTransformer, load_checkpoint(CHECKPOINT)[0])


def logits(model: EncoderOnlyTransformer, ids: Tensor, *, right: bool = True) -> Tensor:
    """Score every word at every place: ids (B, S) to (B, S, V).

        logits = encoder(ids) Eᵀ

    E is the embedding's own matrix, and padding is hidden from all. Without `right`,
    what stands on the right of a place is hidden from it too.
    """
    mask = padding_mask(ids, pad_id=VOCABULARY.pad_id)  # (B, 1, 1, S)
    if not right:
        mask = mask & causal_mask(ids.size(1))  # (B, 1, S, S)
    return model.embedding.logits(model(ids, mask))


def fill_in(
    model: EncoderOnlyTransformer, sentence: str, *, right: bool = True
) -> dict[str, float]:
    """Give how likely each word is to stand where ⟨MASK⟩ stands, the likeliest first.

    Args:
        model: which model.
        sentence: of the words that it knows.
        right: whether it sees what stands on the right.

    Raises:
        ValueError: there is not one ⟨MASK⟩, or a word is not in the vocabulary, or
            there are over 16.
    """
    words = sentence.split()
    if words.count(MASK) != 1 or len(words) > MOST_WORDS:
        wanted = f"hold one {MASK} and at most {MOST_WORDS} words"
        raise ValueError(f"sentence must {wanted}, got {sentence!r}")
    ids = padded(VOCABULARY, [words])  # (1, 18)
    with torch.inference_mode():
        p = logits(model, ids, right=right)[0, words.index(MASK) + 1].softmax(
            -1
        )  # (V,)
    by_probabilities = p.argsort(descending=True, stable=True).tolist()
    return {VOCABULARY.words[i]: float(p[i]) for i in by_probabilities}


if __name__ == "__main__":
    print(f"loss {sum(train_masked_words()[-100:]) / 100:.3f}")
