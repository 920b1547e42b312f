"""Every exercise: its solution, its mistakes, and what it says about them."""

import ast
import difflib
import itertools
import pathlib
import re

import numpy as np
import pytest
import torch

from course import exercises
from course.exercises import tasks
from course.exercises.checking import _outcomes, agree, judge, known_outcomes

EXERCISES = exercises.EXERCISES


def each(exercise):
    return pytest.mark.parametrize(exercise, EXERCISES.values(), ids=lambda e: e.name)


def longest_common_piece(a, b):
    """The longest text that is in both, blanks left out."""
    a, b = "".join(a.split()), "".join(b.split())
    match = difflib.SequenceMatcher(None, a, b, autojunk=False).find_longest_match()
    return a[match.a : match.a + match.size]


@each("exercise")
def test_a_solution_is_right_and_gets_its_conclusion(exercise):
    verdict = judge(exercise, exercise.build())
    assert (verdict.kind, verdict.text) == ("right", exercise.conclusion)
    assert "Next: " in verdict.text


@each("exercise")
def test_a_template_is_the_question_with_an_empty_body_or_a_planted_mistake(exercise):
    head, question, *body = exercise.template.splitlines()
    assert head == f"def {exercise.name}({', '.join(exercise.parameters)}):"
    assert (question[:7], question[-3:]) == ('    """', '"""')
    assert exercise.planted or body == ["    ..."]
    assert max(map(len, exercise.solution.splitlines())) <= 88
    assert exercise.solution.startswith(f"{head}\n{question}\n")
    lines = [line for line in exercise.solution.splitlines() if line]
    longest = 8 if exercise.name in ("next_token_probabilities", "apply_rotary") else 7
    assert len(lines) <= longest  # a docstring, five or so lines
    names = {"torch": torch}
    exec(exercise.template, names)
    found = judge(exercise, names[exercise.name])
    assert found.text == exercise.planted or found.kind == "empty"


@each("exercise")
def test_no_two_mistakes_give_the_same_results_and_each_differs_from_the_right_ones(
    exercise,
):
    """So each is named as itself; and a check finds it by a result, not an error."""
    wrong = {**known_outcomes(exercise)}
    right = wrong.pop("")
    for (a, x), (b, y) in itertools.permutations({"right": right, **wrong}.items(), 2):
        assert not all(map(agree, x, y)), (a, b)
    for mistake, found in wrong.items():
        pairs = zip(found, right, strict=True)
        assert any(not x.error and not agree(x, y) for x, y in pairs), mistake


@each("exercise")
def test_a_mistake_is_named_with_its_hint(exercise):
    assert len(exercise.mistakes) >= 3
    mistake = list(exercise.mistakes)[-1]
    verdict = judge(exercise, exercise.build(mistake))
    assert (verdict.kind, verdict.text) == ("mistake", mistake)


@each("exercise")
def test_a_hint_does_not_give_the_solution_away(exercise):
    body = exercise.solution.partition('"""\n')[2]
    for text in exercise.mistakes:
        shared = longest_common_piece(text, body)
        assert len(shared) <= 8, shared
        assert len(text.split(". ")) > 1  # what it shows, and then a hint
        assert len(text) <= 230


@each("exercise")
def test_cases_are_easy_to_read_first_and_are_not_touched(exercise):
    before = str(exercise.cases)
    assert not any(o.changed or o.error for o in _outcomes(exercise, exercise.build()))
    assert str(exercise.cases) == before
    assert all(np.asarray(value).size <= 12 for value in exercise.cases[0])
    arrays = [np.asarray(x) for case in exercise.cases for x in case if np.ndim(x)]
    short = all((np.round(x * 1.0, 2) == x).all() for x in arrays)
    assert short or exercise.name == "rotate"  # its rows are sines and cosines


