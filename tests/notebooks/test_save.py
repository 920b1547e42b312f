"""Saving a notebook: what is run, what is kept, and what stops it."""

import re

import nbformat
import pytest
from notebooks import save
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

SHOWS = """
import ipywidgets as W
class Bench(W.VBox):
    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        return {**bundle, "image/png": "AAAA", "text/plain": "0.5 0.5"}
bench = Bench([W.IntSlider()])
bench
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(save, "FOLDER", tmp_path)
    return tmp_path


def write(path, *cells, **metadata):
    nbformat.write(new_notebook(cells=list(cells), metadata=metadata), path)
    return path


def test_a_notebook_is_run_and_a_second_run_writes_the_same_bytes(folder, capsys):
    path = write(
        folder / "01_bench.ipynb",
        new_code_cell(SHOWS, id="bench", metadata={"tags": ["D0.1"], "vscode": {}}),
        new_markdown_cell("and again", id="0c9f1d2e"),
        new_code_cell(
            "import time\nprint(1, flush=True)\ntime.sleep(0.5)\nprint(2)\nbench"
        ),
        widgets={"state": {}},
        language_info={"name": "python", "version": "3.0.0"},
    )
    assert save.main(["01"]) == 0
    first = path.read_bytes()
    assert save.main([]) == 0
    assert path.read_bytes() == first
    assert re.search(r"01_bench.ipynb: saved after [\d.]+ s", capsys.readouterr().out)
    saved = nbformat.read(path, as_version=4)
    assert saved.metadata == save.METADATA
    assert [cell.get("execution_count") for cell in saved.cells] == [1, None, 2]
    assert saved.cells[0].id == "bench"
    assert saved.cells[0].metadata == {"tags": ["D0.1"]}
    assert re.fullmatch("cell-[0-9a-f]{8}", saved.cells[1].id)
    stream, shown = saved.cells[2].outputs
    assert stream.text == "1\n2\n"
    assert shown.data[save.WIDGET]["model_id"] == "explorer-1"
    assert shown.data["text/plain"] == "0.5 0.5"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("print('x'); 1 / 0", "ZeroDivisionError"),
        ("import warnings; warnings.warn('beware')", "UserWarning: beware"),
        ("import sys; print('hm', file=sys.stderr)", "cell 0 wrote to stderr: hm"),
    ],
)
def test_a_notebook_that_complains_is_left_as_it_was(folder, capsys, source, said):
    path = write(folder / "02_bad.ipynb", new_code_cell(source))
    before = path.read_bytes()
    assert save.main([]) == 1
    assert path.read_bytes() == before
    out = capsys.readouterr().out
    assert said in out
    assert "0 of 1 notebooks saved" in out


def test_an_error_that_a_tag_allows_is_still_an_error(folder, capsys):
    cell = new_code_cell("1 / 0", metadata={"tags": ["raises-exception"]})
    write(folder / "03_bad.ipynb", cell)
    assert save.main([]) == 1
    assert "cell 0: ZeroDivisionError: division by zero" in capsys.readouterr().out


@pytest.mark.parametrize(
    "source", ["import time; time.sleep(60)", "import os; os._exit(1)"]
)
def test_a_kernel_that_hangs_or_dies_does_not_stop_the_others(
    folder, capsys, monkeypatch, source
):
    monkeypatch.setattr(save, "PATIENCE", 3)
    write(folder / "01_bad.ipynb", new_code_cell(source))
    write(folder / "02_good.ipynb", new_code_cell("1"))
    assert save.main([]) == 1
    out = capsys.readouterr().out
    assert "01_bad.ipynb: not saved" in out
    assert "1 of 2 notebooks saved" in out


def test_no_notebook_at_all_is_no_error(folder, capsys):
    assert save.main([]) == 0
    assert "0 of 0 notebooks saved" in capsys.readouterr().out


def test_a_name_that_no_notebook_has_is_an_error(folder, capsys):
    write(folder / "04_here.ipynb")
    assert save.main(["04", "99_gone"]) == 1
    assert "begins 99_gone" in capsys.readouterr().err


def test_notebooks_are_named_by_their_beginnings_or_their_paths(folder):
    first, second = write(folder / "01_a.ipynb"), write(folder / "02_b.ipynb")
    assert save.named([]) == [first, second]
    assert save.named(["02"]) == [second]
    assert save.named(["notebooks/02_b.ipynb", "01_a", "01"]) == [first, second]


def test_ids_that_an_editor_made_up_give_way_and_stay_apart():
    made_up = ["1a2b3c4d", "5e6f7a8b", "12345678-1234-1234-1234-123456789abc"]
    ids = tidy_ids(*[new_code_cell("x", id=one) for one in made_up])
    assert re.fullmatch("cell-[0-9a-f]{8}", ids[0])
    assert ids[1:] == [f"{ids[0]}-2", f"{ids[0]}-3"]
    kept = [new_code_cell("x", id="1a2b3c4d"), new_code_cell("y", id=ids[0])]
    assert tidy_ids(*kept)[0] == ids[0] != tidy_ids(*kept)[1]
    assert tidy_ids(new_code_cell("x", id="head")) == ["head"]


def tidy_ids(*cells):
    text = save.tidy(new_notebook(cells=list(cells)))
    return [cell.id for cell in nbformat.reads(text, as_version=4).cells]


def test_every_widget_gets_one_lasting_id_wherever_it_stands():
    a, b, c = (letter * 32 for letter in "abc")
    shown = [
        new_output(
            "display_data", {save.WIDGET: {"model_id": model}, "text/html": model}
        )
        for model in (b, a, b, c)
    ]
    text = save.tidy(new_notebook(cells=[new_code_cell("x", outputs=shown)]))
    found = nbformat.reads(text, as_version=4).cells[0].outputs
    ids = [out.data[save.WIDGET]["model_id"] for out in found]
    assert ids == ["explorer-1", "explorer-2", "explorer-1", "explorer-3"]
    assert [out.data["text/html"] for out in found] == ids
