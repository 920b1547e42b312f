"""find_the_bug: question a program, and accuse one of four suspects."""

from collections.abc import Sequence
from math import inf
from textwrap import wrap

import numpy as np

from explorable import Axis, Explorer, Sheet
from explorable.controls import menu
from explorable.drawings.tiles import Tiles
from transformer_lib.checks.validation import brief, check_type, require

from ...bugs.cases import CASES, Case
from ...bugs.instruments import INSTRUMENTS, OVERFIT_STEPS
from ...experiments import find_the_bug as experiment

SYMPTOM, NOBODY = "the symptom", "nobody yet"
#: What an instrument does, as the note below its answer.
SAYS = {
    SYMPTOM: "what the program shows after its training",
    "first loss": "before training; an undecided model has log V",
    "leak detector": "how far earlier outputs move if a later token changes",
    "permutation": "no positions, no mask: reordered tokens, reordered outputs?",
    "one batch": f"{OVERFIT_STEPS} steps on the same eight strings",
    "gradient check": "along one direction: the derivative and the measured slope",
    "layer by layer": "a second program with the same parameters: largest difference",
    "train and eval": "the same batch in training mode, then twice in evaluation",
    "with a cache": "token by token, or at once: largest difference of the logits",
}
PROGRAMS = ("this one", "healthy")
LINE, LINES = 40, 6  # characters in a line of what is said, and lines
ACROSS = 42.0  # how wide a line is, in the characters of a running text


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
        title="Find the bug",
        task="Ask the instruments, then accuse a suspect.",
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
    s.control("accuse", options=tuple(accused(chosen)))
    answer = answer_to(chosen, ask)
    numbers = [[inf if x is None else x for x in pair] for pair in answer.values()]
    table = s.leaf(
        "answer", Axis("measured", [*answer]), Axis("program", PROGRAMS), numbers
    )
    s.show(
        table,
        ask,
        formula="this program, and a healthy one",
        sentence="{row}: {column}",
        note=SAYS[ask],
        palette="scores",
        vmax=20.0,
        size="large",
    )
    draw_text(s, *said_of(chosen, accuse))
    return s


def answer_to(case: Case, ask: str) -> dict[str, tuple[float | None, float | None]]:
    """The numbers of an instrument, or of the symptom, for both programs."""
    ill, healthy = (experiment.kept(case.number, v) for v in experiment.VERSIONS)
    both = [ill["numbers"], healthy["numbers"]]
    if ask in INSTRUMENTS:
        both = [one["answers"][ask] for one in (ill, healthy)]
    return {name: (x, both[1][name]) for name, x in both[0].items()}


def said_of(case: Case, accuse: str) -> tuple[str, str]:
    """The heading and the text about a suspect, or the list of all of them."""
    if accuse not in case.suspects:
        return "four suspects", "\n".join([*case.suspects, "Whom do you accuse?"])
    verdict = "guilty" if accuse == case.culprit else "not guilty"
    return f"{accuse}: {verdict}", case.suspects[accuse]


def draw_text(s: Sheet, heading: str, text: str) -> None:
    """Draw a text in lines; where it breaks a line, so does the drawing."""
    parts = text.split("\n")
    lines = [line for part in parts for line in wrap(part, LINE)]
    places = np.zeros((len(lines), 3))
    places[:, 1] = range(len(lines))
    s.draw(
        Tiles(
            name="said",
            title=heading,
            faces=[("", line) for line in lines],
            sayings=[f"{heading}: {', '.join(parts)}"] * len(lines),
            board=(ACROSS, LINES),
            wide=[ACROSS] * len(lines),
            later=len(lines),
        ),
        places,
    )
