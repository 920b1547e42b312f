"""Files of weights, and how they were made: whole or not at all, named if broken."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from textwrap import shorten
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from ..checks.validation import brief, check_type, require
from ..model.config import NEWER

#: What must be as expected. Figures are results, and versions are only recorded:
#: another torch may round the last digit differently, but weights remain valid.
COMPARED = ("recipe", "seed", "steps", "words")


def versions() -> dict[str, str]:
    """Return the versions of torch and of this library."""
    try:
        ours = version("transformer_lib")
    except PackageNotFoundError:  # run from its folder
        ours = "not installed"
    return {"torch": str(torch.__version__), "transformer_lib": ours}


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """How the contents of a file were made, so that they can be made again.

        made = Provenance(recipe=RECIPE, seed=0, steps=600, words=VOCABULARY.words)
        save_checkpoint(model, path, replace(made, figures={"loss": 0.11}))
        model, found = load_checkpoint(path, expected=made)  # or a ValueError

    Values are kept as JSON has them: dataclasses become dicts, and tuples lists.

    Args:
        recipe: all settings that affect the result, as a mapping or a dataclass.
        seed: of the random numbers; None if there are several seeds, or none.
        steps: how many training steps were taken; None if there is no single number.
        words: the vocabulary, ordered by id.
        figures: what was measured, by name.
        versions: of torch and of the library, filled in by default.

    Raises:
        ValueError: JSON cannot hold a value, such as NaN, a function or a tensor.
    """

    recipe: Any = None
    seed: int | None = None
    steps: int | None = None
    words: Sequence[str] | None = None
    figures: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=versions)

    def __post_init__(self) -> None:
        for name, value in [*vars(self).items()]:
            object.__setattr__(self, name, plain(name, value))

    def check(self, found: "Provenance", path: Path | str) -> None:
        """Raise unless a file was made with this recipe, seed, steps and words.

        The ValueError names the first place that differs, such as recipe.peak or
        words[3], what is expected, and what the file says.
        """
        for name in COMPARED:
            ours = dict(_leaves(name, getattr(self, name)))
            theirs = dict(_leaves(name, getattr(found, name)))
            for place in ours | theirs:
                option = place.rpartition(".")[2]
                unsaid = repr(NEWER[option]) if option in NEWER else "nothing"
                wanted, got = ours.get(place, "nothing"), theirs.get(place, unsaid)
                said = f"{got} in {str(path)!r}"
                require(wanted == got, place, f"be {wanted}", said)


def read_provenance(told: object) -> Provenance:
    """Build a provenance from what a file says, which may be nothing.

    Raise a ValueError if it is not an object of JSON, or has an unknown field.
    """
    known = {one.name for one in fields(Provenance)}
    fits = isinstance(told, dict) and told.keys() <= known
    require(fits, "provenance", f"be an object with {sorted(known)}", brief(told))
    return Provenance(**{"versions": {}, **dict(told)})  # type: ignore[call-overload]


def plain(name: str, value: Any) -> Any:
    """Return a value as JSON has it; raise a ValueError if JSON cannot hold it."""
    try:
        return json.loads(json.dumps(value, default=asdict, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        wanted = "must hold what JSON can say"
        raise ValueError(f"{name} {wanted}, got {brief(value)}") from None


def _leaves(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """List each number or word inside a value, with its place."""
    if isinstance(value, dict) and value:
        for key, part in value.items():
            yield from _leaves(f"{name}.{key}", part)
    elif isinstance(value, list) and value:
        for n, part in enumerate(value):
            yield from _leaves(f"{name}[{n}]", part)
    else:
        yield name, repr(value)


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
