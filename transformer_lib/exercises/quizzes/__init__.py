"""The questions at the end of each notebook, by its subject."""

from collections.abc import Mapping

from ..quiz import Question
from . import attention, heads, layers, masks, order, start

QUIZZES: Mapping[str, tuple[Question, ...]] = {
    "start": start.QUESTIONS,
    "order": order.QUESTIONS,
    "attention": attention.QUESTIONS,
    "masks": masks.QUESTIONS,
    "heads": heads.QUESTIONS,
    "layers": layers.QUESTIONS,
}
