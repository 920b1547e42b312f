"""sequence_training: a Transformer learns to reverse strings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from explorable import Axis, Explorer, Job, Sheet
from explorable.controls import menu, random_start, seed_of, text
from explorable.drawings.curves.curves import MOST_ROWS, Curves
from explorable.inputs import sentence_words, whole_number
from transformer_lib.checks.validation import check_option, require
from transformer_lib.model.transformer import Transformer

from ...data.pairs import Pairs
from ...data.sequences import EOS_ID, LETTERS, MOST, PAD_ID, SOS_ID, VOCABULARY
from ...experiments.learning import ONE_BLOCK, STEPS, TASK, begin
from ...models.measures import teacher_forced
from ...models.pairs import exact_match, write

ASKED = 100  # held-out strings
EVERY = 20  # steps between two evaluations
ROOMY = 7  # letters up to which cells are large
HIGHEST = 2.0  # loss that is drawn: the reader predicts how it begins


@dataclass(frozen=True)
class Stage:
    """The state of a training run.

    model: the model now.
    losses: of the steps so far.
    tokens, strings: accuracy (teacher-forced) and exact match (free-running) at the
        last evaluation.
    """

    model: Transformer
    losses: list[float]
    tokens: float
    strings: float


def sequence_training(
    letters: str = "bagged", *, variant: str = "baseline", steps: int = STEPS
) -> Explorer:
    """Watch a model learn to reverse strings, starting from random weights.

    Args:
        letters: the string to reverse, 1 to 10 of the letters a … j.
        variant: of the recipe, one of `experiments.learning.ONE_BLOCK`.
        steps: the number of batches.

    Returns:
        an Explorer of long work with controls "letters", "variant" and "draw". Its
        values: "probabilities" (T, 13) of the next token, teacher-forced, and "losses"
        (steps, 1), NaN for steps that were not taken yet.

    Raises:
        TypeError, ValueError: the letters are others, too many or none, there is no
            such variant, or steps is no integer from 1 to 2,048.

    Source: D2.7.train, D2.12.train.
    """
    read_letters(letters)
    check_option("variant", variant, [*ONE_BLOCK])
    whole_number("steps", steps, 1, MOST_ROWS)  # a loss is a point of a curve

    def work(*, variant: str, draw: str) -> Iterator[Stage]:
        return stages(variant, seed_of(draw), steps)

    controls = {
        "letters": text("string (a–j)", letters, 1, at_once=False, room=16),
        "variant": menu("variant", [*ONE_BLOCK], variant),
        "draw": random_start(),
    }
    sheet = sequence_training_sheet
    return Job(
        "sequence_training",
        sheet,
        work,
        steps,
        controls,
        steps=steps,
        title="Training a Transformer",
        task="Watch it learn. Stop it, type a different string, and go on.",
        more=("draw",),
    )


def stages(variant: str, seed: int, steps: int) -> Iterator[Stage]:
    """Train a variant: yield its state before the first step, and after each."""
    model, training = begin(variant, seed, steps)
    held_out = TASK.held_out(ASKED)
    losses: list[float] = []
    while True:
        if training.taken % EVERY == 0 or not len(training):
            forced = teacher_forced(model, held_out, PAD_ID)
            right = forced.token_accuracy, exact_match(model, TASK, held_out)
        yield Stage(model, losses, *right)
        if not len(training):
            return
        losses = [*losses, next(training)]


def read_letters(letters: str) -> list[int]:
    """Turn letters into ids.

    Raises:
        TypeError, ValueError: there is none, there are over 10, or others than a … j.
    """
    [word] = sentence_words(letters, 1, "letters")
    require(len(word) <= MOST, "letters", f"be at most {MOST}", len(word))
    unknown = [letter for letter in word if letter not in LETTERS]
    wanted = f"be of {LETTERS[0]} … {LETTERS[-1]}"
    require(not unknown, "letters", wanted, repr("".join(unknown)[:3]))
    return VOCABULARY.encode([*word])


def pair_of(letters: str) -> Pairs:
    """Return the pair of a string: source (1, S), and the whole target (1, S + 2)."""
    ids = read_letters(letters)
    return Pairs(torch.tensor([ids]), torch.tensor([[SOS_ID, *ids[::-1], EOS_ID]]))


def next_probabilities(model: Transformer, pair: Pairs) -> Tensor:
    """Return the probabilities (T, V) of the next token, with teacher forcing."""
    with torch.no_grad():
        return model(pair.source, pair.target[:, :-1])[0].softmax(-1)


def _read_before(tokens: Sequence[str]) -> int:
    """The first token that was read before: two others can follow it; −1 for none."""
    return next((n for n, token in enumerate(tokens) if token in tokens[:n]), -1)


def _said(generated: str, letters: str) -> str:
    """State what the model writes by itself, and whether that is right."""
    wanted = letters[::-1]
    if generated == wanted:
        return f"free-running output: “{generated}”, all correct"
    return f"free-running output: “{generated}”, not “{wanted}”"


def sequence_training_sheet(
    found: Stage, *, letters: str, steps: int, variant: str, draw: str
) -> Sheet:
    """Show the predictions for a string, the losses, and the accuracies."""
    s = Sheet()
    pair = pair_of(letters)
    probabilities = next_probabilities(found.model, pair).double().numpy()
    reads = Axis("input", VOCABULARY.decode(pair.target[0, :-1]))
    says = Axis("prediction", VOCABULARY.words)
    wanted = np.eye(len(VOCABULARY), dtype=bool)[pair.target[0, 1:]]
    s.show(
        s.leaf("probabilities", reads, says, probabilities),
        f"{letters} reversed",
        formula="probability of the next token; frame = target; blank: under 0.005",
        note=_said("".join(write(found.model, TASK, pair.source)[0]), letters),
        concludes=True,
        palette="output",
        vmax=1.0,
        blank_zeros=True,
        outlined=wanted,
        opens=_read_before(reads.labels),
        size="large" if len(letters) <= ROOMY else "small",
        sentence="after “{row}”: the probability that “{column}” comes next",
    )
    taken = len(found.losses)
    right = f"{found.tokens:.0%} of tokens, {found.strings:.0%} exact"
    losses = np.full((steps, 1), np.nan)
    losses[:taken, 0] = found.losses
    learning = Curves(
        name="losses",
        title="loss",
        formula=f"losses above {HIGHEST:g} are not shown",
        x=range(1, steps + 1),
        series=("loss",),
        hues=("weights",),
        axes=("step", "nats per token"),
        limits=((1, max(2, steps)), (0.0, HIGHEST)),
        sentence="step {x}, in nats per token",
        note=f"{ASKED} held-out strings: {right}",
        room=5,
        wide=26,
        high=17,
    )
    s.draw(learning, losses)
    return s
