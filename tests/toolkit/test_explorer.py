"""An explorer that is used: one run per change, and nothing that fails breaks it."""

import gc
import re
import weakref

import anywidget
import numpy as np
import pytest
from ipywidgets.widgets.widget import _instances

from course import explorers
from explorable import Axis, Explorer, Job, Sheet, lifetime
from explorable.controls import slider, stops, switch, text, whole
from explorable.drawings.bars import Bars

SIGNALS = "msg", "change", "comm_live_update"  # of the page's own model
CELL = {"type": "edit", "panel": "x", "row": 0, "column": 0, "nudge": 0, "turn": 1}


class Lab:
    """An explorer that counts its runs, and fails where it is told to."""

    def __init__(self, **controls):
        self.runs = []
        self.fails = None
        controls = controls or {"n": whole("places", 2, 1, 9)}
        inputs = {"x": np.array([[1.0, 2.0]])}
        self.explorer = Explorer("lab", self.sheet, controls, inputs)
        self.heard = []
        self.explorer.view.send = self.heard.append

    def sheet(self, x, **settings):
        self.runs.append(settings)
        if self.fails is not None:
            raise self.fails
        s = Sheet()
        row = Axis("row", ("a",))
        s.show(s.leaf("x", row, "column", x))
        s.show(s.elementwise("y", s.leaf("one", row, "column", x), ("×", 2.0, "n")))
        return s


def widgets(kind=anywidget.AnyWidget):
    """The kinds of widget that have a page of their own."""
    for one in kind.__subclasses__():
        yield from [one] * ("_esm" in vars(one))
        yield from widgets(one)


def test_what_a_page_reads_of_a_widget_is_sent_to_it():
    explorers.word_order("a b", [1, 0])
    reads = re.compile(r'model\.(?:get|set|on)\("(?:change:)?([a-z_]+)"')
    told = {one: set(reads.findall(str(one._esm))) for one in widgets()}
    assert {"ToolsView", "OrderView", "LinksView"} <= {one.__name__ for one in told}
    for one, names in told.items():
        assert names <= {*one.class_traits(sync=True), *SIGNALS}, one


# ── what fails ──────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("error", "why"),
    [
        (RuntimeError("out\nof memory"), "RuntimeError: out of memory"),
        (KeyError("n"), "KeyError: 'n'"),
        (ValueError("n must be odd"), "n must be odd"),
    ],
)
def test_a_control_that_fails_keeps_the_picture_and_says_why(error, why):
    lab = Lab()
    before = lab.explorer.text(), lab.explorer.view.data
    lab.fails = error
    lab.explorer.controls["n"].value = 3
    assert lab.explorer.view.message == why
    assert (lab.explorer.text(), lab.explorer.view.data) == before
    lab.fails = None
    lab.explorer.controls["n"].value = 4
    assert lab.explorer.view.message == ""
    assert "n: 4" in lab.explorer.text()


def test_a_cell_editor_gets_its_answer_whatever_fails():
    lab = Lab()
    lab.fails = RuntimeError("no")
    lab.explorer.view._answer(None, CELL | {"text": "5"}, None)
    assert lab.heard[-1]["type"] == "refused"
    assert lab.heard[-1]["why"] == "RuntimeError: no"
    assert lab.explorer.inputs["x"][0, 0] == 1.0


@pytest.mark.parametrize(
    "message",
    [
        {"type": "choose", "panel": "x"},
        {"type": "move", "panel": "x", "row": 0, "values": [3, 4]},
        {"type": "turn", "panel": "x", "row": 0, "column": 0},
        {"type": "paint", "strokes": {"x": [[0, 0, 7]]}, "turn": 1},
    ],
)
def test_whatever_a_view_asks_for_may_fail(message):
    lab = Lab()
    lab.fails = RuntimeError("no")
    lab.explorer.choose = None
    lab.explorer.view._choose = lambda *_: lab.explorer._show(lab.explorer.inputs)
    lab.explorer.view._answer(None, message, None)
    assert lab.explorer.view.message == "RuntimeError: no"
    assert lab.explorer.inputs["x"].tolist() == [[1.0, 2.0]]


def test_a_drawing_that_fails_keeps_what_was_shown(monkeypatch):
    lab = Lab()
    before = lab.explorer.text()

    def fail():
        raise RuntimeError("no room")

    monkeypatch.setattr(lab.explorer, "_draw", fail)
    lab.explorer.controls["n"].value = 5
    assert lab.explorer.text() == before


