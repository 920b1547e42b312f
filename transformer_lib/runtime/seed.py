"""Seeds: the same random numbers each time, without disturbing any others."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256

import torch

from ..checks.validation import check_arguments


@check_arguments
@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed torch's CPU generator inside the `with`, and restore its state afterwards.

    So whatever is built inside on the CPU depends on the seed alone. Raise a TypeError
    or a ValueError if seed is not an integer in 0 … 2⁶⁴ − 1.
    """
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)  # the CPU's, which is put back
        yield


@check_arguments
def derive_seed(seed: int, purpose: str) -> int:
    """Derive a seed for one purpose, such as "weights" or "batches", from a seed.

        with seeded(derive_seed(seed, "weights")):
            model = Transformer(config)
        fit_steps(model, batch, loss, steps, seed=derive_seed(seed, "batches"))

    `seeded` and `fit_steps` with one and the same seed draw the same random numbers:
    then the first batches are made of the numbers that the first weights are made of.

    It is the first 31 bits of SHA-256 of both, 0 to 2³¹ − 1. Raise errors as `seeded`.
    """
    return int.from_bytes(sha256(f"{seed} {purpose}".encode()).digest()[:4]) >> 1
