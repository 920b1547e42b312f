"""Training: a model is shown examples until it follows them."""

from .fit import fit

__all__ = ["fit"]
