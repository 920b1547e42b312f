"""Questions of notebook 07."""

from ..quiz import Question

QUESTIONS: tuple[Question, ...] = ()
