"""The form of a lesson: what a reader meets before anything is unfolded.

What counts is seen at once. It does not stand in <details>, below a collapsed heading,
or in a cell whose source or output is hidden.
"""

import base64
import io
import pathlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from PIL import Image

from course import exercises

FOLDER = pathlib.Path(__file__).parents[2] / "notebooks"
PATHS = sorted(FOLDER.glob("*.ipynb"))
SECTIONS = {
    name: set(sections.split())
    for name, colon, sections in (
        line.partition(":")
        for line in pathlib.Path(__file__)
        .with_name("syllabus.txt")
        .read_text("utf-8")
        .splitlines()
    )
    if colon and not name.startswith("#")
}
SECTION = re.compile(r"D[0-3](?:\.[0-9a-z]+)+")
WITHOUT_EXERCISE = ("00", "01")
ONE_SITTING = "00"
WIDGET = "application/vnd.jupyter.widget-view+json"
FOLD = re.compile(r"<details.*?</details>", re.DOTALL)
ASSERT = re.compile(r"^\s*assert\b", re.MULTILINE)
ARGUES = re.compile(r"course[’']s (documents?|slides)|one of the documents", re.I)
DOCUMENTS = re.compile(r"<summary>\s*(<b>)?In the documents")
CODE = re.compile(r"\bD[0-3]\.\d")
QUIZ = re.compile(r"""explorers\.quiz\(["'](\w+)["']\)""")

Cell = dict[str, Any]
Faults = Iterator[str]


def tagged(cell: Cell, tag: str) -> bool:
    return tag in cell["metadata"].get("tags", [])


def hides(cell: Cell, what: str) -> bool:
    return bool(cell["metadata"].get("jupyter", {}).get(f"{what}_hidden"))


def unfolded(cell: Cell) -> str:
    return FOLD.sub("", cell["source"])


def preview(output: Cell) -> str:
    """What JupyterLab shows of an output that is hidden: its first line."""
    text = output.get("text") or output.get("data", {}).get("text/plain", "")
    return next((line for line in text.splitlines() if line.strip()), "")


@dataclass
class Lesson:
    """A notebook as its reader finds it; `shown` are the cells that are not folded."""

    name: str
    cells: list[Cell]

    @cached_property
    def shown(self) -> list[tuple[int, Cell]]:
        found, level = [], 7
        for number, cell in enumerate(self.cells):
            prose = cell["cell_type"] == "markdown"
            heading = re.match(r"\s*(#+) ", cell["source"]) if prose else None
            if heading and len(heading[1]) <= level:
                level = 7
            if level == 7:
                found.append((number, cell))
                if heading and cell["metadata"].get("jp-MarkdownHeadingCollapsed"):
                    level = len(heading[1])
        return found

    @property
    def prose(self) -> list[tuple[int, str]]:
        cells = [(n, c) for n, c in self.shown if c["cell_type"] == "markdown"]
        return [(n, unfolded(c)) for n, c in cells]

    @property
    def code(self) -> list[tuple[int, Cell]]:
        cells = [(n, c) for n, c in self.shown if c["cell_type"] == "code"]
        return [(n, c) for n, c in cells if not hides(c, "source")]

    @property
    def words(self) -> int:
        plain = (re.sub(r"<[^>]+>|\$[^$]*\$", " x ", text) for _, text in self.prose)
        return sum(len(text.split()) for text in plain)

    @property
    def predictions(self) -> int:
        return sum(text.count("**Predict") for _, text in self.prose)

    @property
    def exercises(self) -> list[Cell]:
        return [
            c
            for _, c in self.shown
            if c["cell_type"] == "code"
            if tagged(c, "exercise")
        ]

    @cached_property
    def sittings(self) -> list["Lesson"]:
        """What is shown before its break, and after it."""
        at = [i for i, (_, cell) in enumerate(self.shown) if tagged(cell, "break")]
        cells = [cell for _, cell in self.shown]
        parts = [cells[: at[0]], cells[at[0] :]] if at else [cells]
        return [Lesson(self.name, part) for part in parts]

    @property
    def explorers(self) -> int:
        outputs = [o for _, c in self.shown for o in c.get("outputs", [])]
        return sum(WIDGET in o.get("data", {}) for o in outputs)

    @property
    def minutes(self) -> float:
        """Reading, predicting, playing, writing and running, as readers took them."""
        sources = [c["source"].splitlines() for _, c in self.code]
        lines = sum(bool(line.strip()) for source in sources for line in source)
        tasks = 2.5 * self.predictions + 5 * self.explorers + 6 * len(self.exercises)
        return self.words / 120 + tasks + lines / 8


