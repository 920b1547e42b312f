"""Seeds of independent random numbers, all from one seed."""

from hashlib import sha256

from ..runtime.seed import check_seed


def derive_seed(seed: int, purpose: str) -> int:
    """Derive a seed for one purpose, such as "weights" or "batches", from a seed.

        with seeded(derive_seed(seed, "weights")):
            model = Transformer(config)
        fit_steps(model, batch, loss, steps, seed=derive_seed(seed, "batches"))

    `seeded` and `fit_steps` with one and the same seed draw the same random numbers:
    then the first batches are made of the numbers that the first weights are made of.

    Returns:
        0 to 2³¹ − 1: the first 31 bits of SHA-256 of both.

    Raises:
        TypeError, ValueError: see `check_seed`.
    """
    check_seed(seed)
    return int.from_bytes(sha256(f"{seed} {purpose}".encode()).digest()[:4]) >> 1
