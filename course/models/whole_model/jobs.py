"""A small Transformer that finishes sentences about who works as what.

Made by the command `python -m course.models.whole_model.jobs`.
"""

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_lib.checkpoints import Provenance, load_checkpoint, save_checkpoint
from transformer_lib.generation.sampling import greedy
from transformer_lib.generation.settings import Decoding
from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.transformer import Transformer
from transformer_lib.training import Training, fit_steps, seeded

from ...data.jobs import EOS, SOS, VOCABULARY, sentences, written
from ...trained import CHECKPOINTS

SIZES = TransformerConfig(
    vocabulary_size=len(VOCABULARY),
    d_model=32,
    n_heads=4,
    n_encoder_layers=1,
    n_decoder_layers=1,
    d_ff=64,
    dropout=0.0,
    max_length=9,
)
STEPS = 1500
SENTENCES = 256  # of a batch
RATE = 3e-3  # the first; it falls to 0 in a straight line
SEEDS = range(5)  # of the trainings whose models are kept
ENDS = Decoding(
    max_length=SIZES.max_length,
    start_id=VOCABULARY.sos_id,
    end_id=VOCABULARY.eos_id,
)
Batch = tuple[Tensor, Tensor]


def checkpoint(seed: int = 0) -> Path:
    """Name the file of the model that was trained from a seed."""
    return CHECKPOINTS / f"jobs{f'_{seed}' if seed else ''}.safetensors"


def train_jobs(path: Path, seed: int = 0, *, steps: int = STEPS) -> list[float]:
    """Train an encoder-decoder to finish sentences, and write its checkpoint.

    Returns:
        the loss of every step.

    Raises:
        TypeError, ValueError: steps is below 1, or there is no such seed.

    Source: D2.0, D2.7.train.
    """
    model, training = learn(steps, seed)
    losses = list(training)
    save_checkpoint(model, path, Provenance(words=VOCABULARY.words))
    return losses


def learn(steps: int, seed: int = 0) -> tuple[Transformer, Training]:
    """Give a model, and its training: it and its sentences are drawn from one seed.

    It reads the start of a sentence and writes it with its end, but not what was
    studied: of that, the decoder knows what the encoder hands over. The loss is the
    cross-entropy of each next word. The learning rate falls to 0: at a constant one the
    last sentences that happen to come would still move the probabilities by some
    hundredths.

    Returns:
        the model, and one after another, the loss of every step: see `fit_steps`.
    """
    with seeded(seed):
        model = Transformer(SIZES)

    def loss(batch: Batch) -> Tensor:
        source, target = batch
        logits = model(source, target[:, :-1])  # (B, T, V)
        return F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())

    batch = partial(sentences, count=SENTENCES)
    return model, fit_steps(model, batch, loss, steps, lr=falling(steps), seed=seed)


def falling(steps: int) -> Callable[[int], float]:
    """Make the learning rate of so many steps: from RATE down to 0 in a straight line.

    (The kept models have these rates, to the bit: `linear_warmup_decay` rounds
    differently.)
    """

    def rate(step: int) -> float:
        return RATE * (1 - step / steps)

    return rate


@cache
def trained(seed: int = 0) -> Transformer:
    """Give the model that was trained on the sentences of `data.jobs` from a seed.

    Raises:
        FileNotFoundError: none is kept that began from it: see SEEDS.
    """
    return cast(Transformer, load_checkpoint(checkpoint(seed))[0])


def of_length(steps: int, seed: int) -> Transformer:
    """Give the model that is kept if it has these steps; else train one that has."""
    if steps == STEPS:
        return trained(seed)
    model, training = learn(steps, seed)
    list(training)  # takes every step
    return model


def next_word(model: Transformer, start: str) -> dict[str, float]:
    """Give how likely each word is to follow a start, the likeliest first.

        p = softmax(logits of the last place)

    The encoder reads all of the start. The decoder has written the same words, without
    "studied … and".

    Raises:
        ValueError: a word is not in the vocabulary, or there is none, or too many.

    Source: D2.12.
    """
    ids = _encoded(start)  # (1, S)
    target = torch.tensor([VOCABULARY.encode(f"{SOS} {written(start)}")])  # (1, T)
    with torch.inference_mode():
        p = model(ids, target)[0, -1].softmax(-1)  # (V,)
    by_probabilities = p.argsort(descending=True, stable=True).tolist()
    return {VOCABULARY.words[i]: float(p[i]) for i in by_probabilities}


def finish(model: Transformer, start: str) -> str:
    """Write the whole sentence, word by word, from its start alone.

    Raises:
        ValueError: a word is not in the vocabulary, or there is none, or too many.

    Source: D2.7.infer.
    """
    [written] = greedy(model, _encoded(start), ENDS).ids
    words = VOCABULARY.decode(written)
    return " ".join(word for word in words if word not in (SOS, EOS))


def _encoded(start: str) -> Tensor:
    """Give the ids (1, S) of the words of a start."""
    ids = VOCABULARY.encode(start)
    most = SIZES.max_length - 1  # one more is ⟨SOS⟩
    if not 1 <= len(ids) <= most:
        raise ValueError(f"start must have 1 to {most} words, got {len(ids)}")
    return torch.tensor([ids])


if __name__ == "__main__":
    for seed in SEEDS:
        losses = train_jobs(checkpoint(seed), seed)
        print(f"seed {seed}: loss {sum(losses[-100:]) / 100:.3f}", flush=True)
