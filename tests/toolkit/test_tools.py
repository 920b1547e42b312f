"""The tools without a browser: what they send to a page that asks."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from course import explorers


@pytest.fixture
def asked(monkeypatch):
    """Ask the tools of a bench, and see what they send."""
    bench = explorers.attention_bench(np.eye(2), np.eye(2), np.eye(2), ["<b>", "注"])
    sent = []
    monkeypatch.setattr(bench._tools, "send", sent.append)

    def ask(**message):
        sent.clear()
        bench._tools._answer(None, message, [])
        return sent

    ask.bench = bench
    return ask


def test_the_numbers_are_those_of_the_picture(asked):
    asked.bench.controls["mask"].value = "causal"
    working, answer = asked(type="numbers", turn=3)
    assert working == {"type": "working", "turn": 3}
    assert answer == {"type": "numbers", "text": asked.bench.numbers(), "turn": 3}
    assert "hidden" in answer["text"]


def test_the_picture_is_an_svg_file_named_after_the_explorer(asked):
    _, answer = asked(type="picture", turn=0.5)
    root = ET.fromstring(answer["svg"])
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert (answer["name"], answer["turn"]) == ("attention_bench", 0.5)
    assert len(list(root.iter("{http://www.w3.org/2000/svg}path"))) > 20


@pytest.mark.parametrize("message", [{}, {"type": "edit"}, {"type": None, "turn": 1}])
def test_what_nobody_asks_for_is_not_sent(asked, message):
    assert asked(**message) == []


# ── what is typed beside a slider ────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "value"), [("2", 2.0), (" 1.24 ", 1.2), ("5e-1", 0.5), ("0.1", 0.1)]
)
def test_a_number_typed_beside_a_slider_is_taken_at_its_nearest_step(
    asked, text, value
):
    sent = asked(type="typed", control="temperature", text=text)
    assert sent == []
    assert asked.bench.settings["temperature"] == value
    assert asked.bench.view.message == ""


@pytest.mark.parametrize("text", ["", "1,5", "-3", "77", "nan", "inf", "1e400", "one"])
def test_what_a_slider_does_not_reach_changes_nothing_and_why_is_said(asked, text):
    before = asked.bench.text()
    asked(type="typed", control="temperature", text=text)
    assert asked.bench.text() == before
    assert asked.bench.view.message
    asked(type="typed", control="temperature", text="1")
    assert asked.bench.view.message == ""


@pytest.mark.parametrize(("text", "value"), [("512", 512), ("8.0", 8), ("500", 16)])
def test_a_slider_over_stops_takes_no_number_between_them(text, value):
    lab = explorers.scale_lab()
    lab._tools._answer(None, {"type": "typed", "control": "d_k", "text": text}, [])
    assert lab.controls["d_k"].value == value
    assert ("d_k must be one of" in lab.view.message) is (text == "500")


def test_a_whole_number_stays_whole():
    lab = explorers.positional_encoding(8, 8, 1, 1, 0)
    typed = {"type": "typed", "control": "length", "text": "6"}
    lab._tools._answer(None, typed, [])
    assert repr(lab.controls["length"].value) == "6"
