"""What stands on this machine, against what the course needs."""

import sys
from importlib.metadata import PackageNotFoundError, metadata, requires, version

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

REMEDY = (
    "Close JupyterLab and start it with `make lab` in the course's folder: it sets up"
    " what is missing. Without make, see “Without make” in the README."
)


def faults() -> list[str]:
    """Say what is missing or of a version that does not fit, and how to put it right.

    The needs are those of pyproject.toml, as they were installed; an empty list says
    that everything is here.
    """
    python = "{}.{}.{}".format(*sys.version_info)
    span = SpecifierSet(metadata("transformer_lib")["Requires-Python"])
    found = [] if span.contains(python) else [("Python", span, python)]
    for line in requires("transformer_lib") or []:
        need = Requirement(line)
        if need.marker is None or need.marker.evaluate({"extra": "notebooks"}):
            here = _version(need.name)
            if here is None or not need.specifier.contains(here, prereleases=True):
                found.append((need.name, need.specifier, here or "none"))
    said = [
        f"{name} must be {_range(s)}, and here is {here}." for name, s, here in found
    ]
    return [*said, REMEDY] if said else []


def _range(span: SpecifierSet) -> str:
    return ", ".join(sorted(map(str, span), reverse=True))  # >=2.0, <3


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
