"""find_the_bug: question a program, and accuse one of four suspects."""

from collections.abc import Sequence
from functools import cache
from math import inf
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorable import Axis, Explorer, Sheet, Style, plots
from explorable.controls import menu
from explorable.drawings.bars import Bars
from explorable.drawings.curves import Curves
from explorable.drawings.tiles import Tiles
from transformer_lib.checks.validation import brief, check_type, require

from ...bugs.cases import CASES, COUNTS, EVERY, Case
from ...bugs.instruments import INSTRUMENTS, OVERFIT_STEPS
from ...bugs.program import FLOOR
from ...experiments import find_the_bug as experiment

SYMPTOM, LAYERS, NOBODY = "the symptom", "layer by layer", "nobody yet"
#: What an instrument does, above its answer.
SAYS = {
    SYMPTOM: "what the program shows after its training",
    "first loss": "before training; an undecided model has log V",
    "leak detector": "how far earlier outputs move if a later token changes",
    "permutation": "no positions, no mask: reordered tokens, reordered outputs?",
    "one batch": f"{OVERFIT_STEPS} steps on the same eight strings",
    "gradient check": "along one direction: the derivative and the measured slope",
    LAYERS: "a second program with the same parameters: largest difference",
    "train and eval": "the same batch in training mode, then twice in evaluation",
    "with a cache": "token by token, or at once: largest difference of the logits",
}
ATTENDED = ("⟨SOS⟩", *"cabcab")  # the tokens whose weights a symptom has
SMALL = 0.005  # what is written as 0.00
PAIR: Style = {"series": ("this one", "healthy"), "hues": ("output", "reference")}
LINE, LINES = 72, 3  # characters in a line of a verdict, and lines
# In the characters of a running text: how wide a verdict is, and what can be clicked.
BROAD, ACROSS = 56.0, 18.0
CHOSEN = float(plots.STEPS)  # the shade of what was clicked
UNACCUSED = (
    "Nobody is accused yet. Ask the instrument that tells two suspects apart, then "
    "click the one you accuse."
)


def find_the_bug(cases: Sequence[int] = tuple(CASES), case: int = 0) -> Explorer:
    """Question programs that have a bug each, and accuse one of four suspects.

        find_the_bug([1, 2, 3])

    Args:
        cases: their numbers.
        case: the one to begin with, by default the first.

    Returns:
        an Explorer with the controls "case", "ask" and "accuse". Its values "answer"
        are the numbers of this program and of a healthy one.

    Raises:
        TypeError, ValueError: there is no such case.
    """
    check_type("cases", cases, list, tuple)
    known = all(isinstance(number, int) and number in CASES for number in cases)
    wish = f"be some of 1 to {len(CASES)}"
    require(len(cases) > 0 and known, "cases", wish, brief(cases))
    offered = isinstance(case, int) and case in (0, *cases)
    require(offered, "case", f"be one of {[*cases]}", brief(case))
    names = {title(CASES[number]): number for number in cases}
    first = CASES[case or cases[0]]
    spoken = ", ".join(map(str, cases))
    controls = {
        "case": menu("case", [*names], title(first)),
        "ask": menu("ask", [*SAYS], SYMPTOM),
        "accuse": menu("accuse", accused(first), NOBODY),
    }
    return Explorer(
        "find_the_bug",
        find_the_bug_sheet,
        controls,
        names=names,
        title="Find the bug: case" + ("s " if len(cases) > 1 else " ") + spoken,
        task="Click one instrument after another, then the suspect you accuse.",
    )


def title(case: Case) -> str:
    """What the menu calls a case."""
    return f"{case.number} · {case.title}"


def accused(case: Case) -> list[str]:
    """Whom the menu offers to accuse."""
    return [NOBODY, *case.suspects]


def find_the_bug_sheet(
    *, case: str, ask: str, accuse: str, names: dict[str, int]
) -> Sheet:
    """Show the answer of an instrument, and what is to be said of a suspect."""
    chosen = CASES[names[case]]
    s = Sheet()
    # A click on an instrument or on a suspect chooses it, and so does Enter: no menu
    # says it again.
    s.control("ask", shown=False)
    s.control("accuse", shown=False, options=tuple(accused(chosen)))
    draw_instruments(s, ask)
    draw_answer(s, chosen, ask)
    draw_suspects(s, chosen, accuse)
    draw_verdict(s, chosen, accuse)
    return s


