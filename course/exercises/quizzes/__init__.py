"""The questions at the end of each notebook, by its subject."""

from collections.abc import Mapping

from ..quiz import Question
from . import (
    attention,
    decoder,
    encoder,
    generation,
    heads,
    language,
    layers,
    masks,
    order,
    projections,
    start,
    tokens,
    training,
    vision,
    whole_model,
    why,
)

QUIZZES: Mapping[str, tuple[Question, ...]] = {
    "start": start.QUESTIONS,
    "why": why.QUESTIONS,
    "tokens": tokens.QUESTIONS,
    "order": order.QUESTIONS,
    "projections": projections.QUESTIONS,
    "attention": attention.QUESTIONS,
    "masks": masks.QUESTIONS,
    "heads": heads.QUESTIONS,
    "layers": layers.QUESTIONS,
    "encoder": encoder.QUESTIONS,
    "decoder": decoder.QUESTIONS,
    "whole_model": whole_model.QUESTIONS,
    "training": training.QUESTIONS,
    "generation": generation.QUESTIONS,
    "language": language.QUESTIONS,
    "vision": vision.QUESTIONS,
}