def test_an_interrupt_of_the_reader_passes():
    lab = Lab()
    lab.fails = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        lab.explorer.controls["n"].value = 3
    with pytest.raises(KeyboardInterrupt):
        lab.explorer.view._answer(None, CELL | {"text": "5"}, None)


def test_a_picture_that_cannot_be_made_says_what_failed(monkeypatch):
    lab = Lab()
    sent = []
    monkeypatch.setattr(lab.explorer._tools, "send", sent.append)

    def fail():
        raise MemoryError("too large")

    monkeypatch.setattr(lab.explorer, "picture", fail)
    lab.explorer._tools._answer(None, {"type": "picture", "turn": 4}, None)
    failed = {"type": "failed", "turn": 4, "why": "MemoryError: too large"}
    assert sent == [{"type": "working", "turn": 4}, failed]


# ── one run for one change ──────────────────────────────────────────────────────
def test_one_reset_runs_the_function_once():
    lab = Lab(a=slider("a", 1.0, 0.0, 2.0, 0.1), b=whole("b", 1, 0, 5))
    lab.explorer.controls["a"].value = 0.5
    lab.explorer.controls["b"].value = 3
    before = len(lab.runs)
    lab.explorer.reset()
    assert lab.runs[before:] == [{"a": 1.0, "b": 1}]


def test_reset_closes_an_editor_that_holds_what_was_refused():
    lab = Lab()
    lab.explorer.view._answer(None, CELL | {"text": "no number"}, None)
    assert lab.heard[-1]["type"] == "refused"
    lab.explorer.reset()
    assert lab.heard[-1] == {"type": "reset"}


# ── where the message stands ────────────────────────────────────────────────────
def test_why_a_change_was_refused_is_said_where_it_is_seen():
    def sheet(*, tables, n):
        if n > 5:
            raise ValueError("n must be at most 5")
        s = Sheet()
        if tables:
            s.show(s.leaf("x", Axis("row", ("a",)), "column", [[1.0]]))
        s.draw(Bars(name="bars", labels=["a"]), [[0.5]])
        return s

    controls = {"tables": switch("tables", True), "n": whole("n", 1, 1, 9)}
    explorer = Explorer("lab", sheet, controls)
    explorer.controls["tables"].value = False
    explorer.controls["n"].value = 7
    telling = [view for view in explorer.views.values() if view.message]
    assert [view.layout.display for view in telling] == [None]
    assert [view.tells for view in explorer.views.values()] == [False, True]


# ── what a number typed beside a slider moves ───────────────────────────────────
def test_a_number_typed_beside_a_slider_moves_the_control_of_that_name():
    """In `decoding`, 4 typed at "longest text" set the samples."""
    lab = Lab(
        menu=stops("menu", [1, 2], 1), a=whole("a", 1, 0, 5), b=whole("b", 1, 0, 5)
    )
    for name, control in lab.explorer.controls.items():
        assert f"tl-control-{name}" in control._dom_classes
    typed = {"type": "typed", "control": "b", "text": "4"}
    lab.explorer._tools._answer(None, typed, None)
    assert lab.explorer.settings == {"menu": 1, "a": 1, "b": 4}


# ── what leaves nothing behind ──────────────────────────────────────────────────
REFUSED = [
    lambda: explorers.attention_bench(np.eye(2), np.eye(2), np.eye(2), mask="none!"),
    lambda: explorers.word_order("a b", strength=9.0),
    lambda: explorers.define("a", head="99"),
    lambda: explorers.decoding(None, None, "a"),
    lambda: explorers.sequence_training("xyz"),
    lambda: explorers.depth_training(1, steps=0),
]


def refuse(*_, **__):
    raise ValueError("never")


@pytest.mark.parametrize(
    "refused",
    [
        *REFUSED,
        lambda: Explorer("lab", refuse, {"n": whole("n", 1, 0, 5)}),
        lambda: Job("lab", refuse, lambda: iter([1]), 1, {"s": switch("s", True)}),
    ],
)
def test_a_call_that_is_refused_leaves_no_widget_open(refused):
    before = set(_instances)
    with pytest.raises((ValueError, TypeError)):
        refused()
    assert set(_instances) == before


