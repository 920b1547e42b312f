"""Seeds: the same random numbers each time, without disturbing any others."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from ..checks.validation import check_size


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed torch's CPU generator inside the `with`, and restore its state afterwards.

    So whatever is built inside on the CPU depends on the seed alone.

    Raises:
        TypeError, ValueError: see `check_seed`.
    """
    check_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)  # the CPU's, which is put back
        yield


def check_seed(seed: int) -> None:
    """Raise a TypeError or ValueError unless seed is an integer in 0 … 2⁶⁴ − 1."""
    check_size("seed", seed, least=0, most=2**64 - 1)
