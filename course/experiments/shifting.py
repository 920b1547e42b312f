"""What a decoder learns with the shift and the mask, and without them.

The kept results are made by `python -m course.experiments.shifting`.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from math import log
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from transformer_lib.checkpoints import keep_each, read_results
from transformer_lib.generation.sampling import greedy
from transformer_lib.model.transformer import Transformer

from ..data.jobs import (
    EOS,
    JOBS,
    KEPT_BACK,
    LEARNED,
    PLAIN,
    SOS,
    TOLD,
    VOCABULARY,
    probabilities,
    sentences,
)
from ..data.jobs import written as to_write
from ..models.decoder_variants import STEPS, WAYS, learn
from ..models.jobs import ENDS
from ..trained import CHECKPOINTS

STARTS = (*LEARNED, *KEPT_BACK)
SEEDS = range(5)
LENGTHS = (STEPS, 3 * STEPS)  # steps of the trainings whose results are kept
WORDS = 7  # that have to be said: five of the start, the job and ⟨EOS⟩
JOB = 5  # the place at which it has to be said, from 0
ASKED = 500  # sentences, of `copies`
LAST = 50  # steps, of whose losses the mean is taken


def least_loss() -> float:
    """Give the mean loss a word of one who knows the true probabilities: the least.

        −Σ p(job) log p(job) ÷ 7, in the mean over the sentences of a training

    Of the seven words, the job alone is drawn; the others follow from the source.
    """

    def surprise(start: str) -> float:
        return -sum(p * log(p) for p in probabilities(start).values())

    both = [mean(surprise(start) for start in starts) for starts in (PLAIN, TOLD)]
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


def copies(model: Transformer, way: str) -> float:
    """Measure how often a model says another job because it reads another one.

    The job is read where the way of its training lets it stand: at its own place, or,
    with the shift, at the next one. In new sentences it is replaced there by another
    job, and the answer at its own place is looked at.

    Returns:
        the share of the answers that are the job that was put in.
    """
    source, whole = sentences(torch.Generator().manual_seed(1), ASKED)
    says = whole[:, 1:]
    shifted = WAYS[way].shifted
    reads = (whole[:, :-1] if shifted else says).clone()
    jobs = torch.tensor(VOCABULARY.encode(JOBS))
    at = (says[:, JOB, None] == jobs).int().argmax(1)  # which job it is
    other = jobs[(at + 1) % len(jobs)]
    reads[:, JOB + shifted] = other
    with torch.no_grad():
        said = model(source, reads)[:, JOB].argmax(-1)
    return float((said == other).double().mean())


def measure(model: Transformer, way: str, losses: Sequence[float]) -> dict[str, float]:
    """Give a model's last losses, what it writes of all 128 starts, and if it copies.

    Returns:
        "loss": the mean of the last 50 steps; "right", "repeats" and "copies": shares.
    """
    texts = write(model, STARTS)
    pairs = zip(STARTS, texts, strict=True)
    return {
        "loss": mean(losses[-LAST:]),
        "right": mean(is_right(start, text) for start, text in pairs),
        "repeats": mean(repeats(text) for text in texts),
        "copies": copies(model, way),
    }


def load_results(folder: Path = CHECKPOINTS) -> list[dict[str, float | str]]:
    """The kept results: what `measure` gives, with the way, its steps and its seed.

    Raises:
        FileNotFoundError: the folder does not hold them.
        ValueError: their file is broken.
    """
    return read_results(folder / "shifting.json")


def table(what: str, steps: int = STEPS) -> NDArray[np.float64]:
    """Give one of the kept numbers of all trainings: (4, 5), a row for each of WAYS.

    Args:
        what: "loss", "right", "repeats" or "copies".
        steps: of the trainings, one of LENGTHS.
    """
    kept = [one for one in load_results() if one["steps"] == steps]
    return np.array([[one[what] for one in kept if one["way"] == w] for w in WAYS])


def main(
    folder: Path = CHECKPOINTS,
    lengths: Sequence[int] = LENGTHS,
    seeds: Sequence[int] = SEEDS,
) -> None:
    """Train in each way from each seed, measure at each length; keep what came."""

    def came() -> Iterator[dict[str, Any]]:
        for way, seed in product(WAYS, seeds):
            model, training = learn(way, max(lengths), seed)
            losses: list[float] = []
            for loss in training:
                losses.append(loss)
                if len(losses) in lengths:
                    found = measure(model, way, losses).items()
                    rounded = {what: round(number, 4) for what, number in found}
                    yield {"way": way, "steps": len(losses), "seed": seed, **rounded}

    keep_each(came(), folder / "shifting.json")


if __name__ == "__main__":
    main()
