"""Run notebooks from top to bottom and save their outputs in place.

    python tests/notebooks/save.py             # all of them
    python tests/notebooks/save.py 05 00_st    # those whose names begin so

A cell that raises stops it, and that notebook is left as it was; what else is wrong
with a saved notebook, test_saved.py finds. What changes from run to run (time stamps,
widgets' ids, versions) is not saved, so that a second run writes the same bytes.
"""

import pathlib
import sys

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

FOLDER = pathlib.Path(__file__).parents[2] / "notebooks"
WIDGET = "application/vnd.jupyter.widget-view+json"
#: What JupyterLab writes into a notebook that it opens with the course's kernel (see
#: lab_settings): the same, or it counts as changed and asks when it is closed.
METADATA = {
    "kernelspec": {
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "name": "python3",
    },
    "language_info": {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
    },
}
#: Of a cell's metadata: what its author says, not the editor.
KEPT = ("tags", "jupyter", "jp-MarkdownHeadingCollapsed", "prediction")


def run(path: pathlib.Path) -> NotebookNode:
    """Run one notebook in its folder, as a reader does.

    Raises:
        CellExecutionError: a cell raises; nbclient names it and shows the traceback.
    """
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook,
        timeout=120,  # seconds for one cell
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        force_raise_errors=True,  # also where a tag would allow one
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    return notebook


def tidy(notebook: NotebookNode) -> str:
    """The notebook's file, without what changes from run to run."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata = {k: v for k, v in cell.metadata.items() if k in KEPT}
    outputs = [o for cell in notebook.cells for o in cell.get("outputs", [])]
    views = [o.data[WIDGET] for o in outputs if WIDGET in o.get("data", {})]
    text = nbformat.writes(notebook) + "\n"
    for number, id in enumerate(dict.fromkeys(v["model_id"] for v in views), start=1):
        text = text.replace(id, f"explorer-{number}")
    return text


def main(names: list[str]) -> int:
    for name in names or [""]:
        found = sorted(FOLDER.glob(f"{pathlib.Path(name).stem}*.ipynb"))
        if not found:
            print(f"no notebook in {FOLDER.name}/ begins {name}", file=sys.stderr)
            return 1
        for path in found:
            path.write_text(tidy(run(path)), encoding="utf-8", newline="\n")
            print(f"{path.name} saved", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
