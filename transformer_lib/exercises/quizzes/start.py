"""Questions of notebook 00."""

from ..quiz import Question

QUESTIONS: tuple[Question, ...] = ()
