"""The tools without a browser: what they send to a page that asks."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from transformer_lib import explorers


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
