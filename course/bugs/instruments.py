"""Questions that one can ask of a program whatever its bug; each is answered by a run.

An answer is a few named numbers. A number that is not finite is given as None, since
results are kept as JSON.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isfinite, log

import torch
from torch import Tensor

from .program import (
    LONGEST,
    Parts,
    Program,
    Settings,
    V,
    build,
    new_texts,
    train,
)

Answer = Mapping[str, float | None]
OVERFIT_STEPS, FEW = 150, 8  # steps on one batch of so many texts


@dataclass(frozen=True)
class TrainingRun:
    """A program that was trained: how it was built, and how it came out of training."""

    settings: Settings
    parts: Parts
    program: Program
    seed: int

    @property
    def texts(self) -> Tensor:
        """64 texts that it has not been trained on."""
        return new_texts(self.seed)


def loss_at_the_start(run: TrainingRun) -> Answer:
    """Compare the loss before any training with log V."""
    untrained = build(run.settings, run.parts, run.seed)
    with torch.no_grad():
        return numbers({"loss": untrained.loss(run.texts), "log V": log(V)})


def leak_detector(run: TrainingRun) -> Answer:
    """Change one token after another, and see how far earlier outputs move."""
    ids = run.texts[run.texts[:, -1] > 0][:1]  # a text of twelve letters
    with torch.no_grad():
        before = run.program(ids)[0]
        moved = []
        for place in range(1, ids.size(1)):
            other = ids.clone()
            other[0, place] = 2 + (ids[0, place] - 1) % (V - 2)
            after = run.program(other)[0, :place]
            moved.append(difference(after, before[:place]))
    return numbers({"largest move": max(moved)})


def permutation_test(run: TrainingRun) -> Answer:
    """Without positions and mask, reorder the tokens, and compare the outputs."""
    ids = run.texts[:FEW, :LONGEST]
    order = torch.randperm(LONGEST, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        reordered = run.program(ids[:, order], order=False)
        expected = run.program(ids, order=False)[:, order]
    return numbers({"difference": difference(reordered, expected)})


def overfit_one_batch(run: TrainingRun) -> Answer:
    """Train an untrained program on eight texts: the loss after 150 steps."""
    program = build(run.settings, run.parts, run.seed)
    losses = train(program, run.seed, OVERFIT_STEPS, run.texts[:FEW])
    return numbers({"first loss": losses[0], "last loss": losses[-1]})


def gradient_check(run: TrainingRun) -> Answer:
    """Compare the derivative in a random direction with the slope along it."""
    program = copy.deepcopy(run.program).double()
    weights = [*program.parameters()]
    draw = torch.Generator().manual_seed(0)
    directions = [torch.randn(w.shape, generator=draw).to(w) for w in weights]

    def loss_at(distance: float) -> Tensor:
        with torch.random.fork_rng(), torch.no_grad():
            torch.manual_seed(0)
            for w, direction in zip(weights, directions, strict=True):
                w.add_(direction, alpha=distance)
            loss = program.loss(run.texts)
            for w, direction in zip(weights, directions, strict=True):
                w.sub_(direction, alpha=distance)
        return loss

    with torch.random.fork_rng():
        torch.manual_seed(0)
        loss = program.loss(run.texts)
    slopes = torch.autograd.grad(loss, weights)
    both = zip(slopes, directions, strict=True)
    derivative = sum((a * b).sum().item() for a, b in both)
    step = 1e-6
    slope = ((loss_at(step) - loss_at(-step)) / (2 * step)).item()
    error = abs(slope - derivative) / max(abs(slope), abs(derivative), 1e-12)
    return numbers({"derivative": derivative, "slope": slope, "error": error})


def layer_by_layer(run: TrainingRun) -> Answer:
    """Give a second program the same parameters, and compare all tensors.

    The second program is the mended one, which equals PyTorch's layers.
    """
    other = build(run.settings, Parts(), run.seed)
    own = dict(run.program.named_parameters())
    with torch.no_grad():
        for name, weight in other.named_parameters():
            weight.copy_(own[name])
    found = [_tensors(one, run.texts) for one in (run.program, other)]
    return numbers(
        {name: difference(x, found[1][name]) for name, x in found[0].items()}
    )


def _tensors(program: Program, ids: Tensor) -> dict[str, Tensor]:
    """The tensors of one pass in evaluation mode, in their order."""
    seen: dict[str, Tensor] = {}
    with torch.no_grad():
        inputs, labels = program.parts.shift(ids)
        program(inputs, seen=seen)
        loss = program.loss(ids)
    return {"inputs": inputs, "labels": labels, **seen, "loss": loss}


def train_and_evaluate(run: TrainingRun) -> Answer:
    """Compute the loss of the same batch in training mode, and twice in evaluation."""
    program, texts = copy.deepcopy(run.program), run.texts
    p = run.settings.p
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(0)
        program.train()
        answer = {"training": program.loss(texts)}
        program.eval()
        answer |= {"evaluation": program.loss(texts), "once more": program.loss(texts)}
        if p:  # the mean of many ones after dropout, in training
            ones = torch.ones(100_000)
            answer["mean of ones"] = run.parts.drop(ones, p, True).mean()
    return numbers(answer)


def with_a_cache(run: TrainingRun) -> Answer:
    """Read texts at once, and token by token with a cache; compare the logits."""
    ids = run.texts[:, : LONGEST + 1]
    cache: list[Tensor] = []
    with torch.no_grad():
        at_once = run.program(ids)
        steps = [run.program(ids[:, n : n + 1], cache) for n in range(LONGEST)]
    first, later = (slice(0, 1), slice(1, LONGEST))
    stepwise = torch.cat(steps, dim=1)
    return numbers(
        {
            "first token": difference(stepwise[:, first], at_once[:, first]),
            "later tokens": difference(stepwise[:, later], at_once[:, later]),
        }
    )


INSTRUMENTS: Mapping[str, Callable[[TrainingRun], Answer]] = {
    "first loss": loss_at_the_start,
    "leak detector": leak_detector,
    "permutation": permutation_test,
    "one batch": overfit_one_batch,
    "gradient check": gradient_check,
    "layer by layer": layer_by_layer,
    "train and eval": train_and_evaluate,
    "with a cache": with_a_cache,
}


def numbers(found: Mapping[str, Tensor | float]) -> Answer:
    """Return numbers as Python's own, and None for one that is not finite."""
    plain = {name: float(x) for name, x in found.items()}
    return {name: x if isfinite(x) else None for name, x in plain.items()}


def difference(a: Tensor, b: Tensor) -> float:
    """Return the largest difference; equal infinities do not differ."""
    if a.shape != b.shape:
        return float("inf")
    apart = (a.double() - b.double()).abs()
    return torch.where(a == b, 0.0, apart).max().item()


def starting_at(parts: Parts, first: int) -> Parts:
    """Return the parts of a program whose texts begin at another position."""
    inner = parts.positions
    return replace(parts, positions=lambda new, old: first + inner(new, old))
