"""The files of a folder: what a configuration says, and weights by their names."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from ..checkpoints.files import read_weights, reading
from ..checks.validation import brief, check_type, require
from ..model.layers import LayerNorm

CONFIG = "config.json"
WHOLE = "model.safetensors"
INDEX = "model.safetensors.index.json"
#: Older files call a norm's γ and β by their letters.
OLDER = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}
PREFIX = re.compile(r"^(transformer|bert)\.")
#: What their configurations call our activations.
ACTIVATIONS = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_python": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
}


def read_config(folder: Path | str) -> dict[str, Any]:
    """Read config.json.

    Raises:
        TypeError, FileNotFoundError, ValueError: see `load_pretrained`.
    """
    place = check_folder(folder)
    if not (place / CONFIG).exists():
        raise lacking(place, CONFIG)
    return read_json(place / CONFIG)


def check_folder(folder: Path | str) -> Path:
    """Give the folder, if there is one."""
    check_type("folder", folder, Path, str)
    if not Path(folder).is_dir():
        wanted = "folder must be a folder on the disk, for nothing is fetched"
        raise FileNotFoundError(f"{wanted}, got {str(folder)!r}")
    return Path(folder)


def lacking(folder: Path, wanted: str) -> FileNotFoundError:
    """Give the error that says what a folder lacks, and what it has instead."""
    files = brief(" ".join(sorted(file.name for file in folder.iterdir())))
    told = f"folder must hold {wanted}, got {files} in {str(folder)!r}"
    return FileNotFoundError(told)


def read_json(path: Path) -> dict[str, Any]:
    """Read a file that holds one object of JSON."""
    with reading(path):
        told = json.loads(path.read_text("utf-8"))
        check_type(path.name, told, dict)
    return dict(told)


def read_tensors(folder: Path | str) -> dict[str, Tensor]:
    """Read model.safetensors, or the parts that its index names; by their bare names.

    Raises:
        FileNotFoundError, ValueError: see `load_pretrained`.
    """
    place = Path(folder)
    tensors: dict[str, Tensor] = {}
    for name in _files(place):
        for key, x in read_weights(place / name)[0].items():
            key = PREFIX.sub("", key)
            for older, own in OLDER.items():
                key = key.replace(older, own)
            tensors[key] = x
    return tensors


def _files(folder: Path) -> Sequence[str]:
    """The names of the files that hold the weights."""
    if (folder / WHOLE).exists():
        return [WHOLE]
    if (folder / INDEX).exists():
        parts = read_json(folder / INDEX).get("weight_map")
        names = sorted({*map(str, parts.values())}) if isinstance(parts, dict) else []
        with reading(folder / INDEX):  # none may lead out of the folder
            plain = [re.fullmatch(r"[\w.-]+\.safetensors", name) for name in names]
            require(
                all(plain) and plain != [], "weight_map", "name files", brief(parts)
            )
        return names
    wanted = f"{WHOLE}, or its parts and {INDEX}"
    if any(folder.glob("*.bin")):
        wanted += " (a .bin is not read, for it may run what it says: open it with "
        wanted += "transformers, and write it with its save_pretrained)"
    raise lacking(folder, wanted)


def told_size(told: Mapping[str, Any], name: str) -> int:
    """Give a size that the configuration must say.

    Raises:
        ValueError: it does not say it.
    """
    size: Any = told.get(name)
    whole = type(size) is int and size > 0
    require(whole, f"{name} of {CONFIG}", "be a size of at least 1", brief(size))
    return int(size)


def told_activation(told: Mapping[str, Any], name: str, default: str) -> Any:
    """Give our name of the activation that the configuration says.

    Raises:
        ValueError: we do not have it.
    """
    theirs = told.get(name, default)
    known = isinstance(theirs, str) and theirs in ACTIVATIONS
    wanted = f"be one of {list(ACTIVATIONS)}"
    require(known, f"{name} of {CONFIG}", wanted, brief(theirs))
    return ACTIVATIONS[theirs]


def check_told(told: Mapping[str, Any], plain: Mapping[str, Any]) -> None:
    """Raise a ValueError where the configuration asks for what our blocks lack.

    Args:
        told: the configuration.
        plain: what each of these fields must say, where it is there.
    """
    for name, wanted in plain.items():
        got = told.get(name, wanted)
        fits = got == wanted
        said = f"be {wanted!r}, as in our blocks"
        require(fits, f"{name} of {CONFIG}", said, brief(got))


class Weights:
    """Weights of theirs by name; each goes into one of ours, and all are accounted for.

    Args:
        tensors: as `read_tensors` gives them.
        left_out: why names that a pattern matches are not read.
    """

    def __init__(
        self, tensors: Mapping[str, Tensor], left_out: Mapping[str, str]
    ) -> None:
        self._tensors = tensors
        self._left = {n for n in tensors if not any(map(_matches(n), left_out))}

    def fill(self, ours: Tensor, name: str) -> None:
        """Copy a tensor of theirs into a parameter of ours."""
        _copy(ours, self._take(name, tuple(ours.shape)))

    def fill_norm(self, norm: LayerNorm, name: str) -> None:
        """Copy γ and β."""
        self.fill(norm.gamma, f"{name}.weight")
        if norm.beta is not None:
            self.fill(norm.beta, f"{name}.bias")

    def fill_linear(self, name: str, *layers: nn.Linear, turned: bool = False) -> None:
        """Copy a projection, or one that holds those of several layers side by side.

        Args:
            name: theirs.
            layers: of equal sizes, in their order.
            turned: whether it is written as (in, out), as GPT-2's are.
        """
        out, into = layers[0].weight.shape
        shape = out * len(layers), into
        W = self._take(f"{name}.weight", shape[::-1] if turned else shape)
        W = W.T if turned else W  # (out, in)
        b = self._take(f"{name}.bias", (out * len(layers),))
        for n, layer in enumerate(layers):
            own = slice(n * out, (n + 1) * out)
            _copy(layer.weight, W[own])
            _copy(layer.bias, b[own])

    def check_all_read(self) -> None:
        """Raise a ValueError if there is a tensor that no block of ours has."""
        foreign = sorted(self._left)
        wanted = "hold only what our blocks have"
        require(not foreign, WHOLE, wanted, brief(", ".join(foreign)))

    def _take(self, name: str, shape: tuple[int, ...]) -> Tensor:
        x = self._tensors.get(name)
        if x is None:
            raise ValueError(f"{WHOLE} must hold {name}, got none")
        real = x.dtype.is_floating_point
        require(real, name, "hold real numbers", x.dtype)
        fits = tuple(x.shape) == shape
        require(fits, name, f"have shape {shape}, by {CONFIG}", tuple(x.shape))
        self._left.discard(name)
        return x


def _matches(name: str) -> Any:
    return lambda pattern: re.fullmatch(pattern, name)


def _copy(ours: Tensor, theirs: Tensor) -> None:
    with torch.no_grad():
        ours.copy_(theirs)
