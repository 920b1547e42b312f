"""The quiz at rest, without a browser: what its picture keeps of the questions."""

import re

import numpy as np
import pytest

from course import explorers
from course.exercises import QUIZZES
from course.explorers.quiz import LETTERS
from explorable import plots
from explorable.plots import lettering


@pytest.mark.parametrize("name", QUIZZES)
def test_its_picture_holds_every_question_in_two_columns(name):
    quiz = explorers.quiz(name)
    figure = quiz.picture()
    figure.draw_without_rendering()
    wide, high = figure.get_size_inches()
    words = plots.said(figure)
    for drawn in figure.findobj(lettering.Words):  # the area is the whole page
        corners = drawn.get_transform().transform([(0, 0), (wide, high)])
        np.testing.assert_allclose(corners, [(0, 100 * high), (100 * wide, 0)])
    ends = [w.x + plots.width(w.text, LETTERS, bold=w.bold) / 72 for w in words]
    assert all(0 < w.x < end < wide for w, end in zip(words, ends, strict=True))
    tops = np.array([w.y for w in words])  # inches from the top
    assert (tops > LETTERS / 72).all()
    assert (tops < high).all()
    heads = [w for w in words if w.bold and re.match(r"\d\. ", w.text)]
    assert [w.text.split(". ")[0] for w in heads] == [
        str(n) for n in range(1, len(quiz.questions) + 1)
    ]
    first, *others = sorted({w.x for w in heads})
    assert len(others) == 1
    assert [w.x == first for w in heads] == [n % 2 == 0 for n in range(len(heads))]
    for column in (first, *others):  # one line below the other
        own = [w.y for w in words if column <= w.x < column + wide / 2 - first]
        assert min(np.diff(sorted(own))) > LETTERS / 72
    answers = sum(len(q.answers) for q in quiz.questions)
    assert sum(w.text.startswith("○") for w in words) == answers
