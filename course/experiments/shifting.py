"""What a decoder learns with the shift and the mask, and without them."""

from collections.abc import Iterator, Sequence
from math import log
from statistics import mean

import torch

from transformer_lib.generation.sampling import greedy
from transformer_lib.model.transformer import Transformer

from ..data.jobs import (
    HELD_OUT,
    JOBS,
    LEARNED,
    PLAIN,
    TOLD,
    VOCABULARY,
    in_ids,
    probabilities,
)
from ..data.jobs import written as to_write
from ..data.pairs import EOS, SOS
from ..models.decoder_variants import RECIPE, VARIANTS, begin, model_of
from ..models.jobs import ENDS
from .experiment import Experiment, grid
from .results import Row

STARTS = (*LEARNED, *HELD_OUT)
STAGES = (RECIPE.steps, 3 * RECIPE.steps)  # steps after which a model is measured
WORDS = 7  # that have to be said: five of the start, the job and ⟨EOS⟩
JOB = 5  # the place at which it has to be said, from 0
LAST = 50  # steps, of whose losses the mean is taken


def least_loss() -> float:
    """Return the mean loss a word of one who knows the true probabilities: the least.

        −Σ p(job) log p(job) ÷ 7, in the mean over the sentences of a training

    Of the seven words, the job alone is drawn; the others follow from the source.
    """

    def entropy(start: str) -> float:
        return -sum(p * log(p) for p in probabilities(start).values())

    both = [mean(entropy(start) for start in starts) for starts in (PLAIN, TOLD)]
    return mean(both) / WORDS


def write(model: Transformer, starts: Sequence[str]) -> list[str]:
    """Let a model write the sentence of each start, alone, from ⟨SOS⟩.

    It takes the likeliest word each time, up to ⟨EOS⟩ or eight words.
    """
    found = {}
    for length in {len(start.split()) for start in starts}:
        alike = [start for start in starts if len(start.split()) == length]
        ids = torch.tensor([VOCABULARY.encode(start) for start in alike])
        for start, text in zip(alike, greedy(model, ids, ENDS).ids, strict=True):
            words = VOCABULARY.decode(text)[1:]  # without the first ⟨SOS⟩
            end = words.index(EOS) if EOS in words else len(words)
            found[start] = " ".join(words[:end])
    return [found[start] for start in starts]


def is_right(start: str, text: str) -> bool:
    """Whether a text is what the start asks for, and ends in a job that can follow."""
    *words, job = text.split() or [SOS]
    return " ".join(words) == to_write(start) and probabilities(start).get(job, 0) > 0


def repeats(text: str) -> bool:
    """Whether a text of two words or more says one word again and again."""
    words = text.split()
    return len(words) > 1 and len({*words}) == 1


def copies(model: Transformer, variant: str) -> float:
    """Measure how often a model says another job because it reads another one.

    The job is read where the variant of its training lets it stand: at its own
    place, or, with the shift, at the next one. It is replaced there by another job, in
    held-out starts with each job that can follow, and the answer at its own place is
    looked at.

    Returns:
        the share of the answers that are the job that was put in.
    """
    pairs = [(start, job) for start in HELD_OUT for job in probabilities(start)]
    source, whole = in_ids(pairs)
    says = whole[:, 1:]
    shifted = VARIANTS[variant].shifted
    reads = (whole[:, :-1] if shifted else says).clone()
    jobs = torch.tensor(VOCABULARY.encode(JOBS))
    at = (says[:, JOB, None] == jobs).int().argmax(1)  # which job it is
    other = jobs[(at + 1) % len(jobs)]
    reads[:, JOB + shifted] = other
    with torch.no_grad():
        said = model(source, reads)[:, JOB].argmax(-1)
    return float((said == other).double().mean())


def measure(model: Transformer, variant: str, losses: Sequence[float]) -> Row:
    """Return a model's last losses, what it writes of all 128 starts, and if it copies.

    Returns:
        "loss": the mean of the last 50 steps; "exact_match", "repeats" and "copies":
        shares.
    """
    texts = write(model, STARTS)
    pairs = zip(STARTS, texts, strict=True)
    return {
        "loss": mean(losses[-LAST:]),
        "exact_match": mean(is_right(start, text) for start, text in pairs),
        "repeats": mean(repeats(text) for text in texts),
        "copies": copies(model, variant),
    }


def run(variant: str, seed: int) -> Iterator[Row]:
    """Train a model, and measure it after each of STAGES."""
    model, training = begin(variant, seed, max(STAGES))
    losses: list[float] = []
    for loss in training:
        losses.append(loss)
        if len(losses) in STAGES:
            yield {"steps": len(losses), **measure(model, variant, losses)}


EXPERIMENT = Experiment(
    name="shifting",
    runs=grid(variant=VARIANTS, seed=range(5)),
    measure=run,
    models={name: model_of(name) for name in VARIANTS},
    settings={"stages": STAGES},
)