# ── pace ──────────────────────────────────────────────────────────────────────
def the_main_path_is_short(lesson: Lesson) -> Faults:
    limits = {
        "words": (lesson.words, 2300),
        "code cells": (len(lesson.code), 20),
        "predictions": (lesson.predictions, 8),
    }
    for what, (found, most) in limits.items():
        if found > most:
            yield f"{found} {what} on the main path, at most {most}"


def it_has_two_sittings_of_forty_minutes(lesson: Lesson) -> Faults:
    first = lesson.sittings[0]
    two = not lesson.name.startswith(ONE_SITTING)
    if two and len(lesson.sittings) == 1:
        yield "no break: a visible markdown cell with that tag"
    elif two and not (first.predictions and first.explorers):
        yield "no prediction or no explorer before the break"
    for part in lesson.sittings:
        if part.minutes > 40:
            yield f"a sitting of {part.minutes:.0f} minutes, at most 40"


def its_head_says_how_long_it_takes(lesson: Lesson) -> Faults:
    texts = "\n".join(text for _, text in lesson.prose)
    first = r"\*\*Time:\*\* (?:about )?(\d+) minutes"
    second = r"(?: to the break, (?:and )?(\d+) after)?"
    found = re.search(first + second, texts)
    said = [int(x) for x in found.groups() if x] if found else []
    if len(said) != len(lesson.sittings):
        yield "its head gives no time: **Time:** N minutes to the break, M after it"
    for minutes, part in zip(said, lesson.sittings, strict=False):
        if minutes < 0.85 * part.minutes:
            yield f"says {minutes} minutes and takes about {part.minutes:.0f}"


# ── predictions, checks, sources ──────────────────────────────────────────────
def nothing_tells_what_is_to_be_predicted(lesson: Lesson) -> Faults:
    asked = None
    for number, cell in lesson.shown:
        if cell["cell_type"] == "markdown":
            asked = None if "<details" in cell["source"] else asked
            asked = number if "**Predict" in unfolded(cell) else asked
        elif asked is not None and tells(cell):
            yield f"cell {number} tells what cell {asked} asks to predict"


def tells(cell: Cell) -> bool:
    """Whether a cell as it is saved gives its outcome away."""
    if ASSERT.search(cell["source"]) and not hides(cell, "source"):
        return True
    if not hides(cell, "outputs"):
        return any(WIDGET not in o.get("data", {}) for o in cell["outputs"])
    lines = [preview(o) for o in cell["outputs"]]
    said = [line for line in lines if not line.startswith("<Figure")]
    return any(re.search(r"\d|True|False", line) for line in said)


def an_assert_is_shown_only_where_equality_is_the_lesson(lesson: Lesson) -> Faults:
    for number, cell in lesson.code:
        if ASSERT.search(cell["source"]) and not tagged(cell, "equals"):
            yield f"cell {number} asserts: hide it as a check, or tag it equals"


def checks_are_out_of_sight(lesson: Lesson) -> Faults:
    for number, cell in enumerate(lesson.cells):
        if cell["cell_type"] == "code" and tagged(cell, "check"):
            begins = cell["source"].lstrip().startswith("#")
            if cell["outputs"] or not (begins and hides(cell, "source")):
                yield f"cell {number}: a check is hidden, begins with # and is silent"


def what_is_not_the_readers_stands_at_the_end(lesson: Lesson) -> Faults:
    for number, cell in lesson.shown:
        if tagged(cell, "check"):
            yield f"cell {number}: a check among the lesson, not in a folded section"
        if cell["cell_type"] == "markdown" and DOCUMENTS.search(cell["source"]):
            yield f"cell {number} folds what the documents say into the lesson"
    for number, text in lesson.prose:
        if CODE.search(text):
            yield f"cell {number} names a section of the documents by its code"


