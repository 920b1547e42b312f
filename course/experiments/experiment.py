"""An experiment: runs that take too long for a notebook, measured once and kept."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transformer_lib.checkpoints import Provenance
from transformer_lib.checks.validation import require

from ..models.small_model import SmallModel
from ..trained import CHECKPOINTS
from .results import Measured, Row, read_results, those, write_results


def grid(**values: Iterable[Any]) -> list[Row]:
    """Return a run for each combination of the values.

    grid(seed=(0, 1), steps=(400,)) = [{"seed": 0, "steps": 400}, {"seed": 1, …}]
    """
    return [dict(zip(values, some, strict=True)) for some in product(*values.values())]


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """What is measured in each of some runs, and the file that keeps the results.

        EXPERIMENT = Experiment(
            name="matching",
            runs=grid(variant=VARIANTS, seed=range(5), steps=(STEPS,)),
            measure=run,  # run(variant="captions", seed=0, steps=600) → {"top_1": …}
            models={"clip": MODEL},
        )

    The file holds a row for each run: what sets it apart, and what was measured. It
    changes by `write` alone, which the command `python -m course.experiments` calls.

    Args:
        name: of the file.
        runs: what sets each run apart, such as its seed, by name.
        measure: takes the values of a run by name and returns the rest of its row, or
            of several rows, such as one for each stage of a training.
        models: the models that are trained, by name. Their configurations and recipes
            are kept in the file and compared when it is read.
        settings: whatever else shapes the results, by name.
        decimals: to which all measured numbers are rounded.
        folder: where the file is kept.
    """

    name: str
    runs: Sequence[Mapping[str, Any]]
    measure: Callable[..., Measured]
    models: Mapping[str, SmallModel[Any, Any]] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    decimals: int = 4
    folder: Path = CHECKPOINTS

    @property
    def provenance(self) -> Provenance:
        """How the results must have been made."""
        models = {name: model.description() for name, model in self.models.items()}
        return Provenance(recipe={"models": models, "settings": self.settings})

    @property
    def path(self) -> Path:
        """The file of the results."""
        return self.folder / f"{self.name}.json"

    def write(self, *, again: bool = False) -> None:
        """Measure the runs that are missing or were made in another way; or all."""
        given = self.path, self.provenance, self.runs, self.measure, self.decimals
        write_results(*given, again=again)

    def results(self, **wanted: Any) -> list[Row]:
        """Read the rows, or those in which some figures have the values wanted.

        Raises:
            FileNotFoundError: there is no file.
            ValueError: the file is broken, was made with other models or settings, or
                does not hold these very runs.
        """
        rows = read_results(self.path, self.provenance)
        counts = [len(those(rows, run)) for run in self.runs]
        for run, count in zip(self.runs, counts, strict=True):
            require(count > 0, str(self.path), f"hold {run}", "no such row")
        others = len(rows) - sum(counts)
        wish = "hold no other rows than those of its runs"
        require(others == 0, str(self.path), wish, f"{others} others")
        return those(rows, wanted)

    def table(self, figure: str, **axes: Any) -> NDArray[np.float64]:
        """Arrange a measured figure by what sets the runs apart.

            table("loss", variant=("a", "b"), steps=400)  # (2, seeds)

        Args:
            figure: its name in the rows.
            axes: for each name a list of values, which makes an axis of the table; or
                one value, which picks the runs that have it.

        Returns:
            an array with these axes; then one for the runs in each cell, in order; then
            those of the figure itself, if it is a list.
        """
        rows = self.results(**{n: x for n, x in axes.items() if _is_one(x)})
        lists = {name: [*x] for name, x in axes.items() if not _is_one(x)}
        cells = [[row[figure] for row in those(rows, cell)] for cell in grid(**lists)]
        numbers = np.array(cells)
        return numbers.reshape(*map(len, lists.values()), *numbers.shape[1:])

    def fault(self) -> str:
        """Say why the file cannot be used, or nothing if it can."""
        try:
            self.results()
        except (FileNotFoundError, ValueError) as error:
            return str(error)
        return ""


def _is_one(x: Any) -> bool:
    return isinstance(x, str) or not isinstance(x, Iterable)
