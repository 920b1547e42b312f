"""Files of weights, and the folder in which the course keeps its own."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from textwrap import shorten
from typing import Any

from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from ..checks.validation import check_type


def write_weights(
    weights: Mapping[str, Tensor], path: Path | str, made: Mapping[str, Any]
) -> None:
    """Write weights and, as JSON, what is said of them; the file's folder is made.

    Raises:
        TypeError: path is neither a Path nor a string.
    """
    check_type("path", path, Path, str)
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f"{file.name}.new")  # whoever is interrupted keeps the old one
    save_file(dict(weights), new, {"made": json.dumps(made, ensure_ascii=False)})
    new.chmod(0o644)  # safetensors lets only its maker read the file
    new.replace(file)


def read_weights(path: Path | str) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read the weights of a file, and what is said of them.

    Raises:
        TypeError, FileNotFoundError, ValueError: see `reading`.
    """
    with reading(path) as file, safe_open(file, framework="pt") as opened:
        weights = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
        made = json.loads((opened.metadata() or {}).get("made", "{}"))
        check_type("what is said of the weights", made, dict)
    return weights, made


def keep_each(came: Iterable[Mapping[str, Any]], path: Path | str) -> None:
    """Say what came of each training as soon as it is there, and keep all so far.

    They are kept as JSON, with a line for each; the folder is made.

    Raises:
        TypeError: path is neither a Path nor a string.
    """
    kept: list[str] = []
    for one in came:
        sys.stdout.write(f"{one}\n")
        sys.stdout.flush()
        kept.append(json.dumps(one))
        lines = ",\n".join(kept)
        _write(f"[\n{lines}\n]", path)


def read_results(path: Path | str) -> list[Any]:
    """Read what `keep_each` has kept.

    Raises:
        TypeError, FileNotFoundError, ValueError: see `reading`.
    """
    with reading(path) as file:
        kept = json.loads(file.read_text("utf-8"))
        check_type("what was kept", kept, list)
    return list(kept)


def write_parts(found: Mapping[Any, Any], path: Path | str) -> None:
    """Write results of several parts as JSON, each under its name; the folder is made.

    Raises:
        TypeError: path is neither a Path nor a string.
    """
    _write(json.dumps(found), path)


def read_part(path: Path | str, part: str) -> Any:
    """Read one part of what `write_parts` has written.

    Raises:
        TypeError, FileNotFoundError, ValueError: see `reading`.
    """
    with reading(path) as file:
        return json.loads(file.read_text("utf-8"))[part]


def _write(text: str, path: Path | str) -> None:
    check_type("path", path, Path, str)
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{text}\n", "utf-8")


@contextmanager
def reading(path: Path | str) -> Iterator[Path]:
    """Name the file in the error of whoever cannot make sense inside of what it holds.

    Raises:
        TypeError: path is neither a Path nor a string.
        FileNotFoundError: there is no such file.
        ValueError: it is a folder, or something was raised inside.
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
    except OSError:
        raise  # not the file's fault: it may not be read, or the disk is broken
    except Exception as error:
        why = shorten(str(error), 200, placeholder=" …")
        raise ValueError(f"{wanted}, which cannot be read: {why}") from error