def pictures_fit_a_projector(lesson: Lesson) -> Faults:
    for number, cell in enumerate(lesson.cells):
        for output in cell.get("outputs", []):
            png = output.get("data", {}).get("image/png")
            high = Image.open(io.BytesIO(base64.b64decode(png))).height if png else 0
            if high > 1000:
                yield f"cell {number} shows a picture {high} pixels tall"


def sources_are_argued_with_in_a_fold(lesson: Lesson) -> Faults:
    for number, text in lesson.prose:
        if ARGUES.search(text):
            yield f"cell {number} argues with the documents on the main path"


# ── exercises and quiz ────────────────────────────────────────────────────────
def there_are_exercises_and_each_is_the_librarys(lesson: Lesson) -> Faults:
    if len(lesson.exercises) < 2 and not lesson.name.startswith(WITHOUT_EXERCISE):
        yield f"{len(lesson.exercises)} exercises, at least 2"
    for number, cell in enumerate(lesson.cells):
        if tagged(cell, "exercise"):
            yield from faults_of_exercise(lesson, number)


def faults_of_exercise(lesson: Lesson, number: int) -> Faults:
    """The cell is the template and its check; the next fold is the solution."""
    source = lesson.cells[number]["source"]
    name = "".join(re.findall(r"^def my_(\w+)\(", source, re.MULTILINE)[:1])
    if name not in exercises.EXERCISES:
        yield f"cell {number} is tagged exercise and asks for no my_… of the library"
        return
    template = exercises.template(name).strip()
    if source.strip() != f"{template}\n\nexercises.check(my_{name})":
        yield f"cell {number} is not the template of {name} and its check"
    prose = [
        c["source"] for c in lesson.cells[number + 1 :] if "<details" in c["source"]
    ]
    fence = re.compile(r"<summary>Solution</summary>.*?```python\n(.*?)```", re.DOTALL)
    found = fence.search(prose[0]) if prose else None
    if not found or found[1].strip() != exercises.solution(name).strip():
        yield f"the fold after cell {number} does not hold the solution of {name}"


def it_ends_in_a_quiz(lesson: Lesson) -> Faults:
    names = [name for _, c in lesson.code for name in QUIZ.findall(c["source"])]
    if len(names) != 1:
        yield f'{len(names)} quizzes in sight, as in explorers.quiz("masks"), not 1'
    for name in names:
        if not 4 <= len(exercises.QUIZZES.get(name, ())) <= 6:
            yield f"the quiz {name!r} has not 4 to 6 questions"


# ── predictions ───────────────────────────────────────────────────────────────
def a_prediction_offers_the_options_that_it_names(lesson: Lesson) -> Faults:
    """Its cell's metadata say which options it offers, and which of them is right."""
    for number, cell in enumerate(lesson.cells):
        named = cell["metadata"].get("prediction")
        if named is None:
            continue
        text, at = cell["source"].partition("**Predict.**")[2], 0
        for option in named["options"]:
            at = text.find(option, at) + len(option)
            if at < len(option):
                yield f"cell {number} does not offer {option!r}, or in another order"
        if named["right"] not in named["options"]:
            yield f"cell {number} does not offer what is right: {named['right']!r}"


# ── the syllabus ──────────────────────────────────────────────────────────────
def it_teaches_its_sections(lesson: Lesson) -> Faults:
    tags = {t for c in lesson.cells for t in c["metadata"].get("tags", [])}
    claimed = {tag for tag in tags if SECTION.fullmatch(tag)}
    for section in sorted(SECTIONS.get(lesson.name, {"any section"}) - claimed):
        yield f"no cell claims {section}"
    for section in sorted(claimed - set().union(*SECTIONS.values())):
        yield f"a cell claims {section}, which the syllabus does not have"


