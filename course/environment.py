"""What stands on this machine, against what the course needs.

`make` runs this file before it starts anything, and sets up again what it names.
"""

import sys
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from importlib.util import find_spec
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

COURSE = "transformer_lib"
REMEDY = (
    "Close JupyterLab and start it with `make lab` in the course's folder: it sets up"
    " what is missing. Without make, see “Without make” in INSTALL.md."
)


def faults() -> list[str]:
    """Say what is missing or does not fit, and how to put it right.

    The needs are those of pyproject.toml, as they were installed, and that the library
    is the one beside the notebook. An empty list says that everything is here.
    """
    said = _misfits()
    return [*said, REMEDY] if said else []


def _misfits() -> list[str]:
    if _version(COURSE) is None:
        return [f"{COURSE} is not set up in this Python."]
    python = "{}.{}.{}".format(*sys.version_info)
    span = SpecifierSet(metadata(COURSE)["Requires-Python"])
    found = [] if span.contains(python) else [("Python", span, python)]
    for line in requires(COURSE) or []:
        need = Requirement(line)
        if need.marker is None or need.marker.evaluate({"extra": "notebooks"}):
            here = _version(need.name)
            if here is None or not need.specifier.contains(here, prereleases=True):
                found.append((need.name, need.specifier, here or "none"))
    said = [
        f"{name} must be {_range(s)}, and here is {here}." for name, s, here in found
    ]
    return [*said, *_elsewhere()]


def _elsewhere() -> list[str]:
    """Say where the library comes from, if not from the course around this folder."""
    around = [folder / COURSE for folder in (Path.cwd(), *Path.cwd().parents)]
    beside = next((path for path in around if (path / "__init__.py").exists()), None)
    spec = find_spec(COURSE)
    used = Path(spec.origin).parent if spec and spec.origin else None
    if beside is None or (used and used.exists() and used.samefile(beside)):
        return []
    return [
        f"The course stands in {beside.parent}, but its library comes from"
        f" {used.parent if used else 'nowhere'}: the folder was moved or copied."
    ]


def _range(span: SpecifierSet) -> str:
    return ", ".join(sorted(map(str, span), reverse=True))  # >=2.0, <3


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


if __name__ == "__main__":
    sys.exit("\n".join(_misfits()) or None)
