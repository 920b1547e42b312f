"""Code exercises: the reader writes a function, and one call says what it shows."""

from collections.abc import Mapping

from . import (
    attention,
    decoder,
    embedding,
    encoder,
    generation,
    heads,
    language,
    layers,
    masks,
    projections,
    recurrence,
    training,
    vision,
    whole_model,
    word_order,
)
from .checking import judge
from .exercise import Exercise, Function, Verdict
from .quiz import Answer, Question
from .quizzes import QUIZZES
from .source import source

__all__ = [
    "EXERCISES",
    "QUIZZES",
    "Answer",
    "Exercise",
    "Question",
    "Verdict",
    "check",
    "solution",
    "source",
    "template",
]

ROOMS = (  # in the order of the notebooks
    recurrence,
    embedding,
    word_order,
    projections,
    attention,
    masks,
    heads,
    layers,
    encoder,
    decoder,
    whole_model,
    training,
    generation,
    language,
    vision,
)
EXERCISES: Mapping[str, Exercise] = {
    exercise.name: exercise for room in ROOMS for exercise in room.EXERCISES
}


def check(exercise: str | Function, function: Function | None = None) -> Verdict:
    """Say whether a function is right, or which mistake it shows.

        check(my_softmax)    check("softmax", any_function)

    The function gets copies of the arguments, so it can change none of the reader's. It
    starts from the settings and seeds of a new kernel, and those of the reader are set
    back. It may take 5 seconds a call; a single step in C, as `time.sleep(1e9)`, is not
    stopped, but by the kernel's interrupt.

    Args:
        exercise: the function itself, if it is called as the exercise is, with or
            without "my_" before it; else the name of the exercise.
        function: the function, where the name is given.

    Returns:
        the verdict, which shows itself.

    Raises:
        TypeError: there is no function to check.
        ValueError: no exercise has this name.
        KeyboardInterrupt: the reader interrupted the kernel.
    """
    if function is None:
        function = exercise if callable(exercise) else None
        name = getattr(exercise, "__name__", "").removeprefix("my_")
    else:
        name = str(exercise)
    if not callable(function):
        raise TypeError(
            "check takes the function itself, as in check(my_softmax), "
            f"got {type(exercise if function is None else function).__name__}"
        )
    return judge(_find(name), function)


def template(name: str) -> str:
    """Give the cell's text as shipped: the question, and a body still to be written.

    The reader's function is called my_…, so that it hides none of the library's.

    Raises:
        ValueError: no exercise has this name.
    """
    return _mine(_find(name).template)


def solution(name: str) -> str:
    """Give the source of one right answer, as my_…; it uses `np` and `reference`.

    Raises:
        ValueError: no exercise has this name.
    """
    return _mine(_find(name).solution)


def _mine(source: str) -> str:
    return source.replace("def ", "def my_", 1)


def _find(name: str) -> Exercise:
    if name not in EXERCISES:
        known = ", ".join(EXERCISES)
        raise ValueError(f"no exercise is called {name!r}; there are {known}")
    return EXERCISES[name]
