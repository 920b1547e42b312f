"""Training: a loop that can stop and resume, its loss, and its learning rates."""

from ..runtime.seed import derive_seed, seeded
from .fit import Training, fit_steps
from .loss import smoothed_cross_entropy
from .schedules import linear_warmup_decay

__all__ = [
    "Training",
    "derive_seed",
    "fit_steps",
    "linear_warmup_decay",
    "seeded",
    "smoothed_cross_entropy",
]
