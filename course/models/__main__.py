"""List the kept files that are missing or out of date, and make them again.

python -m course.models                    say what is wrong with each file
python -m course.models --write            make the files that have a fault
python -m course.models --write vit t5     make these
torchrun --nproc-per-node=2 -m course.models --write copy    by two processes
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from transformer_lib.checks.validation import check_option
from transformer_lib.training.processes import is_first, joined

from ..trained import CHECKPOINTS
from . import (
    bert,
    clip,
    coreference,
    dalle,
    dictionary,
    french,
    french_steps,
    jobs,
    masked_words,
    next_word,
    sequences,
    stories,
    t5,
    vit,
)
from .small_model import SmallModel

#: Every small model that has a file.
KEPT: list[SmallModel[Any, Any]] = [
    *(module.MODEL for module in (clip, coreference, dalle, french, french_steps)),
    *(module.MODEL for module in (jobs, masked_words, stories, t5, vit)),
    bert.MODEL,
    bert.LEFT,
    dictionary.GPT,
    dictionary.BERT,
    dictionary.LEFT,
    dictionary.DRAFT,
    *next_word.MODELS.values(),
    *sequences.MODELS.values(),
]
#: By the name of the file: the model and its seed.
FILES = {model.path(seed).stem: (model, seed) for model in KEPT for seed in model.seeds}


def main(
    arguments: Sequence[str] | None = None,
    folder: Path = CHECKPOINTS,
    steps: int | None = None,
) -> None:
    """Carry out the command line.

    Args:
        arguments: the command's arguments; by default those of this process.
        folder: where the files are.
        steps: how many steps to take; by default as many as each recipe says.

    Raises:
        ValueError: there is no file of such a name.
    """
    parser = argparse.ArgumentParser("python -m course.models", description=__doc__)
    parser.add_argument("--write", nargs="*", metavar="NAME", help="make files again")
    names = parser.parse_args(arguments).write
    for name in names or ():
        check_option("NAME", name, [*FILES])
    if names:
        faults = dict.fromkeys(names, "")
    else:
        faults = {name: model.fault(s, folder) for name, (model, s) in FILES.items()}
    if names is None:
        for name, fault in faults.items():
            tell(f"{name}: {fault or 'up to date'}")
        return
    with joined():
        for name, fault in faults.items():
            if name in names or fault:
                _make(name, folder, steps)


def _make(name: str, folder: Path, steps: int | None) -> None:
    model, seed = FILES[name]
    figures = model.make(folder, seed, steps)
    if is_first():
        told = "  ".join(f"{what} {value:.4g}" for what, value in figures.items())
        tell(f"{name}: {told}")


def tell(line: str) -> None:
    """Print a line at once, for whoever is waiting."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
