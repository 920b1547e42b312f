"""Training: a model is shown examples until it follows them."""

from ..runtime.seed import seeded
from .fit import fit, fit_steps

__all__ = ["fit", "fit_steps", "seeded"]
