"""The models that a file can hold: registered classes, with their configurations.

    @registered
    class Reader(Assembly):
        def __init__(self, config: ReaderConfig) -> None:  # a frozen dataclass
            super().__init__()
            self.config = config

`save_checkpoint` and `load_checkpoint` know such a model once its module is imported.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from typing import Any, TypeVar, get_type_hints

from torch import nn

from ..checks.validation import brief, require
from ..model.config import NEWER

M = TypeVar("M", bound=type[nn.Module])

#: The models that a file can hold, by name, each with the class of its configuration.
REGISTRY: dict[str, tuple[type[nn.Module], Any]] = {}


def registered(model: M) -> M:
    """Register a class of models, so that files can hold them under its name.

    Its constructor takes and keeps `config`, a dataclass of numbers, strings, True,
    False, None and other such dataclasses. Return the class, as a decorator does. Raise
    a TypeError if its constructor takes no such config, and a ValueError if another
    class is registered under this name.
    """
    asked = get_type_hints(model.__init__).get("config")
    fits = isinstance(asked, type) and is_dataclass(asked)
    wanted = "be built of one config, a dataclass"
    require(fits, model.__name__, wanted, brief(asked), TypeError)
    other, _ = REGISTRY.get(model.__name__, (model, None))
    same = _place(other) == _place(model)  # a module or cell that is run again
    require(same, model.__name__, "be the name of one model", _place(other))
    REGISTRY[model.__name__] = model, asked
    return model


def described(model: nn.Module) -> dict[str, Any]:
    """Return a model's class and configuration as values of JSON.

    Raise a TypeError unless the class is registered, and a ValueError unless
    `configured` would rebuild the same configuration.
    """
    name = type(model).__name__
    known = [kind for kind, _ in REGISTRY.values()]
    wanted = f"be a {' or a '.join(REGISTRY)}"
    require(type(model) in known, "model", wanted, name, TypeError)
    _, asked = REGISTRY[name]
    config: Any = model.config
    told = asdict(config)
    try:
        same = configured(asked, json.loads(json.dumps(told))) == config
    except (TypeError, ValueError):
        same = False
    wanted = f"be a {asked.__name__} of numbers and words"
    require(same, "model.config", wanted, brief(config))
    return {"model": name, "config": told}


def configured(kind: Any, told: object) -> Any:
    """Build a configuration, a dataclass, from its fields as JSON has them.

    Raise a ValueError if a field is missing or unknown, or a value is refused.
    """
    needed = {field.name for field in fields(kind)}
    given = dict(told) if isinstance(told, Mapping) else {}
    fits = needed - NEWER.keys() <= given.keys() <= needed
    require(fits, "its configuration", f"say {sorted(needed)}", brief(told))
    hints = get_type_hints(kind)
    for name in given:
        asked = hints[name]
        if is_dataclass(asked):
            given[name] = configured(asked, given[name])
        elif asked in (int, float, str):
            plain = (int, float) if asked is float else asked
            wanted = f"be of type {asked.__name__}"
            require(isinstance(given[name], plain), name, wanted, brief(given[name]))
    return build_config(kind, given)


def build_config(kind: Any, values: Mapping[str, Any]) -> Any:
    """Build a configuration from a file's values; raise a ValueError if one is refused.

    It is a ValueError even for a wrong type, since the value is not an argument.
    """
    try:
        return kind(**values)
    except TypeError as error:
        raise ValueError(str(error)) from error


def _place(model: type) -> str:
    return f"{model.__module__}.{model.__qualname__}"
