"""Check the kept results: `python -m course.experiments` lists what is out of date.

With `--write` it remakes that alone; with `--write NAME …` all of the names.
"""

import argparse
import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
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


def main(arguments: Sequence[str] | None = None) -> None:
    """List the results, or write those that are missing or out of date."""
    parser = argparse.ArgumentParser(prog="python -m course.experiments")
    parser.add_argument("--write", nargs="*", metavar="NAME", choices=[*experiments()])
    names = parser.parse_args(arguments).write
    torch.set_num_threads(1)  # with more, results would be rounded differently
    for name, one in experiments().items():
        if names is None:
            sys.stdout.write(f"{name}: {one.fault() or 'up to date'}\n")
        elif name in names or (not names and one.fault()):
            one.write(again=name in names)


if __name__ == "__main__":
    main()
