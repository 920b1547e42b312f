"""Which of a decoder's two sentences decides each word: the source or the target."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache, partial

import torch
from torch import Tensor

from transformer_lib.model.transformer import Transformer

from ..data.jobs import HELD_OUT, TOLD, VOCABULARY, probabilities, written
from ..data.pairs import SOS
from ..models.jobs import MODEL, SEEDS
from ..models.measures import total_variation
from .experiment import Experiment, grid
from .finishing import LENGTHS

#: All sentences that say what was studied.
STARTS = (*TOLD, *HELD_OUT)
#: The words to be predicted at the six positions.
ASKED = ("name", "works", "as", "a or an", "field", "job")
SOURCE, TARGET = "read", "written"
Answer = Callable[[Sequence[str], Sequence[str]], Tensor]


def differ(a: str, b: str) -> bool:
    """Whether two starts have no name, no subject and no field in common."""
    places = (0, 2, 7)
    one, other = a.split(), b.split()
    return all(one[n] != other[n] for n in places)


@cache
def pairs() -> tuple[list[str], list[str]]:
    """List all pairs of STARTS that differ in name, subject and field, as two lists."""
    found = [(a, b) for a in STARTS for b in STARTS if differ(a, b)]
    first, second = map(list, zip(*found, strict=True))
    return first, second


def ask(model: Transformer, read: Sequence[str], said: Sequence[str]) -> Tensor:
    """Return the probabilities (N, 6, V) of the next word, after ⟨SOS⟩ and each word.

    Args:
        model: the encoder-decoder.
        read: N starts, the sources.
        said: N starts, which the decoder has generated so far.
    """
    source = torch.tensor([VOCABULARY.encode(start) for start in read])
    target = [VOCABULARY.encode(f"{SOS} {written(start)}") for start in said]
    with torch.inference_mode():
        p: Tensor = model(source, torch.tensor(target)).softmax(-1)
    return p


def from_source(read: Sequence[str], said: Sequence[str]) -> Tensor:
    """Predict from the source and the position only: a baseline without the target.

    It predicts the words of the source in their order, without "studied … and", and
    then the true probabilities of the job. Shapes as in `ask`; `said` is not used.
    """
    answers = {start: _true(start) for start in {*read}}
    return torch.stack([answers[start] for start in read])


def from_last_word(read: Sequence[str], said: Sequence[str]) -> Tensor:
    """Predict from the last generated word only: a baseline without the source.

        p(next | last) = sentences with last and next / sentences with last

    Over STARTS, each job with its probabilities. Shapes as in `ask`; `read` is not
    used.
    """
    table = _last_word_table()
    rows = [[table[word] for word in [SOS, *written(start).split()]] for start in said]
    return torch.stack([torch.stack(row) for row in rows])


def _true(start: str) -> Tensor:
    """Return the true probabilities (6, V) of the next word at each position."""
    words = written(start).split()
    p = torch.zeros(len(ASKED), len(VOCABULARY))
    p[range(len(words)), VOCABULARY.encode(words)] = 1.0
    for job, share in probabilities(start).items():
        p[-1, VOCABULARY.encode([job])] = share
    return p


@cache
def _last_word_table() -> dict[str, Tensor]:
    sums: dict[str, Tensor] = defaultdict(lambda: torch.zeros(len(VOCABULARY)))
    for start in STARTS:
        for last, p in zip([SOS, *written(start).split()], _true(start), strict=True):
            sums[last] += p
    return {last: p / p.sum() for last, p in sums.items()}


def exchange(answer: Answer) -> dict[str, list[float]]:
    """Measure how much the next word's probabilities change when one text is replaced.

    Args:
        answer: gives probabilities (N, 6, V): see `ask`, `from_source` and
            `from_last_word`.

    Returns:
        for a replaced source ("read") and target ("written"), the average total
        variation at each of the six positions, over all `pairs`.
    """
    own, other = pairs()
    before = answer(own, own)
    after = {SOURCE: answer(other, own), TARGET: answer(own, other)}
    return {
        text: total_variation(p, before).mean(0).tolist() for text, p in after.items()
    }


def against_rules(model: Transformer) -> dict[str, list[float]]:
    """Return what `exchange` measures for a model, and for the baseline of each text.

    Returns:
        for each of them, the average distances at the six positions.
    """
    own = exchange(partial(ask, model))
    return {
        "read: model": own[SOURCE],
        "read: rule": exchange(from_source)[SOURCE],
        "written: model": own[TARGET],
        "written: rule": exchange(from_last_word)[TARGET],
    }


def reach(
    step: Callable[[Tensor], Tensor], x: Tensor, other: Tensor | None = None
) -> Tensor:
    """Change one vector at a time, and measure how much each output changes.

        reach_ij = max over features |step(x with vector j changed)_i − step(x)_i|

    One pass a change, so what does not depend on the changed vector is equal to the
    last bit.

    Args:
        step: turns x into (1, T, …).
        x: (1, N, D), or ids (1, N).
        other: the replacements, (1, N, D) or ids (1, N), which differ from those of x;
            by default −x.

    Returns:
        (T, N): rows are outputs, columns what was changed.
    """
    other = -x if other is None else other
    columns = []
    with torch.no_grad():
        before = step(x)
        for j in range(x.size(1)):
            changed = x.clone()
            changed[:, j] = other[:, j]
            columns.append((step(changed) - before).abs().flatten(2).amax(2)[0])
    return torch.stack(columns, dim=1)


EXPERIMENT = Experiment(
    name="two_texts",
    runs=grid(seed=SEEDS, steps=LENGTHS),
    measure=lambda steps, seed: exchange(partial(ask, MODEL.after(steps, seed))),
    models={"t5": MODEL},
    decimals=3,
)
