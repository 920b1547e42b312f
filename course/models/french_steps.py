"""A translator as it was after each of some steps of its training."""

from .french import RECIPE, TASK
from .pairs import pair_model, sizes
from .snapshots import Snapshots, WatchedModel

#: Small, so that many snapshots fit one file; two heads, to see them differ.
SIZES = sizes(TASK, d_model=24, n_heads=2, d_ff=48)
TRANSLATOR = pair_model(TASK, SIZES, RECIPE, name="french_steps", seeds=(0,))
MODEL = WatchedModel(task=TASK, **vars(TRANSLATOR))


def watched() -> Snapshots:
    """Return the snapshots of the course."""
    return MODEL.snapshots()
