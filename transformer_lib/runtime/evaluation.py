"""Evaluation: a model without dropout, while other threads may go on training it."""

import copy
from typing import TypeVar, cast

from torch import nn

from .recording import record_as

M = TypeVar("M", bound=nn.Module)


def in_evaluation(model: M) -> M:
    """Give the model if it is in evaluation mode, else a twin that is.

    The twin shares all weights, buffers and hooks, and open recordings hear it under
    the model's names. So no mode changes under another thread.
    """
    parts = list(model.modules())
    if not any(part.training for part in parts):
        return model
    twins = {part: copy.copy(part) for part in parts}
    for part, twin in twins.items():
        children = part._modules.items()
        own = {name: child and twins[child] for name, child in children}
        vars(twin).update(training=False, _modules=own)
    twin_of_model = cast(M, twins[model])
    record_as(model, twin_of_model)
    return twin_of_model
