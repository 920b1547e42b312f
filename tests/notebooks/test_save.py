"""Saving a notebook: what is run, what is kept, and what stops it."""

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from notebooks import save

SHOWS = """
import ipywidgets as W
class Bench(W.VBox):
    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        return {**bundle, "image/png": "AAAA", "text/plain": "0.5 0.5"}
first, bench = Bench([W.IntSlider()]), Bench()
bench
"""
PRINTS = "import time\nprint(1, flush=True)\ntime.sleep(0.5)\nprint(2)\nfirst"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(save, "FOLDER", tmp_path)
    return tmp_path


def write(path, *cells, **metadata):
    nbformat.write(new_notebook(cells=list(cells), metadata=metadata), path)
    return path


def test_a_notebook_is_run_and_a_second_run_writes_the_same_bytes(folder, capsys):
    kept = {"tags": ["D0.1"], "jupyter": {"source_hidden": True}}
    folded = {"jp-MarkdownHeadingCollapsed": True}
    path = write(
        folder / "01_bench.ipynb",
        new_code_cell(SHOWS, id="bench", metadata={**kept, "vscode": {}}),
        new_markdown_cell("## Deeper", metadata=folded),
        new_code_cell(PRINTS),
        new_code_cell("bench"),
        widgets={"state": {}},
        language_info={"name": "python", "version": "3.0.0"},
    )
    assert save.main(["01"]) == 0
    bytes_of_first = path.read_bytes()
    assert save.main(["notebooks/01_bench.ipynb"]) == 0
    assert path.read_bytes() == bytes_of_first
    assert capsys.readouterr().out == "01_bench.ipynb saved\n" * 2
    saved = nbformat.read(path, as_version=4)
    assert saved.metadata == save.METADATA
    assert [cell.get("execution_count") for cell in saved.cells] == [1, None, 2, 3]
    assert [cell.metadata for cell in saved.cells[:2]] == [kept, folded]
    stream, _ = saved.cells[2].outputs
    assert stream.text == "1\n2\n"
    shown = [saved.cells[n].outputs[-1].data for n in (0, 2, 3)]
    ids = [data[save.WIDGET]["model_id"] for data in shown]
    assert ids == ["explorer-1", "explorer-2", "explorer-1"]
    assert shown[0]["text/plain"] == "0.5 0.5"


@pytest.mark.parametrize("tags", [[], ["raises-exception"]])
def test_a_notebook_that_raises_is_left_as_it_was(folder, tags):
    cell = new_code_cell("print('x'); 1 / 0", metadata={"tags": tags})
    path = write(folder / "02_bad.ipynb", cell)
    before = path.read_bytes()
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        save.main([])
    assert path.read_bytes() == before


def test_a_kernel_that_dies_stops_it(folder):
    write(folder / "03_bad.ipynb", new_code_cell("import os; os._exit(1)"))
    with pytest.raises((DeadKernelError, CellTimeoutError)):
        save.main([])


def test_a_name_that_no_notebook_has_is_an_error(folder, capsys):
    write(folder / "04_here.ipynb", new_code_cell("1"))
    assert save.main(["04", "99_gone"]) == 1
    assert "begins 99_gone" in capsys.readouterr().err
