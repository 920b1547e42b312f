"""Check the kept results: `python -m course.experiments` lists what is out of date.

With `--write` it remakes that alone; with `--write NAME …` those of the names.
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from pkgutil import iter_modules

import torch

from .experiment import Experiment


@cache
def experiments() -> dict[str, Experiment]:
    """Find all experiments of this package by the names of their files."""
    folder = str(Path(__file__).parent)
    names = [one.name for one in iter_modules([folder]) if one.name != "__main__"]
    modules = [import_module(f".{name}", __package__) for name in names]
    found = [x for module in modules for x in vars(module).values()]
    return {one.name: one for one in found if isinstance(one, Experiment)}


def remake(names: Sequence[str]) -> None:
    """Write the results of some experiments, two at a time."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(_write, names))


def _write(name: str) -> None:
    torch.set_num_threads(1)  # with more, results would be rounded differently
    experiments()[name].write()


def main(arguments: Sequence[str] | None = None) -> int:
    """List the results, or write them; return how many are missing or out of date."""
    parser = argparse.ArgumentParser(prog="python -m course.experiments")
    parser.add_argument("--write", nargs="*", metavar="NAME", choices=[*experiments()])
    asked = parser.parse_args(arguments).write
    faults = {name: one.fault() for name, one in experiments().items()}
    for name, fault in faults.items():
        sys.stdout.write(f"{name:20} {fault or 'up to date'}\n")
    stale = [name for name, fault in faults.items() if fault]
    if asked is None:
        return len(stale)
    if wanted := [name for name in stale if not asked or name in asked]:
        remake(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
