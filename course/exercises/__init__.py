"""Code exercises, each a function that the reader writes and checks; and quizzes."""

import pathlib
from collections.abc import Mapping

from .checking import judge
from .exercise import Exercise, Function, Verdict
from .gift import read_quiz
from .quiz import Answer, Question
from .source import source
from .tasks import read_exercises

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

HERE = pathlib.Path(__file__).parent
EXERCISES: Mapping[str, Exercise] = {  # in the order of the notebooks
    exercise.name: exercise
    for file in sorted(HERE.glob("tasks/*.md"))
    for exercise in read_exercises(file)
}
QUIZZES: Mapping[str, tuple[Question, ...]] = {
    file.stem.partition("_")[2]: read_quiz(file)
    for file in sorted(HERE.glob("quizzes/*.gift"))
}


def check(exercise: str | Function, function: Function | None = None) -> Verdict:
    """Say whether a function is right, or which mistake it makes.

        check(my_softmax)    check("softmax", any_function)

    The function is called with copies of the arguments, and with the settings and seeds
    of a new kernel; those of the reader are restored. A call may take 5 seconds, but
    only the reader's interrupt stops one that stays in C, such as `time.sleep(1e9)`.

    Args:
        exercise: the function itself, if its name is that of the exercise, with or
            without "my_" in front; else the name of the exercise.
        function: the function, if `exercise` is a name.

    Returns:
        the verdict, which displays itself.

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
    """Return the text of the exercise's cell: the question and an empty body.

    The reader's function is called my_…, so it does not hide the library's.

    Raises:
        ValueError: no exercise has this name.
    """
    return _mine(_find(name).template)


def solution(name: str) -> str:
    """Return the source of a solution, called my_…; it uses `np` and `reference`.

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
