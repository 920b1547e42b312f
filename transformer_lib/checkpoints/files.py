"""Files of weights: written completely or not at all, and named if they are broken."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from textwrap import shorten
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from ..checks.validation import brief, check_type, require
from .provenance import Provenance, read_provenance


@contextmanager
def replacing(path: Path | str) -> Iterator[Path]:
    """Write a new file, which replaces the old one at the end of the `with`.

    If writing is interrupted, the old file remains. The folder is created. Raise a
    TypeError unless path is a Path or a string.
    """
    check_type("path", path, Path, str)
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f"{file.name}.new")
    try:
        yield new
        new.replace(file)
    finally:
        new.unlink(missing_ok=True)


def write_weights(
    weights: Mapping[str, Tensor],
    path: Path | str,
    made: Mapping[str, Any],
    provenance: Provenance | None = None,
) -> None:
    """Write tensors with their provenance, and `made` as JSON: see `replacing`."""
    told = dict(made)
    if provenance is not None:
        told["provenance"] = asdict(provenance)
    # One entry, since safetensors writes several in an order that changes.
    metadata = {"made": json.dumps(told, ensure_ascii=False)}
    with replacing(path) as new:
        save_file(dict(weights), new, metadata)
        new.chmod(0o644)  # safetensors lets only its owner read the file


def read_weights(
    path: Path | str, expected: Provenance | None = None
) -> tuple[dict[str, Tensor], dict[str, Any], Provenance]:
    """Read the tensors of a file, its `made`, and their provenance.

    Errors are as in `reading`, and in `Provenance.check` if anything is expected.
    """
    with reading(path) as file, safe_open(file, framework="pt") as opened:
        made = json.loads((opened.metadata() or {}).get("made", "{}"))
        fits = isinstance(made, dict)
        require(fits, "what is said of the weights", "be an object", brief(made))
        found = read_provenance(made.pop("provenance", {}))
        weights = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
    if expected is not None:
        expected.check(found, path)
    return weights, made, found


def load_weights(model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Copy weights into a model; raise a ValueError unless they fit it."""
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:  # torch's, which names what does not fit
        raise ValueError(str(error)) from error


@contextmanager
def reading(path: Path | str) -> Iterator[Path]:
    """Inside the `with`, turn errors about a file's contents into one that names it.

    These are ValueErrors, errors of safetensors, and JSON that is nested too deeply.
    Any other error is a bug of ours and is raised unchanged.

    Raises:
        TypeError: path is neither a Path nor a string.
        FileNotFoundError: there is no such file.
        ValueError: it is a folder, or cannot be read.
    """
    check_type("path", path, Path, str)
    file = Path(path)
    wanted = f"path must be a checkpoint, got {file}"
    if file.is_dir():
        raise ValueError(f"{wanted}, which is a folder")
    if not file.exists():
        raise FileNotFoundError(f"{wanted}, which is not there")
    try:
        yield file
    except (ValueError, RecursionError, SafetensorError) as error:
        why = shorten(str(error), 200, placeholder=" …")
        raise ValueError(f"{wanted}, which cannot be read: {why}") from error