RULES = [
    the_main_path_is_short,
    it_has_two_sittings_of_forty_minutes,
    its_head_says_how_long_it_takes,
    nothing_tells_what_is_to_be_predicted,
    an_assert_is_shown_only_where_equality_is_the_lesson,
    checks_are_out_of_sight,
    what_is_not_the_readers_stands_at_the_end,
    pictures_fit_a_projector,
    sources_are_argued_with_in_a_fold,
    there_are_exercises_and_each_is_the_librarys,
    a_prediction_offers_the_options_that_it_names,
    it_ends_in_a_quiz,
    it_teaches_its_sections,
]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_every_notebook_has_the_form_of_a_lesson(path, rule):
    cells = nbformat.read(path, as_version=4).cells
    assert list(rule(Lesson(path.stem, cells))) == []


def too_often(places: Iterable[tuple[int, int]]) -> Faults:
    """Where right options stand more often than chance has it, of (place, options)."""
    for options, found in groupby(sorted(places, key=itemgetter(1)), key=itemgetter(1)):
        at = Counter(place for place, _ in found)
        count, share = at.total(), 1 / options
        expected, spread = count * share, (count * share * (1 - share)) ** 0.5
        for place, times in at.items():
            if times > expected + 2.5 * spread + 0.5:
                yield f"of {count} with {options} options, {times} at {place + 1}"


def test_the_place_of_an_option_does_not_tell_that_it_is_right():
    cells = [c for path in PATHS for c in nbformat.read(path, as_version=4).cells]
    named = [
        c["metadata"]["prediction"] for c in cells if "prediction" in c["metadata"]
    ]
    predictions = [(n["options"].index(n["right"]), len(n["options"])) for n in named]
    assert list(too_often(predictions)) == []
    questions = [q for quiz in exercises.QUIZZES.values() for q in quiz]
    rights = [[answer.right for answer in q.answers] for q in questions]
    assert list(too_often((right.index(True), len(right)) for right in rights)) == []


@pytest.mark.parametrize("options", [2, 3, 4])
def test_a_place_that_tells_is_found(options):
    assert list(too_often([(options - 1, options)] * 12))
    assert not list(too_often((n % options, options) for n in range(24)))


# ── each rule sees its fault ──────────────────────────────────────────────────
def code(source="x", output="", tags=(), hides=""):
    made = new_output("stream", text=output) if output else None
    hidden = {f"{hides}_hidden": True} if hides else {}
    metadata = {"tags": list(tags), "jupyter": hidden}
    return new_code_cell(source, outputs=[made] if made else [], metadata=metadata)


def prose(source, **metadata):
    return new_markdown_cell(source, metadata=metadata)


def chosen(*options):
    """A prediction that names these options, the first as the right one."""
    named = {"options": [*options], "right": options[0]}
    return prose("> **Predict.** Will it rise: it rises, it falls?", prediction=named)


def picture(height):
    png = io.BytesIO()
    Image.new("RGB", (1, height)).save(png, "png")
    data = {"image/png": base64.b64encode(png.getvalue()).decode()}
    return new_code_cell("x", outputs=[new_output("display_data", data=data)])