@each("exercise")
def test_a_solution_needs_numpy_torch_and_the_reference_alone(exercise):
    tree = ast.parse(exercise.solution)
    known = {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    stored = {
        n.id
        for n in ast.walk(tree)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    assert used - stored - known <= {"np", "torch", "reference", "len", "split"}


@each("exercise")
def test_float32_answers_and_tensors_count_too(exercise):
    for dtype in ("float32", "float64"):

        def answer(*given, dtype=dtype):
            result = np.asarray(exercise.build()(*given))
            return result if result.dtype == bool else result.astype(dtype)

        assert judge(exercise, answer).kind == "right"
        assert (
            judge(exercise, lambda *given: torch.tensor(answer(*given))).kind == "right"
        )


def test_nearly_every_text_is_said_once():
    texts = [text for e in EXERCISES.values() for text in e.mistakes]
    assert len(set(texts)) >= len(texts) - 8
    assert len({e.conclusion for e in EXERCISES.values()}) == len(EXERCISES) >= 12


# ── as text ─────────────────────────────────────────────────────────────────────
ROOT = pathlib.Path(__file__).parents[3]
FOLDER = pathlib.Path(tasks.__file__).with_name("tasks")
GOOD = """# Exercises

## double

```python
def double(x):
    \"\"\"Return 2 x.\"\"\"
    y = 2 * x
    return y

double([1.5, 2])
double(3)
```

It is twice as large.

- It is not doubled. What is 2 x?
  `2 *` →
- It is squared, and has the other sign. What is 2 x?
  `2 *` → `x *`
  `return y` → `return -y`
"""


@pytest.fixture
def read(tmp_path):
    def read(text):
        file = tmp_path / "sums.md"
        file.write_text(text, "utf-8")
        return list(tasks.read_exercises(file))

    return read


def test_a_section_is_an_exercise(read):
    [double] = read(GOOD)
    assert (double.name, double.conclusion) == ("double", "It is twice as large.")
    [[x], [three]] = double.cases
    assert (x.tolist(), three) == ([1.5, 2], 3)
    none, squared = double.mistakes
    assert double.build()(5) == 10
    assert (none, double.build(none)(5)) == ("It is not doubled. What is 2 x?", 5)
    assert double.build(squared)(5) == -25
    other = GOOD.partition("\n\n")[2].replace("double", "twice")
    assert [exercise.name for exercise in read(f"{GOOD}\n{other}")] == [
        "double",
        "twice",
    ]


def test_a_planted_mistake_stands_in_the_template(read):
    [plain] = read(GOOD)
    [double] = read(GOOD.replace("- It is not", "- **Planted.** It is not"))
    assert double.planted == "It is not doubled. What is 2 x?"
    assert double.mistakes == plain.mistakes
    assert double.template == double.solution.replace("2 *", "")
    assert (plain.planted, plain.template.splitlines()[2:]) == ("", ["    ..."])


def test_edits_are_made_at_once(read):
    swap = "  `y` → `x`\n  `x` → `y`\n"
    [double] = read(GOOD.replace("  `2 *` →\n", swap))
    source = next(iter(double.mistakes.values()))
    assert source.splitlines()[2:] == ["    x = 2 * y", "    return x"]


FORM = "expected an exercise as in 05_attention.md"
CODE = "expected the function double and then calls of it"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("def double", "def triple", CODE),
        ("def double(x):", "class double:", CODE),
        ("double(3)", "triple(3)", CODE),
        ("double(3)", "x = double(3)", CODE),
        ("double([1.5, 2])\ndouble(3)\n", "", CODE),
        ("```python", "```", FORM),
        ("It is twice as large.\n\n", "", FORM),
        ("- It is not doubled.", "It is not doubled.", FORM),
        ("  `2 *` →\n", "", FORM),
        ("`2 *` →\n", "`2 *` → nothing\n", FORM),
        ("`2 *` →\n", "`` → `3 *`\n", FORM),
        ("`2 *` →\n", "`2 *` -> `3 *`\n", FORM),
        ("`return -y`\n", "`return -y`\n\nMore.\n", FORM),
        ("`2 *` →\n", "`3 *` →\n", "`3 *` is not in the solution"),
    ],
)
def test_another_form_is_refused_by_file_and_exercise(old, new, said, read):
    assert old in GOOD
    with pytest.raises(ValueError, match=r"^sums\.md, double: ") as refused:
        read(GOOD.replace(old, new, 1))
    assert said in str(refused.value)


def test_the_guide_for_contributors_shows_an_exercise_that_works(read):
    guide = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    [example] = re.findall("^````markdown\n(.+?)^````", guide, re.MULTILINE | re.DOTALL)
    [exercise] = read(example)
    assert judge(exercise, exercise.build()).kind == "right"
    for mistake in exercise.mistakes:
        assert judge(exercise, exercise.build(mistake)).text == mistake


def test_nothing_that_is_written_in_a_file_is_lost():
    text = "".join(file.read_text("utf-8") for file in FOLDER.glob("*.md"))
    assert len(re.findall("^## ", text, re.MULTILINE)) == len(EXERCISES)
    hints = [hint for exercise in EXERCISES.values() for hint in exercise.mistakes]
    assert re.findall("^- (.+)", text, re.MULTILINE).sort() == hints.sort()
