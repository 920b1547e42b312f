"""Training: a loop that can stop and resume, its loss, and its learning rates."""

from ..runtime.seed import seeded
from .fit import Training, fit_steps
from .loss import smoothed_cross_entropy
from .schedules import linear_warmup_decay
from .seeds import derive_seed

__all__ = [
    "Training",
    "derive_seed",
    "fit_steps",
    "linear_warmup_decay",
    "seeded",
    "smoothed_cross_entropy",
]
