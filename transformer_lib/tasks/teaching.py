"""Training of the models in `heads`: next words, with a teacher of looks or without."""

import json
import random
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Literal, get_args

import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import Tensor

from ..model.config import TransformerConfig
from ..model.transformer import DecoderOnlyTransformer
from ..support.recording import record
from ..support.validation import check_option
from ..training import fit
from .grammar import ROLES, every_word, targets, write
from .vocabulary import Vocabulary

Training = Literal["taught", "free"]
CHECKPOINTS = Path(__file__).parent.parent / "checkpoints"
ATTENTION = "decoder.blocks.0.self_attention"
SOS, EOS, PAD = "⟨SOS⟩", "⟨EOS⟩", "⟨PAD⟩"
MOST_WORDS = 16
STEPS, TEACHING = 1500, 0.3
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
    ids, wanted = _sentences(vocabulary, 6000, seed)

    def batch(draw: torch.Generator) -> Batch:
        rows = torch.randint(len(ids), (64,), generator=draw)
        return ids[rows], wanted[rows]

    teaching = TEACHING if training == "taught" else 0.0
    losses = fit(model, batch, lambda b: _loss(model, b, teaching), steps, seed=seed)
    _save(model, words, folder / file_name(training))
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


def _save(model: DecoderOnlyTransformer, words: Sequence[str], path: Path) -> None:
    """Write the weights, with what is needed to build the model around them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    about = {"config": asdict(model.config), "words": words}
    made = json.dumps(about, ensure_ascii=False)
    save_file(model.state_dict(), path, {"made": made})
    path.chmod(0o644)  # safetensors lets only its maker read the file


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


def _sentences(vocabulary: Vocabulary, count: int, seed: int) -> Batch:
    """Write sentences: ids (count, n + 1), padded, and where to look (count, H, n)."""
    draw = random.Random(seed)
    n = MOST_WORDS + 1
    ids = torch.zeros(count, n + 1, dtype=torch.int64)
    wanted = torch.zeros(count, len(ROLES), n, dtype=torch.int64)
    for row in range(count):
        words = write(draw)
        ids[row, : len(words) + 2] = torch.tensor(vocabulary.encode([SOS, *words, EOS]))
        wanted[row, :, 1 : len(words) + 1] = torch.tensor(targets(words)).T
    return ids, wanted


def make_vocabulary(words: Sequence[str]) -> Vocabulary:
    """Number the words behind ⟨PAD⟩, ⟨SOS⟩ and ⟨EOS⟩."""
    return Vocabulary(words, pad=PAD, sos=SOS, eos=EOS)


def file_name(training: Training) -> str:
    """Name the checkpoint of a training."""
    return "heads.safetensors" if training == "taught" else "heads_free.safetensors"
