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
WORDS = 7  # tokens of a target: five words of the start, the job and ⟨EOS⟩
JOB = 5  # the position of the job in the target, from 0
LAST = 50  # steps whose losses are averaged


def least_loss() -> float:
    """Return the average loss per word of a model that knows the true probabilities.

        −Σ p(job) log p(job) ÷ 7, averaged over the training sentences

    Of the seven tokens, only the job is sampled; the others follow from the source.
    """

    def entropy(start: str) -> float:
        return -sum(p * log(p) for p in probabilities(start).values())

    both = [mean(entropy(start) for start in starts) for starts in (PLAIN, TOLD)]
    return mean(both) / WORDS


def write(model: Transformer, starts: Sequence[str]) -> list[str]:
    """Let a model generate the sentence for each start, free-running, from ⟨SOS⟩.

    It takes the most likely word each time, up to ⟨EOS⟩ or eight words.
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
    """Whether a text matches its start and ends in a job that is possible there."""
    *words, job = text.split() or [SOS]
    return " ".join(words) == to_write(start) and probabilities(start).get(job, 0) > 0


def repeats(text: str) -> bool:
    """Whether a text of two or more words repeats a single word."""
    words = text.split()
    return len(words) > 1 and len({*words}) == 1


def copies(model: Transformer, variant: str) -> float:
    """Measure how often a model predicts a different job because its input has one.

    The job is in the input at its own position or, with the shift, at the next one. We
    replace it there with a different job, in held-out starts with each possible job,
    and look at the prediction at the job's own position.

    Returns:
        the fraction of predictions that are the new job.
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
    """Measure a model's loss, its sentences for all 128 starts, and whether it copies.

    Returns:
        "loss": the average of the last 50 steps; "exact_match", "repeats" and "copies":
        fractions.
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
