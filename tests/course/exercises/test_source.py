"""The library's lines, as a notebook shows them."""

import pathlib

import numpy as np
import pytest

from course import exercises
from course.exercises.source import Source
from transformer_lib import MultiHeadAttention, causal_mask

ROOT = pathlib.Path(__file__).parents[3]


@pytest.mark.parametrize("thing", [causal_mask, MultiHeadAttention])
def test_the_lines_shown_are_the_lines_of_the_file(thing):
    shown = exercises.source(thing)
    assert f"\n{shown.text}\n" in (ROOT / shown.file).read_text("utf-8")
    assert f" {thing.__name__}" in shown.text.partition("(")[0]
    assert repr(shown) == f"{shown.file}\n\n{shown.text}"


def test_markup_in_the_lines_is_text():
    shown = Source("a.py", "<b> & x")
    assert "<pre>&lt;b&gt; &amp; x</pre>" in shown._repr_html_()


@pytest.mark.parametrize("thing", [3, "causal_mask", np.linspace, len])
def test_only_the_library_can_be_shown(thing):
    with pytest.raises(TypeError, match="source"):
        exercises.source(thing)