def draw_answer(s: Sheet, case: Case, ask: str) -> None:
    """Draw the numbers of both programs, or how their losses have fallen."""
    answer = answer_to(case, ask)
    pairs = [[inf if x is None else x for x in pair] for pair in answer.values()]
    s.keep("answer", pairs)
    curves = [experiment.kept(case.number, v)["curves"] for v in experiment.VERSIONS]
    if ask == SYMPTOM and [*curves[0]] == ["loss"]:
        draw_losses(s, case, [one["loss"] for one in curves])
        draw_weights(s, case)
        return
    own = ask == LAYERS  # of a second program that is healthy
    finite = [
        x
        for name, pair in answer.items()
        for x in pair
        if x is not None and not name.startswith(COUNTS)
    ]
    ends = (min(0.0, *finite), max(0.0, *finite))
    low, high = (plots.rounded_up(abs(x)) if abs(x) > SMALL else 0.0 for x in ends)
    look: Style = {"series": ("",), "hues": ("output",)} if own else PAIR
    # Beyond 1 every difference is large: the point is where there is a first one.
    look = look | {"scale": (0.0, 1.0) if own else (-low, high or 1.0)}
    look |= {"labels": [*answer], "faint": [not is_far(*pair) for pair in pairs]}
    look |= {"title": ask, "measure": SAYS[ask], "group": 1, "leads": True}
    far = [apart(*pair) for pair in answer.values()]
    look |= {"opens": (int(np.argmax(far)), 0), "concludes": True}
    look |= {"formula": "pale: as in a healthy program", "note": said(case, ask)}
    look |= {"sentence": "{label}: " + ("largest difference" if own else "{series}")}
    look |= {"least": 16, "wide": 22.0}
    shown = [pair[:1] for pair in pairs] if own else pairs
    s.draw(Bars(name="shown", **look), shown)


def draw_losses(s: Sheet, case: Case, losses: Sequence[Sequence[float]]) -> None:
    """Draw how the loss of each program has fallen, and the lowest that is possible."""
    values = np.transpose([*losses, [FLOOR] * len(losses[0])])
    look: Style = {"title": SYMPTOM, "formula": "the loss in training", "group": 1}
    look |= {"axes": ("batch", "loss"), "x": range(0, EVERY * len(values), EVERY)}
    look |= {"limits": ((0, EVERY * len(values)), (0, 3)), "wide": 36, "high": 16}
    look["room"] = 15
    look["series"] = (*PAIR["series"], "lowest possible")
    look["hues"] = (*PAIR["hues"], "reference")
    match, best = answer_to(case, SYMPTOM)["exact match"]
    look["formula"] += f" · exact match {match:.2f}, healthy {best:.2f}"
    below = next(n for n, loss in enumerate(losses[0]) if loss < FLOOR)
    look |= {"sentence": "loss of batch {x}", "marks": [(below, f"below {FLOOR:.2f}")]}
    look |= {"note": said(case, SYMPTOM), "concludes": True}
    s.draw(Curves(name="shown", leads=True, **look), values)


def draw_weights(s: Sheet, case: Case) -> None:
    """Draw the attention weights that are part of a symptom, if they are."""
    ill = experiment.kept(case.number, experiment.VERSIONS[0])
    if not ill["matrix"]:
        return
    axes = Axis("query", ATTENDED), Axis("key", ATTENDED)
    table = s.leaf("weights", *axes, ill["matrix"])
    look: Style = {"palette": "weights", "vmax": 1.0, "blank_zeros": True, "group": 1}
    look |= {"sentence": "the weight that “{row}” gives to “{column}”"}
    s.show(table, "attention", formula="mean of heads", size="small", **look)


@cache
def ringing() -> NDArray[np.bool_]:
    """Which instrument rings in which case."""
    return experiment.rings()