TASK = f"{exercises.template('softmax').strip()}\n\nexercises.check(my_softmax)"
SOLVED = "<details><summary>Solution</summary>\n\n```python\n{}\n```\n</details>"
RIGHT = SOLVED.format(exercises.solution("softmax").strip())
PREDICT, ANSWER = prose("**Predict.** Which?"), prose("<details>Both.</details>")
CHECK = code("# x\nassert x", tags=["check"], hides="source")
BREAK = new_markdown_cell("Here you can stop.", metadata={"tags": ["break"]})
SHOWN = code("x")
SHOWN.outputs = [new_output("display_data", data={WIDGET: {"model_id": "x"}})]
BROKEN = [
    (the_main_path_is_short, [prose("word " * 2301)]),
    (the_main_path_is_short, [code() for _ in range(21)]),
    (the_main_path_is_short, [PREDICT] * 9),
    (it_has_two_sittings_of_forty_minutes, [PREDICT, SHOWN]),
    (it_has_two_sittings_of_forty_minutes, [SHOWN, BREAK]),
    (it_has_two_sittings_of_forty_minutes, [PREDICT, BREAK]),
    (it_has_two_sittings_of_forty_minutes, [PREDICT, SHOWN, BREAK, code("1\n" * 330)]),
    (its_head_says_how_long_it_takes, [prose("**Time:** long")]),
    (its_head_says_how_long_it_takes, [prose("**Time:** 5 minutes" + " x" * 1200)]),
    (its_head_says_how_long_it_takes, [prose("**Time:** 9 minutes"), BREAK]),
    (nothing_tells_what_is_to_be_predicted, [PREDICT, code(output="7"), ANSWER]),
    (nothing_tells_what_is_to_be_predicted, [PREDICT, code("assert x"), ANSWER]),
    (
        nothing_tells_what_is_to_be_predicted,
        [PREDICT, code(output="7", hides="outputs")],
    ),
    (an_assert_is_shown_only_where_equality_is_the_lesson, [code("x = 1\nassert x")]),
    (checks_are_out_of_sight, [code("# x", tags=["check"])]),
    (checks_are_out_of_sight, [code("x", tags=["check"], hides="source")]),
    (checks_are_out_of_sight, [code("# x", "7", ["check"], hides="source")]),
    (what_is_not_the_readers_stands_at_the_end, [CHECK]),
    (
        what_is_not_the_readers_stands_at_the_end,
        [prose("<details><summary>In the documents</summary>x</details>")],
    ),
    (what_is_not_the_readers_stands_at_the_end, [prose("as D1.2 says")]),
    (pictures_fit_a_projector, [picture(1001)]),
    (sources_are_argued_with_in_a_fold, [prose("One of the documents says so.")]),
    (there_are_exercises_and_each_is_the_librarys, [prose("none")]),
    (there_are_exercises_and_each_is_the_librarys, [code("x", tags=["exercise"])] * 2),
    (
        there_are_exercises_and_each_is_the_librarys,
        [code(TASK + " ", tags=["exercise"]), prose(SOLVED.format("def my_softmax"))]
        * 2,
    ),
    (
        there_are_exercises_and_each_is_the_librarys,
        [code(TASK + "\n1", tags=["exercise"]), prose(RIGHT)] * 2,
    ),
    (a_prediction_offers_the_options_that_it_names, [chosen("it falls", "it rises")]),
    (a_prediction_offers_the_options_that_it_names, [chosen("it stays", "it is 1")]),
    (it_ends_in_a_quiz, [code("explorers.mask_lab()")]),
    (it_ends_in_a_quiz, [code('explorers.quiz("nobody")')]),
    (it_teaches_its_sections, [code(tags=["D2.8"])]),
    (it_teaches_its_sections, [code(tags=[*SECTIONS["06_masks"], "D9.9", "D3.99"])]),
]


@pytest.mark.parametrize(("rule", "cells"), BROKEN)
def test_a_rule_sees_its_fault(rule, cells):
    assert list(rule(Lesson("06_masks", cells)))


def test_what_is_folded_is_not_counted():
    cells = [
        prose("**Time:** about 9 minutes to the break, 14 after it"),
        SHOWN,
        PREDICT,
        code(output="What came of it\n7", hides="outputs"),
        ANSWER,
        BREAK,
        prose("## Deeper: more", **{"jp-MarkdownHeadingCollapsed": True}),
        prose("### One of the documents says " + "more " * 3000),
        code("assert x\n" * 900),
        prose("## Exercises"),
        *[code(TASK, tags=["exercise"]), prose(RIGHT)] * 2,
        code("assert x", tags=["equals", *SECTIONS["06_masks"]]),
        picture(1000),
        prose("<details>One of the documents errs. " + "more " * 3000 + "</details>"),
        prose("## Checks of the text", **{"jp-MarkdownHeadingCollapsed": True}),
        prose("<details><summary>In the documents</summary>D1.2</details>"),
        CHECK,
    ]
    lesson = Lesson("06_masks", cells)
    rules = [rule for rule in RULES if rule is not it_ends_in_a_quiz]
    assert [fault for rule in rules for fault in rule(lesson)] == []
