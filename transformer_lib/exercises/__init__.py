"""Code exercises: the reader writes a function, and one call says what it shows."""

from collections.abc import Mapping

from . import attention, heads, layers, masks, word_order
from .checking import judge
from .exercise import Exercise, Function, Verdict

__all__ = ["EXERCISES", "Exercise", "Verdict", "check", "solution", "template"]

ROOMS = (word_order, attention, masks, heads, layers)  # in the order of the notebooks
EXERCISES: Mapping[str, Exercise] = {
    exercise.name: exercise for room in ROOMS for exercise in room.EXERCISES
}


def check(exercise: str | Function, function: Function | None = None) -> Verdict:
    """Say whether a function is right, or which mistake it shows.

        check(softmax)    check("softmax", my_function)

    The function gets copies of the arguments, so it can change none of the reader's.

    Args:
        exercise: the function itself, if it has the exercise's name; else the name.
        function: the function, where the name is given.

    Returns:
        the verdict, which shows itself.

    Raises:
        TypeError: there is no function to check.
        ValueError: no exercise has this name.
    """
    if function is None:
        function = exercise if callable(exercise) else None
        name = getattr(exercise, "__name__", "")
    else:
        name = str(exercise)
    if not callable(function):
        raise TypeError(
            "check takes the function itself, as in check(softmax), "
            f"got {type(exercise if function is None else function).__name__}"
        )
    return judge(_find(name), function)


def template(name: str) -> str:
    """Give the cell's text as shipped: the question, and a body still to be written.

    Raises:
        ValueError: no exercise has this name.
    """
    return _find(name).template


def solution(name: str) -> str:
    """Give the source of one right answer; it uses `np` and `reference`.

    Raises:
        ValueError: no exercise has this name.
    """
    return _find(name).solution


def _find(name: str) -> Exercise:
    if name not in EXERCISES:
        known = ", ".join(EXERCISES)
        raise ValueError(f"no exercise is called {name!r}; there are {known}")
    return EXERCISES[name]
