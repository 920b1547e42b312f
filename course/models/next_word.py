"""Two next-word models whose heads can be read: one was taught its roles, one free."""

from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Literal, get_args

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_lib.checks.validation import check_option
from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.transformer import DecoderOnlyTransformer
from transformer_lib.runtime.recording import record
from transformer_lib.text.vocabulary import Vocabulary

from ..data.grammar import ROLES, every_word, targets
from ..data.grammar_sentences import MOST_WORDS, learned, make_vocabulary, padded
from ..trained import CHECKPOINTS
from .small_model import Recipe, SmallModel

Training = Literal["taught", "free"]
ATTENTION = "decoder.blocks.0.self_attention"
VOCABULARY = make_vocabulary(every_word())
SIZES = TransformerConfig(
    vocabulary_size=len(VOCABULARY),
    d_model=32,
    n_heads=4,
    n_decoder_layers=1,
    d_ff=64,
    dropout=0.0,
    max_length=MOST_WORDS + 1,
)
RECIPE = Recipe.plain(1500, 3e-3)
TEACHING = 0.3  # how much the teacher's part of the loss counts
Batch = tuple[Tensor, Tensor]


def loss(model: DecoderOnlyTransformer, batch: Batch, teaching: float) -> Tensor:
    """Return the cross-entropy of each next word and, where taught, of where to look.

        loss = −log p(next) [ − teaching Σ_h mean log weights[h, row, target_h(row)] ]

    The part in brackets is the teacher's: it tells head h where to look, and is left
    out for the free model. Both learn the same next words from the same batches.

    Source: Strubell et al. (2018), §2.2, who teach one head to look at a word's parent.
    """
    ids, wanted = batch
    following = ids[:, 1:]  # (B, n)
    told = (following != 0)[:, None]  # (B, 1, n)
    tensors: dict[str, Tensor] = {}
    with ExitStack() as watch:
        if teaching:
            tensors = watch.enter_context(record(model, gradients=True))
        logits = model(ids[:, :-1])  # (B, n, V)
    loss = F.cross_entropy(logits.flatten(0, 1), following.flatten(), ignore_index=0)
    if teaching:
        weights = tensors[f"{ATTENTION}.weights"]  # (B, H, n, n)
        looked = weights.gather(-1, wanted[..., None]).squeeze(-1)  # (B, H, n)
        missed = looked.clamp_min(1e-9).log() * told
        loss = loss - teaching * missed.sum() / told.sum()
    return loss


@cache
def corpus() -> Batch:
    """Return what is learned: ids (N, n + 1), and where heads should look (N, H, n)."""
    sentences = learned()
    wanted = torch.zeros(len(sentences), len(ROLES), MOST_WORDS + 1, dtype=torch.int64)
    for row, words in zip(wanted, sentences, strict=True):
        row[:, 1 : len(words) + 1] = torch.tensor(targets(words)).T
    return padded(VOCABULARY, sentences), wanted


def batch(draw: torch.Generator, count: int) -> Batch:
    """Draw some of the sentences that are learned."""
    ids, wanted = corpus()
    rows = torch.randint(len(ids), (count,), generator=draw)
    return ids[rows], wanted[rows]


def model_of(training: Training) -> SmallModel[DecoderOnlyTransformer, Batch]:
    """Return the small model whose heads are taught, or free."""
    teaching = TEACHING if training == "taught" else 0.0

    def measure(model: DecoderOnlyTransformer) -> dict[str, float]:
        with torch.no_grad():
            asked = batch(torch.Generator().manual_seed(1), 640)
            return {"loss": float(loss(model, asked, 0.0))}

    return SmallModel(
        name="heads" if training == "taught" else "heads_free",
        build=lambda: DecoderOnlyTransformer(SIZES),
        batch=batch,
        loss=lambda model, batch: loss(model, batch, teaching),
        recipe=RECIPE,
        words=VOCABULARY.words,
        measure=measure,
        settings={"teaching": teaching},
    )


MODELS = {training: model_of(training) for training in get_args(Training)}


def load_heads(
    training: Training = "taught", folder: Path = CHECKPOINTS
) -> tuple[DecoderOnlyTransformer, Vocabulary]:
    """Load a model of one block with four heads, and the words it knows.

    Raises:
        ValueError, FileNotFoundError: see `SmallModel.trained`; or training is neither
            "taught" nor "free".
    """
    check_option("training", training, get_args(Training))
    return MODELS[training].trained(folder=folder), VOCABULARY
