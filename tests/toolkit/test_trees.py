"""A tree of texts: its order, its text, its picture at rest, and what it refuses."""

from itertools import pairwise

import numpy as np
import pytest

from explorable import Explorer, Sheet
from explorable.drawing import PAGE
from explorable.drawings.tree import Tree

GIVEN = {
    "words": ["⟨SOS⟩", "the", "a", "cat", "dog", "mat"],
    "parents": [-1, 0, 0, 1, 1, 2],
    "states": ["kept", "kept", "kept", "ended", "left", "left"],
    "taken": 3,
}
NUMBERS = np.array(
    [[1, 0], [0.6, -0.5], [0.4, -0.9], [0.7, -0.9], [0.2, -2], [0.5, -1]]
)


def grown(**changed):
    return Tree(name="search", **(GIVEN | changed))


def explorer(**changed):
    def sheet():
        s = Sheet()
        s.draw(grown(**changed), NUMBERS[: len(changed.get("words", GIVEN["words"]))])
        return s

    return Explorer("drawn", sheet)


def test_branches_are_read_one_after_the_other():
    tree = grown()
    assert [GIVEN["words"][n] for n in tree.in_order()] == [
        *("⟨SOS⟩", "the", "cat", "dog", "a", "mat")
    ]
    assert tree.path(3) == [0, 1, 3]


def test_a_parent_stands_in_the_middle_of_what_is_behind_it():
    places = grown().places()
    assert places[3:] == [(2, 0), (2, 1), (2, 2)]
    assert places[1] == (1, 0.5)
    assert places[2] == (1, 2)
    assert places[0] == (0, 1.25)


def test_no_two_nodes_stand_in_one_place():
    draw = np.random.default_rng(0)
    parents = [-1, *(int(draw.integers(n)) for n in range(1, 200))]
    many = {"words": ["w"] * 200, "parents": parents, "states": ["kept"] * 200}
    places = Tree(name="x", **many).places()
    assert len({(x, round(y, 6)) for x, y in places}) == 200
    for x in {x for x, _ in places}:
        rows = sorted(y for at, y in places if at == x)
        assert all(b - a >= 1 - 1e-9 for a, b in pairwise(rows))


def test_the_text_says_every_number_and_the_path_that_was_taken():
    lines = explorer().text().splitlines()
    assert [line.split() for line in lines[1:]] == [
        ["probability", "Σ", "log", "p", "state"],
        ["⟨SOS⟩", "1.00", "0.00", "taken,", "kept"],
        ["·", "the", "0.60", "−0.50", "taken,", "kept"],
        ["·", "·", "cat", "0.70", "−0.90", "taken,", "ended"],
        ["·", "·", "dog", "0.20", "−2.00", "left"],
        ["·", "a", "0.40", "−0.90", "kept"],
        ["·", "·", "mat", "0.50", "−1.00", "left"],
    ]


def test_at_rest_every_token_and_probability_stands_in_the_picture():
    figure = explorer().picture()
    said = [w.text for words in figure.artists for w in getattr(words, "words", [])]
    for word in ("⟨SOS⟩", "1.00✓", "cat", "0.70✓∎", "dog", "0.20", "−2.00"):
        assert word in said


def test_at_rest_each_node_is_a_box_in_its_row_with_its_words_in_it(body):
    words, boxes = body(grown(), {"search": NUMBERS})
    for (x, y, wide, high), (_, row) in zip(
        (box for box, _ in boxes), grown().places(), strict=True
    ):
        assert row < y < y + high < row + 1
        assert y - row == pytest.approx(row + 1 - y - high)
        own = [w for w in words if w.x == x + wide / 2 and y < w.y < y + high]
        assert len(own) == 2


def test_at_rest_a_tree_of_many_columns_is_as_wide_as_a_page():
    many = [f"a long word {n}" for n in range(20)]
    tree = grown(words=many, parents=range(-1, 19), states=["kept"] * 20)
    still = tree.at_rest({"search": np.zeros((20, 2))})
    assert still.size[0] <= PAGE


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"words": []}, "words must be 1 to 256, got 0"),
        ({"words": ["w"] * 257}, "words must be 1 to 256, got 257"),
        ({"parents": [-1, 0]}, "parents must be as many as the 6 words, got 2"),
        ({"states": ["kept"]}, "states must be as many as the 6 words, got 1"),
        ({"parents": [-1, 2, 0, 1, 1, 2]}, "parents must be −1 for the root and then"),
        ({"parents": [0, 0, 0, 1, 1, 2]}, "parents must be −1 for the root and then"),
        ({"parents": [-1, -1, 0, 1, 1, 2]}, "parents must be −1 for the root and then"),
        ({"states": ["lost", *["kept"] * 5]}, "each of states must be one of .*lost"),
        ({"taken": 6}, "taken must be -1 to 5, got 6"),
        ({"taken": -2}, "taken must be -1 to 5, got -2"),
    ],
)
def test_what_does_not_fit_is_named(changed, says):
    with pytest.raises(ValueError, match=says):
        grown(**changed)


def test_the_lines_to_many_tokens_have_more_room_than_to_a_single_one():
    look = {"words": [*"abcdefgh"], "states": ["kept"] * 8, "taken": -1}
    (first, wide), (many, its), (one, _) = grown(
        **look, parents=[-1, *[0] * 6, 1]
    ).columns
    assert many - (first + wide) == pytest.approx(3.4)
    assert one - (many + its) == pytest.approx(1.4)


def test_one_node_is_a_tree():
    alone = {"words": ["a"], "parents": [-1], "states": ["kept"], "taken": -1}
    assert "1.00" in explorer(**alone).text()
    explorer(**alone).picture()


@pytest.mark.parametrize(
    ("numbers", "says"),
    [
        (NUMBERS[:5], r"search must have shape \(6, 2\), got \(5, 2\)"),
        (NUMBERS[:, :1], r"search must have shape \(6, 2\), got \(6, 1\)"),
        (NUMBERS * [2, 1], "a probability of search must be from 0 to 1, got 2"),
        (NUMBERS * [np.nan, 1], "a probability of search .* got nan"),
    ],
)
def test_numbers_that_are_none_of_the_tree_are_refused(numbers, says):
    def sheet():
        s = Sheet()
        s.draw(grown(), numbers)
        return s

    with pytest.raises(ValueError, match=says):
        Explorer("drawn", sheet)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"parents": (-1, 0.5, 0, 1, 1, 2)}, "a node of parents must be an integer"),
        ({"taken": True}, "taken must be an integer, got True"),
        ({"words": [1, 2, 3, 4, 5, 6]}, "each of words must be a str, got int"),
    ],
)
def test_what_is_of_another_type_is_named(changed, says):
    with pytest.raises(TypeError, match=says):
        grown(**changed)
