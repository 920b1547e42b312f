"""Checkpoints: weights in a file, with their configuration and how they were made."""

import json
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import torch
from torch import Tensor, nn

from ..checks.validation import brief, require
from ..model.config import NEWER
from ..model.transformer import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
)
from ..runtime.seed import seeded
from .files import Provenance as Provenance
from .files import load_weights as load_weights
from .files import read_weights as read_weights
from .files import reading as reading
from .files import replacing as replacing
from .files import write_weights as write_weights

M = TypeVar("M", bound=type[nn.Module])

#: The models that a file can hold, by name, each with the class of its configuration.
REGISTRY: dict[str, tuple[type[nn.Module], Any]] = {}


def registered(model: M) -> M:
    """Register a class of models, so that files can hold them under its name.

        @registered
        class Reader(Assembly):
            def __init__(self, config: ReaderConfig) -> None:  # a frozen dataclass
                super().__init__()
                self.config = config

    `save_checkpoint` and `load_checkpoint` know such a model once its module is
    imported. Its constructor takes and keeps `config`, a dataclass of numbers, strings,
    True, False, None and other such dataclasses. Return the class, as a decorator does.
    Raise a TypeError if its constructor takes no such config, and a ValueError if
    another class is registered under this name.
    """
    asked = get_type_hints(model.__init__).get("config")
    fits = isinstance(asked, type) and is_dataclass(asked)
    wanted = "be built of one config, a dataclass"
    require(fits, model.__name__, wanted, brief(asked), TypeError)
    other, _ = REGISTRY.get(model.__name__, (model, None))
    first, place = (f"{kind.__module__}.{kind.__qualname__}" for kind in (other, model))
    same = first == place  # a module or cell that is run again
    require(same, model.__name__, "be the name of one model", first)
    REGISTRY[model.__name__] = model, asked
    return model


for ours in (Transformer, EncoderOnlyTransformer, DecoderOnlyTransformer):
    registered(ours)


def save_checkpoint(
    model: nn.Module,
    path: Path | str,
    provenance: Provenance | None = None,
    *,
    half: bool = False,
) -> None:
    """Write a model's weights, class and configuration, and how it was made.

    Args:
        model: one of the three models, or of a class that is `registered`.
        path: the file, in safetensors format; its folder is created.
        provenance: how the model was made, for `load_checkpoint` to compare. By
            default, the file says only which versions wrote it.
        half: round float32 weights to float16, with about 3 digits, which takes half
            the space. They are read as float32 again.

    Raises:
        TypeError: the model is of no such class, or path neither a Path nor a string.
        ValueError: JSON cannot hold its configuration, or a weight is too large for
            float16.
    """
    told = described(model)
    weights = model.state_dict()
    if half:
        weights = {name: _halved(name, x) for name, x in weights.items()}
        told["half"] = True
    write_weights(weights, path, told, provenance or Provenance())


def load_checkpoint(
    path: Path | str, expected: Provenance | None = None
) -> tuple[nn.Module, Provenance]:
    """Build the model that was saved, in evaluation mode, and return how it was made.

    Args:
        path: the file.
        expected: the recipe, seed, steps and words with which the model must have been
            made; None takes what is there.

    Raises:
        TypeError: path is neither a Path nor a string.
        FileNotFoundError: there is no such file.
        ValueError: the model was made in another way (the error names the setting and
            both values); the file is broken, or does not hold a model and its weights;
            or the model is not `registered`, because its module was not imported.
    """
    weights, made, provenance = read_weights(path, expected)
    name, config = made.get("model"), made.get("config")
    fits = isinstance(name, str) and isinstance(config, dict)
    wanted = "name a model of ours and its configuration"
    require(fits, "path", wanted, repr(str(path)))
    wanted = f"be of a model that is imported, of {', '.join(REGISTRY)}"
    require(name in REGISTRY, "path", wanted, f"{brief(name)} in {str(path)!r}")
    kind, asked = REGISTRY[str(name)]
    with reading(path):
        if made.get("half", False):
            weights = {name: x.float() for name, x in weights.items()}
        dtypes = [*{x.dtype for x in weights.values()}]
        one_kind = len(dtypes) == 1 and dtypes[0].is_floating_point
        require(one_kind, "its weights", "be of one floating-point type", dtypes)
        own = configured(asked, config)
    with seeded(0):
        model = kind(own).to(dtypes[0])
    with reading(path):
        load_weights(model, weights)
    return model.eval(), provenance


def _halved(name: str, x: Tensor) -> Tensor:
    """Round a weight to float16, which holds numbers up to 65,504."""
    require(x.dtype == torch.float32, name, "be float32, to be halved", x.dtype)
    largest = x.abs().max().item() if x.numel() else 0.0
    require(bool(x.half().isfinite().all()), name, "be at most 65504", largest)
    return x.half()


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
