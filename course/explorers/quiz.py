"""A quiz at the end of a notebook, with feedback on each answer."""

import pathlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import anywidget
import traitlets as T
from matplotlib.figure import Figure

from explorable.inputs import LONGEST_TEXT, listed
from explorable.lifetime import Exhibit
from explorable.plots import Area, wrapped
from explorable.tools import ToolsView
from explorable.views import module, stylesheet
from transformer_lib.checks.validation import brief

from ..exercises import QUIZZES, Question

STATIC = pathlib.Path(__file__).with_name("static") / "quiz"
MOST = 12  # questions
COLUMN = 6.4  # inches, in the picture
LINE = 0.23  # inches
EDGE = 0.15  # inches
LETTERS = 10.5  # points
LINES = 4  # of one text in the picture


def quiz(questions: str | Iterable[Question]) -> "Quiz":
    """Ask questions, and say of each answer why it is right or which idea leads to it.

    Args:
        questions: the name of a quiz in `exercises.QUIZZES`, or the questions.

    Raises:
        TypeError: these are no questions, or one of their texts is no string.
        ValueError: no quiz has this name; there is none or too many; a text is too
            long or holds a lone surrogate.
    """
    if not isinstance(questions, str):
        return Quiz("quiz", checked(questions))
    if questions not in QUIZZES:
        known = ", ".join(QUIZZES)
        said = f"no quiz is called {brief(questions)}; there are {known}"
        raise ValueError(f"questions: {said}")
    return Quiz(f"quiz_{questions}", checked(QUIZZES[questions]))


def checked(questions: Iterable[Question]) -> list[Question]:
    """The questions, if they can be sent to a page and shown there."""
    found = listed("questions", questions, "Question")
    if not all(isinstance(question, Question) for question in found):
        raise TypeError(f"questions must be a list of Question, got {brief(questions)}")
    if not 1 <= len(found) <= MOST:
        raise ValueError(f"questions must be 1 to {MOST}, got {len(found)}")
    for text in (t for q in found for t in (q.text, *said(q))):
        if not isinstance(text, str):
            raise TypeError(f"a question and its answers are texts, got {brief(text)}")
        if len(text) > LONGEST_TEXT or any("\ud800" <= c <= "\udfff" for c in text):
            raise ValueError(
                f"a text of a question may hold {LONGEST_TEXT} characters and no lone "
                f"surrogate, got {len(text)}: {brief(text)}"
            )
    return found


def said(question: Question) -> list[str]:
    """All that the answers of a question say."""
    return [text for a in question.answers for text in (a.text, a.feedback)]


class QuizView(anywidget.AnyWidget):
    """Questions with radio buttons. The page judges alone: no kernel is asked.

    Traits:
        questions: each with its text and its answers, as dictionaries.
    """

    _esm = module(STATIC / "quiz_view.js")
    _css = stylesheet(STATIC)
    questions: T.List[Any] = T.List().tag(sync=True)


class Quiz(Exhibit):
    """Questions that are answered in the page; at rest, the questions alone.

    Attributes:
        questions: what is asked.
    """

    def __init__(self, name: str, questions: Sequence[Question]) -> None:
        self.questions = questions
        view = QuizView(questions=[asdict(question) for question in questions])
        head = ToolsView(name, self, "Quiz", "Choose an answer to see what it means.")
        super().__init__([head, view])
        self.add_class("tl-explorer")

    def text(self) -> str:
        """The questions and the answers to choose from."""
        return "\n\n".join("\n".join(asked(*q)) for q in enumerate(self.questions, 1))

    def alt(self) -> str:
        """How many questions there are."""
        return f"A quiz of {len(self.questions)} questions. The text form asks them."

    def picture(self) -> Figure:
        """The same, in two columns."""
        blocks = [lines(*q) for q in enumerate(self.questions, 1)]
        rows = [blocks[n : n + 2] for n in range(0, len(blocks), 2)]
        heights = [LINE * (1 + max(map(len, row))) for row in rows]
        wide, high = COLUMN * len(rows[0]) + EDGE, sum(heights) + EDGE
        figure = Figure(figsize=(wide, high), dpi=100)
        page = Area(figure, (0, wide), (high, 0), (0, 0, wide, high))
        tops = [EDGE + sum(heights[:n]) for n in range(len(rows))]
        for top, row in zip(tops, rows, strict=True):
            for column, block in enumerate(row):
                for n, (line, indent, bold) in enumerate(block, 1):
                    x = EDGE + COLUMN * column + indent
                    page.word(line, x, top + LINE * n, LETTERS, bold=bold, middle=False)
        return figure


def asked(number: int, question: Question) -> list[str]:
    """A question and its answers, one line each."""
    texts = f"{number}. {question.text}", *(f"○ {a.text}" for a in question.answers)
    return [" ".join(text.split()) for text in texts]


def lines(number: int, question: Question) -> list[tuple[str, float, bool]]:
    """The lines of a question in the picture, how far in and whether in bold."""
    room = 72 * (COLUMN - 4 * EDGE)
    texts = asked(number, question)
    head, *answers = (wrapped(t, room, LETTERS, LINES, bold=True) for t in texts)
    rest = [
        (line, EDGE if n == 0 else 2 * EDGE, False)
        for answer in answers
        for n, line in enumerate(answer)
    ]
    return [*((line, 0.0, True) for line in head), *rest]
