"""Training: a model is shown examples until it follows them."""

from ..runtime.seed import seeded
from .fit import Training, fit, fit_steps
from .loss import smoothed_cross_entropy
from .rates import paper_rate, rise_and_fall

__all__ = [
    "Training",
    "fit",
    "fit_steps",
    "paper_rate",
    "rise_and_fall",
    "seeded",
    "smoothed_cross_entropy",
]
