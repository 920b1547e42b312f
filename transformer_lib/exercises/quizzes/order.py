"""Questions of notebook 03."""

from ..quiz import Question

QUESTIONS: tuple[Question, ...] = ()
