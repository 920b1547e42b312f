"""Seeds: the same weights each time, and no other random number is moved."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from ..checks.validation import check_size, require


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Draw from a seed inside; after it torch's generator goes on where it was.

    What is built inside on the CPU follows from the seed alone.

    Raises:
        TypeError, ValueError: see `check_seed`.
    """
    check_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)  # the CPU's, which is put back
        yield


def check_seed(seed: int) -> None:
    """Raise a TypeError or ValueError unless a generator can start from the seed."""
    check_size("seed", seed, least=0)
    require(seed < 2**64, "seed", "be at most 2⁶⁴ − 1", seed)
