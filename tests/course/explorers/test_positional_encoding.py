"""positional_encoding without a browser: waves, rotation, words and limits."""

import numpy as np
import pytest
from explanations import recomputed

from course import explorers
from course.explorers.positions.positional_encoding import (
    encoding_sheet,
    positional_encoding,
)
from transformer_lib.oracles import numpy_reference as reference

DEFAULT = {"d_model": 32, "length": 32, "base": 10_000.0, "p": 5, "k": 7, "pair": 2}


def sheet(**changed):
    return encoding_sheet(**DEFAULT | {"numbers": True} | changed)


def random_settings(seed):
    r = np.random.default_rng(seed)
    d_model = int(r.integers(2, 97))
    return {
        "d_model": d_model,
        "length": int(r.integers(1, 65)),
        "base": float(10 ** r.uniform(0, 6)),
        "p": int(r.integers(64)),
        "k": int(r.integers(64)),
        "pair": int(r.integers(d_model // 2)),
    }


def drawings(explorer):
    return {d.name: d for d in explorer.drawings}


# ── the mathematics ─────────────────────────────────────────────────────────────
@pytest.mark.parametrize("seed", range(24))
def test_an_offset_turns_the_pair_by_a_matrix_that_knows_no_position(seed):
    s = random_settings(seed)
    found = sheet(**s)
    table = reference.sinusoidal_encoding(127, s["d_model"], s["base"])
    columns = slice(2 * s["pair"], 2 * s["pair"] + 2)
    for p in range(64):
        there = table[p + s["k"], columns]
        np.testing.assert_allclose(found["R"] @ table[p, columns], there, atol=1e-12)
    np.testing.assert_allclose(found["turned"], found["at_pk"], atol=1e-12)
    [turned] = [d for d in found.drawings if d.name == "turned"]
    made = turned.provenance
    assert (made["op"], made["inputs"]) == ("matmul", ["R", "at_p"])
    np.testing.assert_allclose(found["at_p"][:, 0], table[s["p"], columns], atol=1e-12)
    np.testing.assert_allclose(found["R"] @ found["R"].T, np.eye(2), atol=1e-12)
    other = sheet(**s | {"p": (s["p"] + 31) % 64})
    np.testing.assert_array_equal(found["R"], other["R"])


@pytest.mark.parametrize("seed", range(8))
def test_the_table_is_the_references_and_its_trace_leads_to_it(seed):
    s = random_settings(seed)
    found = sheet(**s)
    table = reference.sinusoidal_encoding(s["length"], s["d_model"], s["base"])
    np.testing.assert_allclose(found["PE"], table, atol=1e-12)
    [made] = [d.provenance for d in found.drawings if d.name == "PE"]
    assert made["op"] == "sinusoid"
    np.testing.assert_allclose(recomputed(found.arrays, "PE", made), table, atol=1e-12)
    step = max(1, s["d_model"] // 16)
    sines = found["PE"][:, 2 * s["pair"] :: 2 * step][:, :4]
    np.testing.assert_array_equal(found["wave"], sines)


@pytest.mark.parametrize("d_model", [2, 32, 64])
@pytest.mark.parametrize("p", [0, 5, 63])
def test_the_product_of_two_rows_depends_on_their_offset_alone(d_model, p):
    found = sheet(d_model=d_model, p=p, pair=0)
    frequencies = 10_000.0 ** (-np.arange(0, d_model, 2) / d_model)
    expected = np.cos(np.arange(32)[:, None] * frequencies).sum(1)
    for column in found["dots"].T:
        np.testing.assert_allclose(column, expected, atol=1e-11)
    assert found["dots.spread"][0, 0] < 1e-11


def test_a_sine_without_its_cosine_knows_where_p_is():
    found = sheet(d_model=33)
    table = reference.sinusoidal_encoding(127, 33)
    dots = np.array([[table[p] @ table[p + k] for k in range(32)] for p in range(64)])
    np.testing.assert_allclose(found["dots"], dots[[5, 25]].T, atol=1e-12)
    assert found["dots.spread"][0, 0] == pytest.approx(np.ptp(dots, axis=0).max())
    assert "a sine without its cosine depends on p" in (
        next(d for d in sheet(d_model=3, pair=0).drawings if d.name == "dots").note
    )


@pytest.mark.parametrize(
    ("k", "base", "pair"), [(0, 1.0, 0), (7, 1e4, 2), (63, 1.0, 0)]
)
def test_the_arc_leads_from_one_hand_to_the_other_the_right_way_round(k, base, pair):
    found = sheet(k=k, base=base, pair=pair)
    hands = np.arctan2(*found["clock0.arrows"].T)  # clockwise from the top
    along = np.unwrap(np.arctan2(*found["clock0.arc"].T))
    assert along[0] == pytest.approx(hands[0])
    assert along[-1] - along[0] == pytest.approx(k * base ** (-2 * pair / 32))
    assert np.sin(along[-1]) == pytest.approx(np.sin(hands[1]))
    assert np.hypot(*found["clock0.arc"].T).max() < 0.9


# ── the words ───────────────────────────────────────────────────────────────────
def test_the_first_picture_says_something():
    explorer = positional_encoding(32, 32)
    shown = drawings(explorer)
    assert list(shown) == ["PE", "wave", "clock0", "clock1", "clock2"]
    assert shown["clock0"].note == "k·ω = 2.2136 rad = 126.8°"
    explorer.controls["numbers"].value = True
    shown = drawings(explorer)
    assert shown["at_pk"].note == "equal to R_k · PE(p) to 9 decimals"
    assert shown["dots"].note == "every p from 0 to 63 gives these values"
    assert shown["wave"].marks == [(5, "p"), (12, "p + k")]
    explorer.controls["k"].value = 0
    assert drawings(explorer)["wave"].marks == [(5, "p")]


def test_a_pair_without_a_cosine_shows_its_sine_and_no_turn():
    explorer = positional_encoding(7, 9, pair=3)
    shown = drawings(explorer)
    assert list(shown) == ["PE", "wave"]
    assert shown["PE"].note == "dimension 6 is a sine without its cosine"
    assert shown["wave"].series == ["dim 6"]
    explorer.controls["numbers"].value = True
    assert list(drawings(explorer)) == ["PE", "wave", "dots"]
    explorer.controls["pair"].value = 2
    assert {"R", "clock0"} < drawings(explorer).keys()
    assert all(view.layout.display is None for view in explorer.views.values())
    explorer.controls["pair"].value = 3
    assert "clock0" not in drawings(explorer)


def test_a_position_beyond_the_table_still_has_a_row():
    explorer = positional_encoding(8, 10, p=8, k=30)
    note = drawings(explorer)["wave"].note
    assert "position 38 is beyond this table, but the formula covers it" in note
    explorer.controls["p"].value = 12
    note = drawings(explorer)["wave"].note
    assert "; 12 and 42 are beyond this table, but the formula covers them" in note
    explorer.controls["p"].value = 8
    explorer.controls["numbers"].value = True
    table = reference.sinusoidal_encoding(39, 8)
    np.testing.assert_allclose(explorer.values["at_pk"][:, 0], table[38, 4:6])


def test_more_than_a_full_turn_is_told_in_rounds():
    note = drawings(positional_encoding(k=13, pair=0))["clock0"].note
    assert note == "k·ω = 13.0000 rad = 744.8°, 2.07 turns"


def test_the_picture_at_rest_is_no_taller_than_a_screen():
    figure = positional_encoding().picture()
    assert figure.get_figheight() * figure.dpi <= 1000


def test_the_text_at_rest_holds_every_part():
    text = positional_encoding(4, 3, p=1, k=1, pair=0).text()
    assert "base: 10000 · d_model: 4 · length: 3" in text
    for number in ("0.84", "0.54", "0.91", "−0.42", "57.3°"):
        assert number in text


# ── the controls ────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("d_model", [1, 2, 95, 96])
@pytest.mark.parametrize("length", [1, 2, 64])
def test_every_control_reaches_its_ends(d_model, length):
    explorer = positional_encoding()
    explorer.controls["d_model"].value = d_model
    explorer.controls["length"].value = length
    for name in ("p", "k", "pair"):
        control = explorer.controls[name]
        for value in (control.min, control.max):
            control.value = value
            assert explorer.view.message == ""
    for base in (1, 100_000):
        explorer.controls["base"].value = base
    assert explorer.view.message == ""
    assert explorer.values["PE"].shape == (length, d_model)
    explorer.picture()


def test_fewer_columns_bring_the_pair_along_and_reset_brings_it_back():
    explorer = positional_encoding(32, 32, pair=10)
    explorer.controls["d_model"].value = 4
    assert (explorer.controls["pair"].value, explorer.controls["pair"].max) == (1, 1)
    assert explorer.settings["pair"] == 1
    assert explorer.view.message == ""
    explorer.reset()
    assert explorer.settings == DEFAULT | {"pair": 10, "numbers": False}
    assert explorer.controls["pair"].max == 15


@pytest.mark.parametrize("base", [500.5, 1.04, 123_456.789])
def test_a_base_of_ones_own_is_among_the_choices_and_shown_as_it_is(base):
    explorer = positional_encoding(base=base)
    assert explorer.controls["base"].value == base
    assert explorer.settings["base"] == base
    assert f"base: {base}" in explorer.text()
    assert f"base\t{base}\n" in explorer.numbers()
    assert drawings(explorer)["PE"].provenance["params"]["base"] == base


@pytest.mark.parametrize(("d_model", "pair"), [(1, 0), (4, 1), (5, 2), (64, 2)])
def test_few_columns_need_no_pair_to_be_named(d_model, pair):
    assert positional_encoding(d_model=d_model).settings["pair"] == pair


@pytest.mark.parametrize("base", [np.int64(100), np.float32(100)])
def test_numpys_numbers_are_numbers(base):
    five = np.int64(5)
    explorer = positional_encoding(five, five, base, five, five, np.uint8(1))
    assert explorer.text() == positional_encoding(5, 5, 100, 5, 5, 1).text()


@pytest.mark.parametrize(
    ("arguments", "error", "naming"),
    [
        ({"d_model": 0}, ValueError, "d_model must be 1 to 96, got 0"),
        ({"d_model": 97}, ValueError, "d_model must be 1 to 96, got 97"),
        ({"d_model": 8.0}, TypeError, "d_model must be an integer, got 8.0"),
        ({"length": 0}, ValueError, "length must be 1 to 64, got 0"),
        ({"length": 65}, ValueError, "length must be 1 to 64, got 65"),
        ({"length": True}, TypeError, "length must be an integer, got True"),
        ({"p": -1}, ValueError, "p must be 0 to 63, got -1"),
        ({"p": 64}, ValueError, "p must be 0 to 63, got 64"),
        ({"k": 64}, ValueError, "k must be 0 to 63, got 64"),
        ({"k": "7"}, TypeError, "k must be an integer, got '7'"),
        ({"pair": -1}, ValueError, "pair with d_model=48 must be 0 to 23, got -1"),
        ({"pair": 24}, ValueError, "pair with d_model=48 must be 0 to 23, got 24"),
        ({"pair": 1.0}, TypeError, "pair with .* must be an integer, got 1.0"),
        ({"pair": 0.0}, TypeError, "pair with .* must be an integer, got 0.0"),
        ({"pair": False}, TypeError, "pair with .* must be an integer, got False"),
        (
            {"d_model": np.int64(4), "pair": np.int64(3)},
            ValueError,
            "pair with d_model=4 must be 0 to 1, got 3",
        ),
        ({"d_model": None}, TypeError, "d_model must be an integer, got None"),
        ({"p": 10**5000}, ValueError, "p must be 0 to 63, got a number of thousands"),
        ({"base": 0.5}, ValueError, "base must be at least 1 and at most 1e.06"),
        ({"base": 1e7}, ValueError, "base must be at least 1 and at most 1e.06"),
        ({"base": float("nan")}, ValueError, "base must be at least 1.*got nan"),
        ({"base": "10"}, TypeError, "base must be a number, got '10'"),
    ],
)
def test_what_cannot_be_shown_is_refused(arguments, error, naming):
    with pytest.raises(error, match=naming):
        explorers.positional_encoding(**arguments)
