"""Training: a loop that can stop and resume, its loss, and its learning rates."""

from ..runtime.seed import derive_seed as derive_seed
from ..runtime.seed import seeded as seeded
from .fit import Training as Training
from .fit import fit_steps as fit_steps
from .fit import linear_warmup_decay as linear_warmup_decay
from .loss import smoothed_cross_entropy as smoothed_cross_entropy
