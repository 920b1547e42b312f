"""Run notebooks from top to bottom and save their outputs in place.

    python tests/notebooks/save.py             # all of them
    python tests/notebooks/save.py 05 00_st    # those whose names begin so

A notebook that raises or writes to stderr is reported and left as it was. What changes
from run to run (time stamps, widgets' ids, versions) is not saved, so that a second
run writes the same bytes.
"""

import hashlib
import pathlib
import re
import sys
import time

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import (
    CellExecutionError,
    CellTimeoutError,
    DeadKernelError,
)
from nbformat import NotebookNode

FOLDER = pathlib.Path(__file__).parents[2] / "notebooks"
WIDGET = "application/vnd.jupyter.widget-view+json"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
KEPT = ("tags", "jupyter")  # of a cell's metadata: what its author says, not its editor
MADE_UP = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){0,3}(-[0-9a-f]{12})?")
PATIENCE = 120  # seconds for one cell


def named(names: list[str]) -> list[pathlib.Path]:
    """The notebooks whose names begin so; all of them if none is named.

    Raises:
        FileNotFoundError: no notebook's name begins so.
    """
    beginnings = [pathlib.Path(name).stem for name in names] or [""]
    found = {b: sorted(FOLDER.glob(f"{b}*.ipynb")) for b in beginnings}
    for beginning, paths in found.items():
        if beginning and not paths:
            raise FileNotFoundError(f"no notebook in {FOLDER.name}/ begins {beginning}")
    return sorted({path for paths in found.values() for path in paths})


def save(path: pathlib.Path) -> list[str]:
    """Run one notebook; save it, or leave it as it was and say what went wrong."""
    notebook = nbformat.read(path, as_version=4)
    try:
        runner(notebook, path.parent).execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        return [str(error)]
    faults = complaints(notebook)
    if not faults:
        path.write_text(tidy(notebook), encoding="utf-8", newline="\n")
    return faults


def runner(notebook: NotebookNode, folder: pathlib.Path) -> NotebookClient:
    return NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=PATIENCE,
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(folder)}},
    )


def complaints(notebook: NotebookNode) -> list[str]:
    """Every error and every line on stderr, with the number of its cell."""
    said = []
    for number, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                said.append(f"cell {number}: {output.ename}: {output.evalue}")
            if output.get("name") == "stderr":
                said.append(f"cell {number} wrote to stderr: {output.text.strip()}")
    return said


def tidy(notebook: NotebookNode) -> str:
    """The notebook's file, without what changes from run to run."""
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat_minor = 5
    taken: set[str] = set()
    for cell in notebook.cells:
        cell.metadata = {k: v for k, v in cell.metadata.items() if k in KEPT}
        cell.id = stable_id(cell, taken)
        taken.add(cell.id)
    text = nbformat.writes(notebook) + "\n"
    for number, model in enumerate(widgets(notebook), start=1):
        text = text.replace(model, f"explorer-{number}")
    return text


def stable_id(cell: NotebookNode, taken: set[str]) -> str:
    """The author's id, or in place of one that an editor made up, one of the text."""
    own = cell.get("id", "")
    if own and own not in taken and not MADE_UP.fullmatch(own):
        return own
    digest = hashlib.sha256(cell.source.encode()).hexdigest()[:8]
    ids = [f"cell-{digest}", *(f"cell-{digest}-{n}" for n in range(2, len(taken) + 2))]
    return next(one for one in ids if one not in taken)


def widgets(notebook: NotebookNode) -> list[str]:
    """The ids of the widgets that are shown, each once, from top to bottom."""
    outputs = [o for cell in notebook.cells for o in cell.get("outputs", [])]
    views = [o.data[WIDGET] for o in outputs if WIDGET in o.get("data", {})]
    return list(dict.fromkeys(view["model_id"] for view in views))


def main(names: list[str]) -> int:
    try:
        paths = named(names)
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 1
    failed = 0
    for path in paths:
        began = time.monotonic()
        faults = save(path)
        failed += bool(faults)
        said = "not saved" if faults else "saved"
        print(f"{path.name}: {said} after {time.monotonic() - began:.1f} s", flush=True)
        print("".join(f"  {fault}\n" for fault in faults), end="", flush=True)
    print(f"{len(paths) - failed} of {len(paths)} notebooks saved")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
