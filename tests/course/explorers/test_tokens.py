"""tokens without a browser: ids, one-hot rows, rows of E, and what is refused."""

import numpy as np
import pytest
import torch
from gallery import GALLERY

from course import explorers
from course.explorers.embedding.tokens import drawn, twelve
from course.models.nearness import cosine_distance
from transformer_lib import TokenEmbedding, Vocabulary, sinusoidal_encoding

SENTENCE = "the AI is a quantum Engineer."
FIVE = Vocabulary(["a", "b", "c", "d", "e"])


@pytest.fixture
def explorer():
    return explorers.tokens(SENTENCE)


def note(explorer):
    return explorer.view.live["X"]["note"]


def test_x_is_the_rows_of_e_that_the_library_looks_up(explorer):
    ids = twelve().encode([*["the", "AI", "is", "a", "quantum", "Engineer"], "."])
    layer = TokenEmbedding(12, 4)
    layer.weight.data[:] = torch.tensor(drawn(12))
    with torch.no_grad():
        x = layer(torch.tensor([ids]))[0].numpy()
    np.testing.assert_allclose(explorer.values["X"] * 2, x, atol=1e-6)
    np.testing.assert_array_equal(explorer.values["X"], drawn(12)[ids])
    np.testing.assert_array_equal(explorer.values["ids"][:, 0], ids)
    np.testing.assert_array_equal(explorer.values["one_hot"], np.eye(12)[ids])
    [made] = [d.provenance for d in explorer.drawings if d.name == "X"]
    assert (made["op"], made["inputs"]) == ("matmul", ["one_hot", "E"])


def test_an_unknown_word_is_seen_to_become_unk(explorer):
    assert note(explorer) == "“quantum”: unknown, so row 1 of E"
    ids, one_hot = explorer.drawings[:2]
    assert (ids.rows[4], one_hot.rows[4]) == ("quantum", "⟨UNK⟩")
    explorer.controls["sentence"].value = "AI ai Ai is"
    assert note(explorer) == "“ai”, “Ai”: unknown, so row 1 of E"
    explorer.controls["sentence"].value = "a quantum robot of the AI, by Ajish"
    named = "“quantum”, “robot”, “of”, “,”, “by”"
    assert note(explorer) == f"{named}: unknown, so row 1 of E"
    explorer.controls["sentence"].value = "one two three four five six seven"
    named = "“one”, “two”, “three”, “four”, “fiv…"
    assert note(explorer) == f"{named}: unknown, so row 1 of E"
    explorer.controls["sentence"].value = "the AI."
    assert note(explorer) == "“the” has the id 8: it becomes row 8 of E"
    np.testing.assert_array_equal(explorer.values["X"][0], drawn(12)[8])


def test_a_change_of_a_row_changes_every_token_of_that_word_and_no_other():
    explorer = explorers.tokens("the AI is the AI")
    before = explorer.values["X"]
    explorer.edit("E", twelve().encode("the")[0], 2, 0.9)
    assert [d.name for d in explorer.drawings if d.editable] == ["E"]
    changed = (explorer.values["X"] != before).any(axis=1)
    assert changed.tolist() == [True, False, False, True, False]


def test_distances_are_the_librarys():
    explorer = explorers.tokens(SENTENCE, show="distances")
    expected = cosine_distance(torch.tensor(explorer.values["X"]))
    np.testing.assert_allclose(explorer.values["distance"], expected, atol=1e-12)


def test_what_enters_the_model_is_scaled_rows_and_positions():
    values = explorers.tokens(SENTENCE, show="positions").values
    PE = sinusoidal_encoding(7, 4, dtype=torch.float64).numpy()
    np.testing.assert_allclose(values["input"], 2 * values["X"] + PE, atol=1e-12)


def test_every_view_can_be_chosen_and_left(explorer):
    names = {}
    for view in ("distances", "positions", "look-up"):
        explorer.controls["show"].value = view
        names[view] = [d.name for d in explorer.drawings]
    assert names == {
        "look-up": ["ids", "one_hot", "E", "X"],
        "distances": ["E", "X", "distance"],
        "positions": ["X", "scaled", "PE", "input"],
    }


def test_without_an_unknown_token_an_unknown_word_is_refused_in_one_line():
    explorer = explorers.tokens("a b", FIVE)
    data = explorer.view.data
    explorer.controls["sentence"].value = "a x"
    said = "word 'x' is not in the vocabulary of 5, which has no unknown token"
    assert (explorer.view.message, explorer.view.data) == (said, data)
    explorer.controls["sentence"].value = "a e"
    assert explorer.view.message == ""


@pytest.mark.parametrize("bad", ["", " \t ", "x " * 11, "a.b.c.d.e.f", "a" * 5000])
def test_a_sentence_that_is_refused_leaves_the_last_good_picture(explorer, bad):
    data = explorer.view.data
    explorer.controls["sentence"].value = bad
    assert "sentence m" in explorer.view.message
    assert len(explorer.view.message.splitlines()) == 1
    assert explorer.view.data == data
    explorer.controls["sentence"].value = SENTENCE
    assert explorer.view.message == ""


@pytest.mark.parametrize(
    ("arguments", "error", "naming"),
    [
        ({"sentence": 3}, TypeError, "sentence must be a string, got 3"),
        ({"sentence": "\ud800"}, ValueError, "lone surrogate"),
        ({"vocabulary": ["a"]}, TypeError, "vocabulary must be a Vocabulary"),
        ({"vocabulary": Vocabulary(map(str, range(13)))}, ValueError, "12 words.* 13"),
        ({"E": np.ones((3, 2))}, ValueError, r"E must have 12 rows, got shape \(3, 2"),
        ({"E": [["x"]]}, TypeError, "E must be a matrix of numbers"),
        ({"show": "all"}, ValueError, "show must be one of .*'all'"),
    ],
)
def test_what_cannot_be_shown_is_refused(arguments, error, naming):
    with pytest.raises(error, match=naming):
        explorers.tokens(**{"sentence": SENTENCE, **arguments})


def test_the_gallery_knows_an_unknown_word():
    assert "“w1”" in note(GALLERY["tokens"].make(4))
