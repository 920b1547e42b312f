"""Learning rates that change with the step: how far each step goes."""

from collections.abc import Callable

from ..checks.validation import check_number, check_size, require

Schedule = Callable[[int], float]


def paper_rate(d_model: int, warm_up: int = 4000) -> Schedule:
    """Rise for some steps, and fall with the step's square root: the 2017 paper's rate.

        η(n) = d_model^−½ · min((n + 1)^−½, (n + 1) · warm_up^−3/2)

    Args:
        d_model: D; a wider model takes smaller steps.
        warm_up: how many steps the rate rises.

    Returns:
        the rate of step n, from 0.

    Raises:
        TypeError, ValueError: a size is below 1.

    Source: Vaswani et al. (2017), §5.3, equation 3.
    """
    check_size("d_model", d_model)
    check_size("warm_up", warm_up)

    def rate(n: int) -> float:
        step = n + 1
        return float(d_model**-0.5 * min(step**-0.5, step * warm_up**-1.5))

    return rate


def rise_and_fall(peak: float, warm_up: int, steps: int) -> Schedule:
    """Rise in a line to a peak, and fall in a line towards 0, which is never reached.

        η(n) = peak · min((n + 1) / warm_up, (steps − n) / (steps − warm_up))

    Args:
        peak: the largest rate.
        warm_up: how many steps the rate rises; 0 for none.
        steps: how many there are in all.

    Returns:
        the rate of step n, from 0 to steps − 1.

    Raises:
        TypeError, ValueError: peak is not above 0, warm_up below 0, or there is no
            step behind the warm-up.

    Source: Devlin et al. (2019), appendix A.2.
    """
    check_number("peak", peak, 0, above=True)
    check_size("warm_up", warm_up, least=0)
    check_size("steps", steps)
    require(warm_up < steps, "warm_up", f"be below the {steps} steps", warm_up)

    def rate(n: int) -> float:
        rising = (n + 1) / max(warm_up, 1)
        falling = (steps - n) / (steps - warm_up)
        return peak * min(rising, falling)

    return rate
