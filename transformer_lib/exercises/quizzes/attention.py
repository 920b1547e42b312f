"""Questions of notebook 05."""

from ..quiz import Question

QUESTIONS: tuple[Question, ...] = ()