def test_an_explorer_that_was_closed_in_a_deleted_cell_is_let_go(monkeypatch):
    monkeypatch.setattr(lifetime, "_SHOWN", {})
    monkeypatch.setattr(lifetime, "execution_of_a_page", lambda: ("1", "deleted"))
    explorer = explorers.mixing_bench(np.eye(2), np.eye(2))
    explorer._repr_mimebundle_()
    for part in reversed(list(lifetime._parts(explorer))):
        part.close()
    gone = weakref.ref(explorer)
    del explorer, part
    gc.collect()
    assert gone() is None


# ── what a sheet says of its controls ───────────────────────────────────────────
class Words:
    """Words of a line, one of them in view; a line "-" is refused."""

    def __init__(self, keep_last=False):
        self.runs = []
        controls = {"line": text("line", "a b c d", 9), "at": whole("at", 4, 1, 4)}
        controls["more"] = whole("more", 0, 0, 5)

        def sheet(*, line, at, more):
            self.runs.append((line, at))
            if line == "-":
                raise ValueError("more must be 0 where line is -")
            words = line.split()
            at = min(at, len(words))
            s = Sheet()
            s.control("at", max=len(words), keep_last=keep_last)
            s.control("more", shown=len(words) > 2)
            row = Axis("", (words[at - 1],))
            s.show(s.leaf("x", row, "column", [[float(at)]]))
            return s

        self.explorer = Explorer("words", sheet, controls)
        self.line = controls["line"]
        self.at = controls["at"]
        self.more = controls["more"]
        self.runs.clear()

    def stands(self):
        return self.at.value, self.at.max, self.at.disabled


def test_a_slider_ends_where_the_sheet_says_and_a_value_beyond_comes_along():
    lab = Words()
    lab.line.value = "a b"
    assert lab.stands() == (2, 2, False)
    assert lab.explorer.settings["at"] == 2
    lab.line.value = "a b c"
    assert lab.stands() == (2, 3, False)


def test_a_limit_that_moves_no_value_costs_no_second_run():
    lab = Words()
    lab.line.value = "a b c d e"
    assert lab.runs == [("a b c d e", 4)]
    lab.line.value = "a b"
    assert len(lab.runs) == 3  # moved once, and so run once more


def test_a_slider_with_a_single_place_can_be_drawn_and_rests():
    lab = Words()
    lab.line.value = "a"
    assert lab.stands() == (1, 2, True)  # a page draws no slider from 1 to 1
    lab.line.value = "a b c"
    assert lab.stands() == (1, 3, False)
    alone = whole("n", 3, 3, 3)
    assert (alone.value, alone.disabled, alone.min < alone.max) == (3, True, True)
    assert "Slider" not in type(stops("n", [7], 7)).__name__


def test_a_slider_at_its_end_stays_there_if_the_sheet_says_so():
    lab = Words(keep_last=True)
    for line in ("a", "a b c d e", "a b"):
        lab.line.value = line
        assert lab.at.value == len(line.split())
    lab.line.value = "a b c"
    lab.at.value = 2
    lab.line.value = "a b c d e"
    assert lab.at.value == 2


def test_a_control_that_is_not_asked_for_is_out_of_sight():
    lab = Words()
    lab.line.value = "a b"
    assert lab.more.layout.display == "none"
    lab.line.value = "a b c"
    assert lab.more.layout.display is None


def test_a_control_that_a_refusal_names_is_in_sight():
    """Else the reader could not put right what was refused."""
    lab = Words()
    lab.line.value = "a b"
    lab.line.value = "-"
    assert lab.more.layout.display is None


def test_reset_brings_back_a_value_beyond_the_end_that_holds_now():
    lab = Words()
    lab.line.value = "a"
    lab.explorer.reset()
    assert lab.stands() == (4, 4, False)


def test_a_control_of_the_second_row_that_is_to_blame_is_shown(monkeypatch):
    def sheet(*, n, m):
        if m > n:
            raise ValueError("m must be at most n")
        s = Sheet()
        s.show(s.leaf("x", Axis("row", ("a",)), "column", [[float(n)]]))
        return s

    controls = {"n": whole("n", 9, 1, 9), "m": whole("m", 5, 1, 9)}
    explorer = Explorer("lab", sheet, controls, more=["m"])
    told = []
    monkeypatch.setattr(explorer._tools, "send", told.append)
    explorer.controls["n"].value = 7
    assert told == []
    explorer.controls["n"].value = 2
    assert told == [{"type": "more"}]
