"""Questions of notebook 06."""

from ..quiz import Question

QUESTIONS: tuple[Question, ...] = ()
