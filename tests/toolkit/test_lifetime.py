"""How long an explorer lives, and the numbers that it hands out."""

import gc
import weakref

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from ipywidgets.widgets.widget import _instances
from traitlets.config import Config

from course import explorers
from explorable import lifetime
from explorable.drawing import in_a_cell


@pytest.fixture
def shell(monkeypatch):
    """IPython, as a kernel has it, told by `run_in(cell)` which cell runs."""
    monkeypatch.setattr(lifetime, "_SHOWN", {})
    shell = InteractiveShell(config=Config(HistoryManager={"hist_file": ":memory:"}))
    monkeypatch.setattr(lifetime, "get_ipython", lambda: shell)
    shell.push({"explorers": explorers, "np": np})
    executions = iter(range(100))

    def run_in(cell):
        header = {"metadata": {"cellId": cell}, "header": {"msg_id": next(executions)}}
        shell.parent_header = header

    shell.run_in = run_in
    yield shell
    shell.history_manager.end_session()


@pytest.fixture
def run_cell(shell):
    """`run_cell(cell, explorers)`: a cell shows explorers, as in a notebook."""

    def run(cell, *shown):
        shell.run_in(cell)
        for explorer in shown:
            explorer._repr_mimebundle_()

    return run


@pytest.fixture
def run_code(shell):
    """`run_code(cell, code)`: a cell runs, and its result is shown and remembered."""

    def run(cell, code):
        shell.run_in(cell)
        return shell.run_cell(code, store_history=True).result

    return run


def bench():
    return explorers.mixing_bench(np.eye(2), np.eye(2))


def alive(explorer):
    return all(part.comm is not None for part in lifetime._parts(explorer))


def test_a_cell_that_runs_again_leaves_none_of_its_old_widgets(run_cell):
    run_cell("a", bench())
    before = len(_instances)
    for _ in range(5):
        run_cell("a", bench())
    after = len(_instances)
    assert after == before


def test_the_explorers_of_one_run_of_a_cell_all_live(run_cell):
    two = bench(), bench()
    run_cell("a", *two)
    assert all(map(alive, two))


def test_an_explorer_that_another_cell_shows_too_lives_on(run_cell):
    shared = bench()
    run_cell("a", shared)
    run_cell("b", shared)
    run_cell("a", bench())
    assert alive(shared)


def test_one_that_was_closed_and_is_shown_again_comes_back(run_cell):
    old = bench()
    run_cell("a", old)
    run_cell("a", bench())
    assert not alive(old)
    run_cell("b", old)
    assert alive(old)
    old.edit("V", 0, 0, 3.0)
    assert old.values["output"][0, 0] == 3.0


def test_outside_a_notebook_nothing_is_closed(monkeypatch):
    first = bench()
    first._repr_mimebundle_()
    bench()._repr_mimebundle_()
    assert alive(first)


# ── what IPython itself remembers of results: Out, _3, _, __, ___ ──────────────────
BENCH = "explorers.mixing_bench(np.eye(2), np.eye(2))"


def test_explorers_of_cells_that_ran_again_are_forgotten_by_python(run_code):
    gone = []
    for _ in range(5):
        for cell in "ab":
            gone.append(weakref.ref(run_code(cell, BENCH)))
    gc.collect()
    assert [ref() is None for ref in gone] == [True] * 8 + [False] * 2


def test_an_explorer_in_a_variable_is_usable_after_its_cell_ran_again(run_code):
    run_code("a", f"mine = {BENCH}; mine")
    run_code("b", "listed = [mine]")
    run_code("a", BENCH)
    kept = run_code("c", "listed[0] if listed[0] is mine else None")
    assert alive(kept)
    kept.edit("V", 0, 0, 3.0)
    assert kept.values["output"][0, 0] == 3.0


def test_other_results_stay_in_the_history(run_code):
    run_code("a", BENCH)
    run_code("b", "'a result'")
    run_code("a", BENCH)
    assert run_code("c", "Out[2], _2, __") == ("a result",) * 3
    assert sorted(run_code("d", "list(Out)")) == [2, 3, 4]


# ── numbers that can be read back ───────────────────────────────────────────────
def test_copied_numbers_read_back_as_they_are():
    Q = [[-1.5, 2.0], [0.25, -3.0]]
    text = explorers.attention_bench(Q, np.eye(2), np.eye(2), ["a", "b"]).numbers()
    blocks = {b.split("\n")[0]: b.strip().split("\n")[2:] for b in text.split("\n\n")}
    rows = [line.split("\t")[1:] for line in blocks["Q  queries"]]
    np.testing.assert_array_equal(np.array(rows, float), Q)
    assert "−" not in "".join("".join(r) for r in rows)


def test_what_is_copied_of_a_mixture_is_how_much_of_each_value_it_takes():
    parts = [[1.0, 3, 6], [2, 5, 3], [4, 4, 2]]
    bench = explorers.mixing_bench(parts, np.eye(3), ["a", "b", "c"])
    [block] = [b for b in bench.numbers().split("\n\n") if b.startswith("mixtures")]
    _, head, *rows = block.strip("\n").split("\n")
    assert head == "\ta\tb\tc"
    assert [row.split("\t")[0] for row in rows] == ["a", "b", "c"]
    shares = np.array([row.split("\t")[1:] for row in rows], float)
    np.testing.assert_allclose(shares, np.array(parts) / 10, atol=1e-9)


@pytest.mark.parametrize("word", ["=HYPERLINK(1)", "+1+1", "-x", "@SUM(A1)"])
def test_a_word_that_a_spreadsheet_would_run_is_copied_as_a_word(word):
    text = explorers.mixing_bench(np.eye(2), np.eye(2), [word, "b"]).numbers()
    assert f"\n'{word}\t" in text
    assert not any(line.startswith(word) for line in text.split("\n"))


@pytest.mark.parametrize(
    ("text", "cell"), [("−0.5", "-0.5"), ("−∞", "-inf"), ("a\tb", "a b"), ("-3", "-3")]
)
def test_a_cell_holds_a_number_or_one_word(text, cell):
    assert in_a_cell(text) == cell
