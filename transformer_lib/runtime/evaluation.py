"""Evaluation: run a model without dropout, and restore its mode afterwards."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn

from ..checks.validation import check_type


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Put a model into evaluation mode inside the `with`, and restore it afterwards.

    The mode is stored on the model, so two threads should not share one in training.

    Raises:
        TypeError: model is not a torch module.
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