def said(case: Case, ask: str) -> str:
    """What there is to see: what was written, or whether an instrument rings."""
    if ask in INSTRUMENTS:
        place = [*INSTRUMENTS].index(ask), [*CASES].index(case.number)
        return f"{ask}: it rings" if ringing()[place] else f"{ask}: it finds nothing"
    answer = answer_to(case, ask)
    label, (ill, healthy) = max(answer.items(), key=lambda item: apart(*item[1]))
    numbers = (plots.number(inf if x is None else x, 2) for x in (ill, healthy))
    if text := written(case):
        return f"It {text}" if text.startswith("continues") else text
    return f"{label}: {' instead of '.join(numbers)}"


def apart(found: float | None, healthy: float | None) -> float:
    """How far a number is from the healthy one; of what is not finite, any distance."""
    if found is None or healthy is None:
        return inf if found != healthy else 0.0
    return abs(found - healthy)


def written(case: Case) -> str:
    """What the program has written, and the healthy one, as a part of the symptom."""
    ill, healthy = (experiment.kept(case.number, v) for v in experiment.VERSIONS)
    said = []
    for name, text in ill["texts"].items():
        own = healthy["texts"].get(name, "")
        if text != own:
            said.append(f"{name} “{text}”" + f"; healthy: “{own}”" * bool(own))
    return " · ".join(said)


def answer_to(case: Case, ask: str) -> dict[str, tuple[float | None, float | None]]:
    """The numbers of an instrument, or of the symptom, for both programs."""
    ill, healthy = (experiment.kept(case.number, v) for v in experiment.VERSIONS)
    both = [ill["numbers"], healthy["numbers"]]
    if ask in INSTRUMENTS:
        both = [one["answers"][ask] for one in (ill, healthy)]
    return {name: (x, both[1][name]) for name, x in both[0].items()}


def is_far(found: float, healthy: float) -> bool:
    """Whether a number differs from the healthy one by a tenth and in print."""
    if inf in {found, healthy}:
        return found != healthy
    apart = abs(found - healthy)
    return round(found, 2) != round(healthy, 2) and apart > 0.1 * abs(healthy)


def draw_instruments(s: Sheet, ask: str) -> None:
    """Draw the symptom and the instruments, below each other; a click asks one."""
    names = [*SAYS]
    look: Style = {"formula": "click one", "chooses": ("ask", names)}
    look["sayings"] = [f"{name}: {says}" for name, says in SAYS.items()]
    look |= {"title": "instruments", "wide": [ACROSS] * len(names)}
    shades = [CHOSEN * (name == ask) for name in names]
    draw_lines(s, "instruments", names, shades, len(names), **look)


def draw_suspects(s: Sheet, case: Case, accuse: str) -> None:
    """Draw the suspects, below each other; a click accuses one."""
    names = [*case.suspects]
    mark = "✓" if accuse == case.culprit else "✗"
    look: Style = {"formula": "click one", "chooses": ("accuse", names)}
    look["sayings"] = [f"{name}: click to accuse" for name in names]
    lines = [f"{name} {mark}" if name == accuse else name for name in names]
    shades = [CHOSEN * (name == accuse) for name in names]
    look |= {"title": "four suspects", "wide": [ACROSS] * len(names), "band": 1}
    draw_lines(s, "suspects", lines, shades, len(names), **look)


def draw_verdict(s: Sheet, case: Case, accuse: str) -> None:
    """Draw the verdict, and what is to be said for or against the suspect, in lines."""
    heading, lines = "the verdict", wrap(UNACCUSED, LINE)
    if accuse in case.suspects:
        guilt = "guilty" if accuse == case.culprit else "not guilty"
        heading, lines = f"{accuse}: {guilt}", wrap(case.suspects[accuse], LINE)
    look: Style = {"title": heading, "later": len(lines), "band": 1}
    look["sayings"] = [" ".join(lines)] * len(lines)
    look["wide"] = [BROAD] * len(lines)
    draw_lines(s, "verdict", lines, [0.0] * len(lines), LINES, **look)


def draw_lines(
    s: Sheet,
    name: str,
    lines: Sequence[str],
    shades: Sequence[float],
    high: int,
    **look: Any,
) -> None:
    """Draw lines of a text below each other, in room for `high` of them."""
    places = [[0.0, float(n), shade] for n, shade in enumerate(shades)]
    look["board"] = (look["wide"][0], float(high))
    s.draw(Tiles(name=name, faces=[("", line) for line in lines], **look), places)
