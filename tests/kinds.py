"""The kinds of drawing as the tests meet them: found by walking their package."""

import importlib
import inspect
import pathlib
import pkgutil

from explorable import drawings
from explorable.drawing import Drawing


def folders() -> dict[str, pathlib.Path]:
    """Every folder of `explorers/drawings`, by its name: a kind, or a control."""
    found = pkgutil.iter_modules(drawings.__path__)
    return {f.name: pathlib.Path(f.module_finder.path, f.name) for f in found}


def kinds() -> dict[str, list[type[Drawing]]]:
    """The classes of each kind, by the folder that they are found in."""
    found = dict[str, list[type[Drawing]]]()
    for name in folders():
        module = importlib.import_module(f"{drawings.__name__}.{name}")
        classes = (x for _, x in inspect.getmembers(module, inspect.isclass))
        if some := [x for x in classes if issubclass(x, Drawing)]:
            found[name] = some
    return found
