"""What decides how a sentence is finished, and whether a rule would do as well."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from statistics import mean

import torch
from torch import Tensor

from transformer_lib.model.transformer import Transformer
from transformer_lib.runtime.patching import patch
from transformer_lib.runtime.recording import record

from ..data.jobs import (
    HELD_OUT,
    JOBS,
    LEARNED,
    NAMES,
    PROBABILITIES,
    STUDIED,
    draw_sentences,
    probabilities,
)
from ..models import one_stack
from ..models.jobs import MODEL, RECIPE, SEEDS, next_word
from ..models.measures import Probabilities, total_variation
from ..models.small_model import batch_seed
from .experiment import Experiment, grid
from .results import Row

Rule = Callable[[str], Probabilities]
STEPS = RECIPE.steps
LENGTHS = (STEPS // 2, STEPS)  # steps of the trainings whose results are kept


def last_word(start: str) -> str:
    """Return the word that the next word follows."""
    return start.split()[-1]


def subject(start: str) -> str:
    """Return what was studied, or nothing where it is not told."""
    words = start.split()
    return words[words.index("studied") + 1] if "studied" in words else ""


def both(start: str) -> tuple[str, str]:
    """Return what was studied, and the last word."""
    return subject(start), last_word(start)


#: What each rule looks up in its table; a table is counted.
RULES: Mapping[str, Callable[[str], str | tuple[str, str]]] = {
    "last word": last_word,
    "subject": subject,
    "both words": both,
}


@cache
def count(
    rule: str, steps: int = STEPS, seed: int = 0
) -> Mapping[object, Probabilities]:
    """Count the jobs of a model's own training sentences, by what a rule looks up.

        p(job | key) = sentences with key and job / sentences with key

    Args:
        rule: a key of RULES.
        steps: of the training whose sentences are counted.
        seed: of that training.

    Raises:
        KeyError: there is no such rule.
    """
    look_up = RULES[rule]
    counts = {look_up(start): Counter[str]() for start in LEARNED}
    for (start, job), times in _drawn(steps, seed).items():
        counts[look_up(start)][job] += times
    return {key: _shares(jobs) for key, jobs in counts.items()}


def unigram(steps: int = STEPS, seed: int = 0) -> Probabilities:
    """Count how often each job ends a model's own training sentences, whatever else."""
    counts: Counter[str] = Counter()
    for (_, job), times in _drawn(steps, seed).items():
        counts[job] += times
    return _shares(counts)


def _shares(counts: Counter[str]) -> Probabilities:
    return {job: counts[job] / max(counts.total(), 1) for job in JOBS}


@cache
def _drawn(steps: int, seed: int) -> Counter[tuple[str, str]]:
    """Count the sentences of a training: each start with its job."""
    draw = torch.Generator().manual_seed(batch_seed(seed))
    pairs: Counter[tuple[str, str]] = Counter()
    for _ in range(steps):
        pairs.update(draw_sentences(draw, RECIPE.batch_size))
    return pairs


def compare(model: Transformer, steps: int = STEPS, seed: int = 0) -> dict[str, float]:
    """Measure how far a model, and each rule, are from the true probabilities.

    Args:
        model: what `learn` gave with these steps and this seed.
        steps: of its training, whose sentences the rules count.
        seed: of its training.

    Returns:
        the mean distance over the held-out starts, of each of RULES and of
        the "model".
    """
    found = {}
    for rule, look_up in RULES.items():
        table = count(rule, steps, seed)
        found[rule] = distance_from_truth(lambda s: table[look_up(s)])  # noqa: B023
    return found | {"model": distance_from_truth(partial(next_word, model))}


def distance_from_truth(answer: Rule) -> float:
    """Return an answer's mean distance from the truth, over the held-out starts."""
    return mean(
        total_variation(answer(start), probabilities(start)) for start in HELD_OUT
    )


def exchanged(start: str) -> dict[str, list[str]]:
    """Return the starts in which the name, the subject or the field is replaced."""
    name, _, studied, _, _, _, article, last = start.split()
    field = f"{article} {last}"

    def say(name: str = name, studied: str = studied, field: str = field) -> str:
        return f"{name} studied {studied} and works as {field}"

    return {
        "name": [say(name=other) for other in NAMES if other != name],
        "subject": [say(studied=other) for other in STUDIED if other != studied],
        "field": [say(field=other) for other in PROBABILITIES if other != field],
    }


def exchange(answer: Rule) -> dict[str, float]:
    """Measure how far an answer moves when one word of a start is another one.

    Args:
        answer: start → the probabilities of what follows: a model's, a rule's or
            the true ones.

    Returns:
        for the name, the subject and the field, the mean distance between the answers
        before and after, over all exchanges in the held-out starts.
    """
    moved: dict[str, list[float]] = {"name": [], "subject": [], "field": []}
    for start in HELD_OUT:
        before = answer(start)
        for what, others in exchanged(start).items():
            moved[what] += [total_variation(before, answer(other)) for other in others]
    return {what: mean(far) for what, far in moved.items()}


def vectors(model: Transformer, start: str) -> Tensor:
    """Return the vectors (1, S, D) that the encoder hands over, one for each word."""
    with record(model) as tensors:
        next_word(model, start)
    return tensors["encoder"]


def hand_over(
    model: Transformer, start: str, other: Tensor, places: Iterable[int]
) -> Probabilities:
    """Predict the job after a start; some of the encoder's vectors are another's.

    Args:
        model: the encoder-decoder.
        start: what is read.
        other: the `vectors` (1, S, D) of a start of as many words.
        places: of the words whose vectors are exchanged, from 0.
    """
    chosen = list(places)

    def put(memory: Tensor) -> Tensor:
        memory[:, chosen] = other[:, chosen]
        return memory

    with patch(model, {"encoder": put}):
        return next_word(model, start)


def through(model: Transformer) -> list[float]:
    """Measure which of the encoder's vectors tell the decoder what was studied.

    Returns:
        for each of the eight words, how far the answer moves when the encoder's vector
        of this word alone comes from a sentence with another subject; the mean over
        such exchanges in the held-out starts.
    """
    moved: list[list[float]] = []
    for start in HELD_OUT:
        before = next_word(model, start)
        for other in exchanged(start)["subject"]:
            swapped = partial(hand_over, model, start, vectors(model, other))
            moved.append(
                [total_variation(before, swapped([place])) for place in range(8)]
            )
    return [mean(far) for far in zip(*moved, strict=True)]


def run(steps: int, seed: int) -> Row:
    """Measure a model of 00: its distances, and how far its answers move.

    Those of STEPS are the kept ones; the others are trained.
    """
    model = MODEL.after(steps, seed)
    moved = exchange(partial(next_word, model))
    return {
        **compare(model, steps, seed),
        **{f"{word} exchanged": far for word, far in moved.items()},
        "vectors": through(model),
    }


def in_one_stack(steps: int, seed: int) -> Row:
    """Train a decoder-only model on the same sentences, and measure its distance."""
    model = one_stack.MODEL.train(seed, steps)
    return {"model": distance_from_truth(partial(one_stack.next_word, model))}


EXPERIMENT = Experiment(
    name="finishing",
    runs=grid(seed=SEEDS, steps=LENGTHS),
    measure=run,
    models={"jobs": MODEL},
    decimals=3,
)
ONE_STACK = Experiment(
    name="one_stack",
    runs=grid(seed=SEEDS, steps=LENGTHS),
    measure=in_one_stack,
    models={"one stack": one_stack.MODEL},
    decimals=3,
)
