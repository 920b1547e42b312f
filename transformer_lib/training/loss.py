"""The loss: how far the predicted probabilities are from the target tokens."""

import torch
from torch import Tensor

from ..checks.validation import (
    check_arguments,
    check_ids,
    check_logits,
    check_span,
    check_token,
    require,
)
from .processes import mean_of_all


@check_arguments
def smoothed_cross_entropy(
    logits: Tensor, targets: Tensor, smoothing: float = 0.0, pad_id: int | None = None
) -> Tensor:
    """Return the mean cross-entropy of the targets, with label smoothing.

        loss = − mean_t Σ_w q_t(w) log p_t(w),   p_t = softmax(logits_t)
        q_t(w) = ε / V′ + (1 − ε) [w = target_t], and 0 for padding

    V′ counts the tokens other than padding. Padding must never be predicted, so it gets
    no share of ε, and positions whose target is padding do not count. If several
    processes take a step together, the mean is over the targets of all of them.

    Args:
        logits: (..., V).
        targets: ids (...).
        smoothing: ε, the probability that is taken from the target and shared equally
            by all tokens.
        pad_id: the id of padding; None if there is none.

    Returns:
        a scalar; 0 if all targets are padding.

    Raises:
        TypeError, ValueError: logits are not floating-point of shape (..., V), targets
            are not integers of shape (...), or smoothing is not in [0, 1].
        IndexError: a target or pad_id is not in 0 … V − 1.

    Source: Szegedy et al. (2016), §7; Vaswani et al. (2017), §5.4.
    """
    check_logits(logits)
    V = logits.size(-1)
    check_ids("targets", targets, batch=False)
    shape, places = tuple(targets.shape), tuple(logits.shape[:-1])
    require(shape == places, "targets", f"have shape {places}", shape)
    there = targets.device == logits.device
    require(there, "targets", f"be on the device {logits.device}", targets.device)
    check_span("targets", targets, V)
    check_token("pad_id", pad_id, V)
    exact = torch.promote_types(logits.dtype, torch.float32)
    log_p = logits.log_softmax(-1, dtype=exact)  # (..., V)
    missed = -log_p.gather(-1, targets.long()[..., None]).squeeze(-1)  # (...)
    never = -1 if pad_id is None else pad_id
    is_token = targets.ne(never)  # (...)
    if smoothing:
        said = torch.arange(V, device=log_p.device).ne(never)  # (V,)
        others = -log_p.where(said, 0.0).sum(-1) / said.sum()  # (...)
        missed = (1 - smoothing) * missed + smoothing * others
    asked = mean_of_all(is_token.sum(dtype=exact))
    return missed.where(is_token, 0.0).sum() / asked.where(asked > 0, 1.0)
