"""A bar that says how far a training is, in a notebook or a terminal."""

from collections.abc import Iterator

from tqdm.auto import tqdm

from transformer_lib.training.fit import Training


class ProgressBar(tqdm):  # type: ignore[misc]
    """tqdm's bar without its monitoring thread, which other bars would disturb."""

    monitor_interval = 0


def with_progress(training: Training) -> Iterator[float]:
    """Take the steps of a training under a bar that says how far it is, and its loss.

    Where nobody looks on, in a pipe or a log, nothing is written. Whoever stops taking
    steps can go on, under another bar or none.

    Returns:
        one after another, the loss of every step: see `fit_steps`.
    """
    total = training.taken + len(training)
    with ProgressBar(
        total=total, initial=training.taken, unit=" steps", disable=None
    ) as bar:
        for loss in training:
            bar.set_postfix_str(f"loss {loss:.3f}", refresh=False)
            bar.update()
            yield loss
