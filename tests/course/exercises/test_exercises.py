"""Every exercise: its solution, its mistakes, and what it says about them."""

import ast
import itertools

import numpy as np
import pytest
import torch

from course import exercises
from course.exercises.checking import _outcomes, agree, judge

EXERCISES = exercises.EXERCISES
MISTAKES = [(e, text) for e in EXERCISES.values() for text in e.mistakes]


def each(exercise):
    return pytest.mark.parametrize(exercise, EXERCISES.values(), ids=lambda e: e.name)


def mistaken(exercise, text):
    return exercise.made(exercise.mistakes[text])


def longest_common_piece(a, b):
    """The longest text that stands in both, blanks left out."""
    a, b = "".join(a.split()), "".join(b.split())
    pieces = (a[i:j] for i, j in itertools.combinations(range(len(a) + 1), 2))
    return max((piece for piece in pieces if piece in b), key=len, default="")


def test_there_are_12_exercises_at_least_that_know_3_mistakes_each_and_40_in_all():
    assert len(EXERCISES) >= 12
    assert len(MISTAKES) >= 40
    assert min(len(e.mistakes) for e in EXERCISES.values()) >= 3


@each("exercise")
def test_a_solution_is_right_and_says_what_holds(exercise):
    verdict = judge(exercise, exercise.made())
    assert (verdict.kind, verdict.text) == ("right", exercise.holds)
    assert "Next: " in verdict.text


@each("exercise")
def test_a_template_is_the_question_and_waits(exercise):
    head, question, body = exercise.template.splitlines()
    assert head == f"def {exercise.name}({', '.join(exercise.parameters)}):"
    assert (question[:7], question[-3:]) == ('    """', '"""')
    assert body == "    ..."
    assert max(map(len, exercise.solution.splitlines())) <= 88
    assert exercise.solution.startswith(f"{head}\n{question}\n")
    assert len(exercise.solution.splitlines()) <= 7  # a docstring, five or so lines
    shipped = exercise.made(f"{exercise.solution} → {exercise.template}")
    assert judge(exercise, shipped).kind == "waits"


@pytest.mark.parametrize(("exercise", "text"), MISTAKES)
def test_a_mistake_is_recognised_as_itself(exercise, text):
    old, arrow, _ = exercise.mistakes[text].partition(" → ")
    assert arrow
    assert old in exercise.solution
    verdict = judge(exercise, mistaken(exercise, text))
    assert (verdict.kind, verdict.text) == ("mistake", text)


@each("exercise")
def test_no_two_mistakes_give_the_same_results_and_none_the_right_ones(exercise):
    answers = {
        text: _outcomes(exercise, mistaken(exercise, text))
        for text in exercise.mistakes
    }
    answers["right"] = _outcomes(exercise, exercise.right)
    for a, b in itertools.permutations(answers, 2):
        pairs = list(zip(answers[a], answers[b], strict=True))
        assert not all(agree(x, y) for x, y in pairs), (a, b)


@each("exercise")
def test_a_mistake_fails_for_a_result_and_not_for_an_error_only(exercise):
    for text in exercise.mistakes:
        wrong, right = (
            _outcomes(exercise, f) for f in (mistaken(exercise, text), exercise.right)
        )
        pairs = list(zip(wrong, right, strict=True))
        assert any(not x.error and not agree(x, y) for x, y in pairs), text


@pytest.mark.parametrize(("exercise", "text"), MISTAKES)
def test_a_hint_does_not_give_the_solution_away(exercise, text):
    body = exercise.solution.partition('"""\n')[2]
    shared = longest_common_piece(text, body)
    assert len(shared) <= 8, shared
    assert len(text.split(". ")) > 1  # what it shows, and then a hint
    assert len(text) <= 230


@each("exercise")
def test_cases_are_easy_to_read_first_and_are_not_touched(exercise):
    before = str(exercise.cases)
    for f in (exercise.made(), exercise.right):
        assert not any(o.changed or o.error for o in _outcomes(exercise, f))
    assert str(exercise.cases) == before
    assert all(np.size(value) <= 12 for value in exercise.cases[0])
    arrays = [value for case in exercise.cases for value in case if np.ndim(value)]
    short = all((np.round(x * 1.0, 2) == x).all() for x in arrays)
    assert short or exercise.name == "rotate"  # its rows are sines and cosines


@each("exercise")
def test_a_solution_needs_numpy_and_the_reference_alone(exercise):
    tree = ast.parse(exercise.solution)
    known = {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    stored = {
        n.id
        for n in ast.walk(tree)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    assert used - stored - known <= {"np", "reference", "len", "split"}


@each("exercise")
def test_float32_answers_and_tensors_count_too(exercise):
    for dtype in ("float32", "float64"):

        def answer(*given, dtype=dtype):
            result = np.asarray(exercise.made()(*given))
            return result if result.dtype == bool else result.astype(dtype)

        assert judge(exercise, answer).kind == "right"
        assert (
            judge(exercise, lambda *given: torch.tensor(answer(*given))).kind == "right"
        )


def test_every_text_is_said_once():
    assert len({text for _, text in MISTAKES}) >= len(MISTAKES) - 8
    assert len({e.holds for e in EXERCISES.values()}) == len(EXERCISES)
