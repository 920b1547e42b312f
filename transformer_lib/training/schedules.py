"""Learning-rate schedules: how large each step of a training is."""

from collections.abc import Callable

from ..checks.validation import check_arguments, require

Schedule = Callable[[int], float]


@check_arguments
def linear_warmup_decay(peak: float, warmup: int, steps: int) -> Schedule:
    """Increase the learning rate linearly to its peak, then decrease it towards 0.

        η(n) = peak · min((n + 1) / warmup, (steps − n) / (steps − warmup))

    Args:
        peak: the largest rate.
        warmup: for how many steps the rate increases; 0 for none.
        steps: the number of steps in all. None of them has a rate of 0.

    Returns:
        the rate of step n, from 0 to steps − 1.

    Raises:
        TypeError, ValueError: peak is not above 0, warmup is below 0, or no step is
            left after the warm-up.

    Source: Devlin et al. (2019), appendix A.2.
    """
    require(warmup < steps, "warmup", f"be below the {steps} steps", warmup)

    def rate(n: int) -> float:
        rising = (n + 1) / max(warmup, 1)
        falling = (steps - n) / (steps - warmup)
        return peak * min(rising, falling)

    return rate
