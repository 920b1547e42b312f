"""Evaluation: a model without dropout, and afterwards as it was."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn

from ..checks.validation import check_type


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Put a model into evaluation mode inside the `with`, and every part back after it.

    The mode is the model's own: two threads should not share a model in training. One
    that is in evaluation mode is not touched.

    Args:
        model: any module.

    Raises:
        TypeError: model is no torch module.
    """
    check_type("model", model, nn.Module)
    training = [part for part in model.modules() if part.training]
    for part in training:
        part.training = False
    try:
        yield
    finally:
        for part in training:
            part.training = True
