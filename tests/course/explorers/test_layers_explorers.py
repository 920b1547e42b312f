"""The explorers of notebook 08 against the library's own layers, and their laws."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from course import explorers
from course.experiments.depth import VARIANTS, Learned, passage
from course.explorers.layers.add_and_norm import ORDERS, add_and_norm_sheet
from course.explorers.layers.deep_stack import (
    BLOCKS,
    FLOOR,
    deep_stack_sheet,
    powers,
    size,
)
from course.explorers.layers.depth_training import depth_training_sheet
from course.explorers.layers.feed_forward import feed_forward_sheet
from explorable.trace import Axis
from transformer_lib import FeedForward
from transformer_lib.model.norms import layer_norm

DRAW = np.random.default_rng(4)
X, W = DRAW.normal(3, 2, (3, 5)), DRAW.normal(size=(5, 5))
TOKEN, FEATURE = Axis.numbered("token", 3), Axis.numbered("feature", 5)
W_1, B_1 = DRAW.normal(size=(5, 4)), DRAW.normal(size=(1, 4))
W_2, B_2 = DRAW.normal(size=(4, 5)), DRAW.normal(size=(1, 5))


# ── add_and_norm ──────────────────────────────────────────────────────────────
@pytest.mark.parametrize("eps", [1e-5, 1.0])
@pytest.mark.parametrize("order", ORDERS)
def test_add_and_norm_shows_the_librarys_own_numbers(order, eps):
    x, w, gamma, beta = *map(torch.from_numpy, (X, W)), torch.ones(5), torch.zeros(5)
    x = 10 * x - 3
    expected = layer_norm(x + x @ w, gamma, beta, eps)
    if order == "pre-norm":
        expected = x + layer_norm(x, gamma, beta, eps) @ w
    moved = {"order": order, "scale": 10.0, "shift": -3.0, "eps": eps, "token": "2"}
    sheet = add_and_norm_sheet(X, W, axis=TOKEN, **moved)
    np.testing.assert_allclose(sheet["output"], expected, atol=1e-11)
    np.testing.assert_allclose(sheet["vector"][:, 1], expected[1], atol=1e-11)
    np.testing.assert_allclose(sheet["vector"][:, 0], x[1])


@pytest.mark.parametrize("order", ORDERS)
def test_bars_have_the_hues_of_the_tables_that_hold_their_numbers(order):
    made = explorers.add_and_norm(X, W, order=order)
    bars = next(d for d in made.drawings if d.kind == "bars")
    hues = dict(zip(bars.series, bars.hues, strict=True))
    assert len(set(bars.hues)) == len(hues)
    held = 0
    for table in (d for d in made.drawings if d.kind == "matrix"):
        for line in made.values[table.name]:
            for series, numbers in zip(hues, made.values["vector"].T, strict=True):
                if np.array_equal(line, numbers):
                    held += 1
                    assert hues[series] == table.palette, (series, table.name)
    assert held >= 2  # what comes in, and what goes out


@pytest.mark.parametrize("name", ["add_and_norm", "feed_forward"])
def test_the_row_of_the_token_is_framed(name):
    """The bars once showed one token while another was explained beside them."""
    one = np.ones((1, 2))
    whole = {"feed_forward": (np.eye(2), one, np.eye(2), one), "add_and_norm": (W,)}
    x = X[:, :2] if name == "feed_forward" else X
    made = getattr(explorers, name)(x, *whole[name])
    made.controls["token"].value = "2"
    framed = [d for d in made.drawings if d.kind == "matrix" and d.followed == 1]
    wanted = {
        "add_and_norm": ["x", "f", "sum", "output"],
        "feed_forward": ["x", "hidden", "y"],
    }
    assert [d.name for d in framed] == wanted[name]


def test_a_norm_says_of_each_row_its_mean_its_variance_and_what_it_is_divided_by():
    lab = explorers.layer_norm_lab(X)
    each = next(d for d in lab.drawings if d.name == "moments")
    assert list(each.columns) == ["μ", "σ²", "√(σ² + ε)"]
    wanted = X.mean(1), X.var(1), np.sqrt(X.var(1) + 1e-5)
    np.testing.assert_allclose(lab.values["moments"], np.transpose(wanted))


def test_a_norm_opens_where_the_scales_and_the_shifts_can_be_seen():
    lab = explorers.layer_norm_lab(X)
    z, y = lab.values["z"], lab.values["y"]
    np.testing.assert_allclose(y[:, 0], 2 * z[:, 0])
    np.testing.assert_allclose(y[:, -1], z[:, -1] + 1)


@pytest.mark.parametrize(("eps", "spread"), [(1e-5, "1.00"), (1.0, "0.89 to 0.95")])
def test_a_norm_states_what_all_rows_have_in_common(eps, spread):
    lab = explorers.layer_norm_lab([[0, 4], [1, 7]])
    lab.controls["eps"].value = eps
    z = next(d for d in lab.drawings if d.name == "z")
    assert z.concludes
    assert z.note == f"each row: mean 0.00, σ {spread}"


def test_bars_have_the_room_on_either_side_of_zero_that_they_need():
    lab = explorers.add_and_norm([[3, 0, 1], [0, 2, 0]], np.eye(3), order="pre-norm")
    (bars,) = (d for d in lab.drawings if d.kind == "bars")
    assert bars.scale == (-2, 8)
    lab.controls["shift"].value = -10
    (bars,) = (d for d in lab.drawings if d.kind == "bars")
    assert bars.scale[1] == 2


def test_the_bars_show_what_comes_in_and_what_goes_out_in_one_look():
    (bars,) = (d for d in explorers.add_and_norm(X, W).drawings if d.kind == "bars")
    assert bars.hues == ("scores", "output")


@pytest.mark.parametrize(
    ("order", "steps"),
    [
        ("post-norm", ["f(x)", "x + f(x)", "output"]),
        ("pre-norm", ["norm(x)", "f(norm(x))", "output"]),
    ],
)
def test_each_order_shows_its_steps_in_the_order_in_which_it_takes_them(order, steps):
    lab = explorers.add_and_norm(X, W)
    lab.controls["order"].value = order
    tables = [d for d in lab.drawings if d.kind == "matrix"]
    assert [d.title or d.name for d in tables] == ["x", "W", *steps]
    assert [d.group for d in tables] == [0, 0, 1, 1, 2]


def test_of_large_matrices_only_what_comes_in_and_goes_out_is_shown():
    """A move of the slider changes every cell of all others, too."""
    lab = explorers.add_and_norm(np.ones((9, 9)), np.eye(9))
    assert [d.name for d in lab.drawings if d.kind == "matrix"] == ["x", "W", "output"]


def test_numbers_of_thousands_fit_their_cells():
    """They were once written in letters of half the size, to hold two decimals."""
    lab = explorers.add_and_norm(X, W, order="pre-norm")
    lab.controls["scale"].value = 1000.0
    digits = {d.name: d.digits for d in lab.drawings if d.kind == "matrix"}
    assert digits == {"x": 2, "W": 2, "norm": 2, "f": 2, "output": 0}


def test_every_number_of_a_norm_is_explained_by_those_that_are_edited():
    lab = explorers.add_and_norm([[1, 2, 6], [5, 5, 11]], np.eye(3), ["AI", "is"])
    said = next(d.note for d in lab.drawings if d.name == "vector")
    assert said == "“AI”: σ 2.16 → 1.00, mean 3.00 → 0.00"
    drawn = {d.name: d for d in lab.drawings}
    editable = {name for name, d in drawn.items() if getattr(d, "editable", False)}
    assert editable == {"x", "W"}
    assert drawn["output"].provenance["inputs"] == ["sum", "mean", "root"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (([[1, 2]], np.eye(3)), r"W must be 2 × 2, got shape \(3, 3\)"),
        (([[1, 2]], np.eye(2), ["a", "b"]), "tokens must hold 1 words, got 2"),
    ],
)
def test_what_fits_no_sublayer_is_refused(arguments, says):
    with pytest.raises(ValueError, match=says):
        explorers.add_and_norm(*arguments)
    with pytest.raises(ValueError, match=r"order must be one of .* got 'both'"):
        explorers.add_and_norm([[1]], [[1]], order="both")


def test_what_is_explained_first_says_what_it_is():
    norm, units = (
        explorers.layer_norm_lab(X),
        explorers.feed_forward(X, W_1, B_1, W_2, B_2),
    )
    [z] = [d for d in norm.drawings if d.leads]
    assert z.name == "z"
    assert z.sentence.startswith("z of “{row}”, feature {column}")
    for lab in (norm, units, explorers.add_and_norm(X, W)):
        last = [d for d in lab.drawings if d.kind == "matrix" and not d.editable][-1]
        assert "of “{row}”" in last.sentence


# ── feed_forward ──────────────────────────────────────────────────────────────
@pytest.mark.parametrize("activation", ["ReLU", "GELU"])
def test_feed_forward_shows_the_librarys_own_numbers(activation):
    network = FeedForward(5, 4, activation=activation.lower()).double()
    parts = {"W_1.weight": W_1.T, "W_1.bias": B_1[0], "W_2.weight": W_2.T}
    parts |= {"W_2.bias": B_2[0]}
    network.load_state_dict({k: torch.tensor(v) for k, v in parts.items()})
    given, axes = (X, W_1, B_1, W_2, B_2), (TOKEN, FEATURE)
    sheet = feed_forward_sheet(*given, axes=axes, token="1", activation=activation)
    with torch.no_grad():
        expected = network(torch.from_numpy(X)).numpy()
    np.testing.assert_allclose(sheet["y"], expected, atol=1e-12)


@pytest.mark.parametrize(
    ("word", "off", "said"),
    [
        ("AI", "none", "“AI”: unit 1 → tech 3.00"),
        ("AI", "1", "“AI”: unit 3 → thing 0.50"),
        ("is", "none", "“is”: no unit writes"),
    ],
)
def test_a_network_states_which_units_fire_and_the_most_that_they_write(
    word, off, said
):
    x, W_1 = [[2.0, -1.0], [-1.0, 0.0]], [[0.5, 0, 0], [0, 0, -1.0]]
    lab = explorers.feed_forward(
        x,
        W_1,
        [[0, -1.0, 0]],
        [[0, 3.0], [1.0, 1.0], [0.5, 0]],
        tokens=["AI", "is"],
        features=["thing", "tech"],
    )
    lab.controls["token"].value = word
    lab.controls["off"].value = off
    y = next(d for d in lab.drawings if d.name == "y")
    assert (y.concludes, y.note) == (True, said)


def test_a_unit_that_is_off_takes_its_own_row_and_nothing_else():
    given, axes = (X, W_1, B_1, W_2, B_2), (TOKEN, FEATURE)
    both = {"axes": axes, "token": "1"}
    whole, without = (feed_forward_sheet(*given, off=n, **both) for n in ("none", "2"))
    lost = np.outer(whole["hidden"][:, 1], W_2[1])
    np.testing.assert_allclose(whole["y"] - without["y"], lost, atol=1e-12)


def test_without_an_activation_two_matrices_are_one():
    given, axes = (X, W_1, B_1, W_2, B_2), (TOKEN, FEATURE)
    y = feed_forward_sheet(*given, axes=axes, token="1", activation="none")["y"]
    np.testing.assert_allclose(y, X @ (W_1 @ W_2) + B_1 @ W_2 + B_2, atol=1e-12)


def test_without_a_second_bias_there_is_no_table_of_zeros():
    lab = explorers.feed_forward(X, W_1, B_1, W_2)
    whole = explorers.feed_forward(X, W_1, B_1, W_2, np.zeros((1, 5)))
    np.testing.assert_allclose(lab.values["y"], whole.values["y"])
    tables = [d.title or d.name for d in lab.drawings if d.kind == "matrix"]
    assert tables == ["x", "W₁", "b₁", "hidden", "W₂", "y"]
    y = next(d for d in lab.drawings if d.title == "y")
    assert "b₂" not in y.formula


@pytest.mark.parametrize("name", ["W_1", "b_1", "W_2", "b_2"])
def test_matrices_that_do_not_fit_each_other_are_refused(name):
    given = {"x": X, "W_1": W_1, "b_1": B_1, "W_2": W_2, "b_2": B_2}
    with pytest.raises(ValueError, match=rf"{name} must be"):
        explorers.feed_forward(**given | {name: np.ones((3, 3))})


def test_the_biases_stand_below_each_other():
    """W₁ and W₂ are as wide as each other: b₂ once stood to the left of b₁."""
    words = ["a", "long label", "b"]
    made = explorers.feed_forward(
        X[:, :3], W_1[:3], B_1, W_2[:, :3], B_2[:, :3], features=words
    )
    first, second = (d for d in made.drawings if d.name in ("W_1", "W_2"))
    assert first.longest == second.longest == "long label"


# ── deep_stack ────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("way", "marks"), [("nothing", [(4, "words equal")]), ("pre-norm", [])]
)
def test_the_block_after_which_all_words_are_equal_is_pointed_out(way, marks):
    """What was read first there once hid the names of the curves: the last block."""
    made = explorers.deep_stack(way)
    curves = next(d for d in made.drawings if d.kind == "curves")
    assert list(curves.marks) == marks
    if marks:
        row = marks[0][0]
        assert made.values["sizes"][row - 1, 2] > made.values["sizes"][row, 2] == -12


@pytest.mark.parametrize("way", VARIANTS)
def test_the_curves_are_the_powers_of_ten_that_were_measured(way):
    found = passage(way, 4, weights=1.4)
    sheet = deep_stack_sheet(way=way, weights=1.4, blocks=4)
    np.testing.assert_allclose(10 ** sheet["sizes"][:, 0], found.signal)
    np.testing.assert_allclose(10 ** sheet["sizes"][:, 1], found.gradient)
    assert (10 ** sheet["sizes"][:, 2] >= FLOOR * (1 - 1e-9)).all()
    assert sheet.drawings[0].marks == ()


def test_a_gradient_that_overflows_is_not_a_point_of_a_curve():
    found = passage("add", 48, weights=2.0)
    assert np.isnan(powers(found)[0, 1])
    endless = replace(found, gradient=torch.full_like(found.gradient, torch.inf))
    assert np.isnan(powers(endless)[:, 1]).all()
    note = deep_stack_sheet(way="add", weights=2.0, blocks=48).drawings[0].note
    assert "gradient at the first block: overflow" in note


def test_the_note_states_what_came_out_at_the_far_ends():
    found = passage("pre-norm", 4, weights=1.4)
    note = deep_stack_sheet(way="pre-norm", weights=1.4, blocks=4).drawings[0].note
    ends = found.signal[-1], found.gradient[0], found.difference[-1]
    said = [part.rpartition(": ")[2] for part in note.split(" · ")]
    assert said == [size(float(x)) for x in ends]


def test_a_size_is_written_in_a_few_characters():
    said = [size(x) for x in (0.0, 0.5, 12.345, 999.0, 5e9, 3e-14, np.inf)]
    assert said == [
        "0.00",
        "0.50",
        "12.35",
        "999.00",
        "10¹⁰",
        "10⁻¹⁴",
        "overflow",
    ]


def test_no_other_way_and_no_other_number_of_blocks_is_shown():
    with pytest.raises(ValueError, match=r"way must be one of .* got 'both'"):
        explorers.deep_stack("both")
    for blocks in (0, 3, 49):
        with pytest.raises(ValueError, match=r"blocks must be .*got"):
            explorers.deep_stack(blocks=blocks)
    assert explorers.deep_stack(blocks=BLOCKS[0]).settings["blocks"] == 1


# ── depth_training ────────────────────────────────────────────────────────────
def test_the_two_stacks_that_learn_best_are_named():
    shares = 0.24, 0.21, 0.18, 0.37, 0.93
    found = {
        way: Learned([1.0, 0.5], share, 0.0)
        for way, share in zip(VARIANTS, shares, strict=True)
    }
    bars, curves = depth_training_sheet(found, steps=2, blocks=1, draw="").drawings
    assert (bars.concludes, bars.note) == (
        True,
        "best: pre-norm 0.93, then post-norm 0.37",
    )
    assert bars.palette not in curves.hues  # no bar looks as if it were of one stack
