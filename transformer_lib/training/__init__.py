"""Training: a model is shown examples until it follows them."""

from .fit import fit, fit_steps
from .seed import seeded

__all__ = ["fit", "fit_steps", "seeded"]
