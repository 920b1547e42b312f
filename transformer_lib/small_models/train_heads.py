"""Training of the models in `heads`: next words, with a teacher of looks or without."""

import random
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Literal, get_args

import torch
import torch.nn.functional as F
from torch import Tensor

from ..checkpoints import CHECKPOINTS, save_checkpoint
from ..checks.validation import check_option, check_size
from ..data.grammar import ROLES, every_word, targets, write
from ..model.config import TransformerConfig
from ..model.transformer import DecoderOnlyTransformer
from ..runtime.recording import record
from ..text.vocabulary import Vocabulary
from ..training import fit

Training = Literal["taught", "free"]
ATTENTION = "decoder.blocks.0.self_attention"
SOS, EOS, PAD = "⟨SOS⟩", "⟨EOS⟩", "⟨PAD⟩"
MOST_WORDS = 16
STEPS, TEACHING, WRITTEN = 1500, 0.3, 6000
Batch = tuple[Tensor, Tensor]


def train_heads(
    training: Training = "taught",
    *,
    steps: int = STEPS,
    seed: int = 0,
    folder: Path = CHECKPOINTS,
) -> list[float]:
    """Train one of the two models and write its checkpoint.

        loss = −log p(next word) [ − 0.3 Σ_h mean log weights[h, row, target_h(row)] ]

    The part in brackets is the teacher's: it tells head h where to look, and is left
    out for the free model. Both then learn the same next words from the same batches.

    Returns:
        the loss of every step.

    Source: Strubell et al. (2018), §2.2, who teach one head to look at a word's parent.
    """
    check_option("training", training, get_args(Training))
    words = every_word()
    vocabulary = make_vocabulary(words)
    model = _new_model(len(vocabulary), seed)
    ids, wanted = _sentences(vocabulary, seed)

    def batch(draw: torch.Generator) -> Batch:
        rows = torch.randint(len(ids), (64,), generator=draw)
        return ids[rows], wanted[rows]

    teaching = TEACHING if training == "taught" else 0.0
    losses = fit(model, batch, lambda b: _loss(model, b, teaching), steps, seed=seed)
    save_checkpoint(model, folder / file_name(training), words=words)
    return losses


def _new_model(vocabulary_size: int, seed: int) -> DecoderOnlyTransformer:
    """One block of four heads, its weights drawn from the seed."""
    config = TransformerConfig(
        vocabulary_size=vocabulary_size,
        d_model=32,
        n_heads=4,
        n_decoder_layers=1,
        d_ff=64,
        dropout=0.0,
        max_length=MOST_WORDS + 1,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return DecoderOnlyTransformer(config)


def _loss(model: DecoderOnlyTransformer, batch: Batch, teaching: float) -> Tensor:
    """Score the next words (B, n) and, where there is a teacher, looks (B, H, n)."""
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


def learned(seed: int = 0) -> list[list[str]]:
    """Write the 6,000 sentences that a model of this seed learns; many come twice."""
    draw = random.Random(seed)
    return [write(draw) for _ in range(WRITTEN)]


def unseen(sentences: int = 200, seed: int = 2017) -> list[list[str]]:
    """Write sentences that are not among those that the models of seed 0 learned.

    Every sentence of a name or a topic is: what is new is of a being, most at a place.
    """
    check_size("sentences", sentences)
    draw, known = random.Random(seed), set(map(tuple, learned()))
    written: list[list[str]] = []
    while len(written) < sentences:
        words = write(draw)
        if tuple(words) not in known:
            written.append(words)
    return written


def padded(vocabulary: Vocabulary, sentences: Sequence[Sequence[str]]) -> Tensor:
    """Turn sentences into ids (B, 18), from ⟨SOS⟩ to ⟨EOS⟩ and ⟨PAD⟩ after it."""
    ids = torch.zeros(len(sentences), MOST_WORDS + 2, dtype=torch.int64)
    for row, words in zip(ids, sentences, strict=True):
        row[: len(words) + 2] = torch.tensor(vocabulary.encode([SOS, *words, EOS]))
    return ids


def _sentences(vocabulary: Vocabulary, seed: int) -> Batch:
    """Write what is learned: ids (B, n + 1), and where to look (B, H, n)."""
    sentences = learned(seed)
    wanted = torch.zeros(len(sentences), len(ROLES), MOST_WORDS + 1, dtype=torch.int64)
    for row, words in zip(wanted, sentences, strict=True):
        row[:, 1 : len(words) + 1] = torch.tensor(targets(words)).T
    return padded(vocabulary, sentences), wanted


def make_vocabulary(words: Sequence[str]) -> Vocabulary:
    """Number the words behind ⟨PAD⟩, ⟨SOS⟩ and ⟨EOS⟩."""
    return Vocabulary(words, pad=PAD, sos=SOS, eos=EOS)


def file_name(training: Training) -> str:
    """Name the checkpoint of a training."""
    return "heads.safetensors" if training == "taught" else "heads_free.safetensors"
