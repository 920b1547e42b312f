"""Measured results in a file of JSON, which a stopped run does not lose or damage."""

import json
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from transformer_lib.checkpoints import Provenance, reading, replacing
from transformer_lib.checkpoints.files import plain, read_provenance
from transformer_lib.checks.validation import brief, check_type, require

Row = dict[str, Any]
Measured = Mapping[str, Any] | Iterable[Mapping[str, Any]]


def write_results(
    path: Path | str,
    provenance: Provenance,
    keys: Iterable[Mapping[str, Any]],
    measure: Callable[..., Measured],
    decimals: int = 4,
    *,
    again: bool = False,
) -> list[Row]:
    """Measure what is not measured yet, and write all rows as JSON, a line for each.

        write_results(path, made, [{"seed": 0}, {"seed": 1}], run)  # run(seed=0), …

    Rows that a file of the same provenance holds are not measured `again`. The
    file changes once, when all rows are there; until then they are kept beside it, in
    a file that ends in .partial, from which the next run continues. New rows are
    printed.

    Args:
        path: the file; its folder is made.
        provenance: how the rows are made. Its versions are those of the last run.
        keys: what sets one measurement apart from the others, such as its seed.
        measure: called with a key as keywords, returns the rest of its row; or of
            several rows, such as one for each stage of a training.
        decimals: to which all measured numbers are rounded.
        again: whether rows that the file holds are measured all the same.

    Returns:
        the rows in the order of keys, as they are in the file: {**key, **measured}.

    Raises:
        TypeError: path is neither a Path nor a string.
        ValueError: a measured number is not finite (None says that there is none), or
            JSON cannot say a value.
    """
    check_type("path", path, Path, str)
    partial = Path(f"{path}.partial")
    new = _kept(partial, provenance)
    old = [] if again else _kept(path, provenance)
    rows: list[Row] = []
    for key in keys:
        start = plain("key", dict(key))
        found = those(new, start) or those(old, start)
        if not found:
            came = measure(**key)
            several = [came] if isinstance(came, Mapping) else came
            found = [start | _rounded("", one, decimals) for one in several]
            sys.stdout.write("".join(f"{row}\n" for row in found))
            sys.stdout.flush()
            new += found
            _write(new, provenance, partial)
        rows += found
    _write(rows, provenance, path)
    partial.unlink(missing_ok=True)
    return rows


def read_results(path: Path | str, expected: Provenance | None = None) -> list[Row]:
    """Read the rows that `write_results` has written.

    Args:
        path: the file.
        expected: how they must have been made; None takes what is there.

    Raises:
        TypeError, FileNotFoundError: see `reading`.
        ValueError: the file is broken, or was made in another way: see
            `Provenance.check`.
    """
    with reading(path) as file:
        told = json.loads(file.read_text("utf-8"))
        rows = told.get("rows") if isinstance(told, dict) else None
        fits = isinstance(rows, list)
        require(fits, "the file", "hold rows of results", brief(told))
        found = read_provenance(told.get("provenance", {}))
    if expected is not None:
        expected.check(found, path)
    return list(rows or [])


def those(rows: Sequence[Row], wanted: Mapping[str, Any]) -> list[Row]:
    """Pick the rows in which some figures have the values wanted."""
    return [row for row in rows if wanted.items() <= row.items()]


def _kept(path: Path | str, provenance: Provenance) -> list[Row]:
    """Return the rows of a file if it is there, whole, and of the same provenance."""
    try:
        return read_results(path, provenance)
    except (FileNotFoundError, ValueError):
        return []


def _rounded(name: str, x: Any, decimals: int) -> Any:
    if isinstance(x, Mapping):
        return {key: _rounded(f"{name} {key}", y, decimals) for key, y in x.items()}
    if isinstance(x, list | tuple):
        return [_rounded(name, y, decimals) for y in x]
    if not isinstance(x, float):
        return plain(name.strip(), x)
    require(math.isfinite(x), name.strip(), "be finite", x)
    return round(x, decimals)


def _write(rows: Sequence[Row], provenance: Provenance, path: Path | str) -> None:
    made = json.dumps(asdict(provenance), ensure_ascii=False)
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    with replacing(path) as new:
        text = f'{{"provenance": {made},\n"rows": [\n{lines}\n]}}\n'
        new.write_text(text, "utf-8")
