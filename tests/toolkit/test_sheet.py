"""The sheet: every operation against NumPy and the library, and what it refuses."""

import numpy as np
import pytest
import torch

from course import explorers
from course.explorers.layers.layer_norm_lab import layer_norm_sheet
from explorable.drawing import Drawing
from explorable.explorer import Explorer
from explorable.operations import SIGNS
from explorable.sheet import Sheet
from explorable.trace import ONE, Axis
from transformer_lib import scaled_dot_product_attention
from transformer_lib.model.norms import layer_norm
from transformer_lib.oracles import numpy_reference as reference

DRAW = np.random.default_rng(4)
QUERY, KEY, FEATURE = (
    Axis.numbered(name, n) for name, n in (("query", 3), ("key", 4), ("feature", 2))
)
Q, K, V = (DRAW.normal(size=size) for size in ((3, 2), (4, 2), (4, 2)))
LOOK_4 = np.eye(4)
LOOK = np.array([[1, 0, 0, 0], [1, 1, 0, 1], [0, 0, 0, 0]])


@pytest.fixture
def s():
    return Sheet()


@pytest.fixture
def scores(s):
    q, k = s.leaf("Q", QUERY, FEATURE, Q), s.leaf("K", KEY, FEATURE, K)
    return s.matmul("scores", q, k, transposed=True)


def test_a_dot_product_is_over_the_columns_that_both_share(s, scores):
    np.testing.assert_allclose(scores.values, Q @ K.T)
    assert (scores.rows, scores.columns) == (QUERY, KEY)
    assert scores.provenance == {
        "op": "matmul",
        "inputs": ["Q", "K"],
        "params": {"transposed": True},
        "labels": [],
    }


def test_the_operations_in_a_row_are_the_librarys_attention(s, scores):
    scaled = s.elementwise("scaled", scores, ("÷", np.sqrt(2), "√2"))
    may_look = s.leaf("may look", QUERY, KEY, LOOK)
    weights = s.softmax("weights", scaled, may_look)
    output = s.matmul("output", weights, s.leaf("V", KEY, FEATURE, V))
    q, k, v = map(torch.from_numpy, (Q, K, V))
    expected = scaled_dot_product_attention(q, k, v, torch.from_numpy(LOOK == 1))
    np.testing.assert_allclose(output.values, expected[0], atol=1e-14)
    np.testing.assert_allclose(weights.values, expected[1], atol=1e-14)
    np.testing.assert_array_equal(weights.hidden, LOOK == 0)


def test_the_bare_softmax_of_nothing_is_nan(s, scores):
    masked = s.mask("masked", scores, s.leaf("may look", QUERY, KEY, LOOK))
    assert np.isnan(s.softmax("w", masked, bare=True).values[2]).all()


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize(("rows", "columns"), [(3, 2), (3, 1), (1, 2), (1, 1)])
def test_cell_by_cell_a_number_may_stand_for_a_row_a_column_or_all(
    s, sign, rows, columns
):
    a = s.leaf("a", QUERY, FEATURE, Q)
    axes = QUERY if rows > 1 else ONE, FEATURE if columns > 1 else ONE
    b = s.leaf("b", *axes, V[:rows, :columns])
    expected = {"+": Q + b.values, "−": Q - b.values, "×": Q * b.values}
    result = s.elementwise("c", a, (sign, b, ""))
    np.testing.assert_array_equal(result.values, expected.get(sign, Q / b.values))
    assert result.provenance["labels"] == ["a", f"{sign} b"]


def test_sum_mean_root_exp_and_share_are_numpys(s):
    a = s.leaf("a", QUERY, FEATURE, Q**2)
    total, mean = (s.reduce(how, a, how) for how in ("sum", "mean"))
    root = s.elementwise("r", a, ("+", 0.5, "ε"), function="√")
    power = s.elementwise("e", a, function="exp", decimals=3)
    np.testing.assert_allclose(total.values, (Q**2).sum(1, keepdims=True))
    np.testing.assert_allclose(mean.values, (Q**2).mean(1, keepdims=True))
    np.testing.assert_allclose(root.values, np.sqrt(Q**2 + 0.5))
    np.testing.assert_allclose(power.values, np.exp(Q**2).round(3))
    np.testing.assert_allclose(s.normalize_rows("s", a).values.sum(1), 1)


def test_a_stack_lays_rows_below_each_other_and_keeps_what_made_each(s):
    key = s.leaf("a", ONE, KEY, K[:, :1].T), s.leaf("b", ONE, KEY, K[:, 1:].T)
    stacked = s.stack("both", FEATURE, key)
    np.testing.assert_array_equal(stacked.values, K.T)
    assert stacked.provenance["inputs"] == ["a", "b"]
    assert stacked.provenance["rows"] == [t.provenance for t in key]


@pytest.mark.parametrize(
    ("operate", "naming"),
    [
        (
            lambda s, q, k: s.matmul(
                "x", q, s.leaf("W", KEY, KEY, LOOK_4), transposed=True
            ),
            "Q and W .* same columns",
        ),
        (
            lambda s, q, k: s.matmul("x", q, k),
            "Q and K must have the same inner labels",
        ),
        (
            lambda s, q, k: s.elementwise("x", q, ("+", k, "")),
            "Q and K must have the same axes",
        ),
        (
            lambda s, q, k: s.elementwise("x", q, ("×", 2)),
            r"^step must be \(a sign of \+ − × ÷, .* got \('×', 2\)$",
        ),
        (lambda s, q, k: s.elementwise("x", q, ("-", 2, "")), "a sign of"),
        (
            lambda s, q, k: s.stack("x", QUERY, [q, k]),
            r"Q must have one row, got shape \(3, 2\)",
        ),
        (
            lambda s, q, k: s.concat("x", FEATURE, [q, k], ["a", "b"]),
            "K and Q must have the same rows",
        ),
        (
            lambda s, q, k: s.leaf("Q", QUERY, FEATURE, Q),
            "name must be new in this sheet, got 'Q'",
        ),
        (lambda s, q, k: s.leaf("x", QUERY, KEY, Q), r"x must be 3 × 4.*\(3, 2\)"),
        (
            lambda s, q, k: Sheet().elementwise("x", q),
            "must be of this sheet, got 'Q'",
        ),
        (lambda s, q, k: s.draw(Drawing(name="x", title="")), "one of .*got 'x'"),
    ],
)
def test_what_does_not_fit_is_refused_when_the_sheet_is_made(s, operate, naming):
    q, k = s.leaf("Q", QUERY, FEATURE, Q), s.leaf("K", KEY, FEATURE, K)
    with pytest.raises(ValueError, match=naming):
        operate(s, q, k)


def test_a_drawing_of_an_unknown_array_fails_when_the_explorer_is_made():
    def sheet():
        s = Sheet()
        s.draw(Drawing(name="nowhere", title=""))
        return s

    with pytest.raises(ValueError, match="got 'nowhere'"):
        Explorer("wrong", sheet)


def test_what_shows_or_turns_over_an_input_is_editable_and_nothing_else():
    def sheet(a, look):
        s = Sheet()
        s.keep("look", look)
        s.show(s.leaf("a", QUERY, FEATURE, a))
        s.show(s.leaf("may look", QUERY, FEATURE, look), toggles="look")
        s.show(s.leaf("b", QUERY, FEATURE, a))
        return s

    explorer = Explorer("lab", sheet, inputs={"a": Q, "look": np.ones(Q.shape)})
    assert [d.editable for d in explorer.drawings] == [True, True, False]


def test_a_drawing_is_made_of_what_is_drawn_through_what_is_not(s, scores):
    for name in ("Q", "K"):
        s.show(s.tables[name])
    powers = s.elementwise("powers", scores, function="exp")
    s.show(s.normalize_rows("weights", powers))
    assert {d.name: d.sources for d in s.connected()} == {
        "Q": [],
        "K": [],
        "weights": ["Q", "K"],
    }
    s.show(scores)
    assert s.connected()[2].sources == ["scores"]


def test_a_drawing_that_names_its_sources_has_no_others(s, scores):
    """From a mask a line once led to the weights, too, not only to the scores."""
    for name in ("Q", "K"):
        s.show(s.tables[name])
    s.show(scores, sources=["K"])
    assert s.connected()[2].sources == ["K"]


@pytest.mark.parametrize("many", [8, 9])
def test_of_very_many_tables_none_is_connected_with_what_they_make(many):
    """Lines from more than eight heads would hide the table that they lead to."""
    s = Sheet()
    one = Axis.numbered("token", 2)
    heads = [s.leaf(f"head {n}", one, "feature", np.ones((2, 1))) for n in range(many)]
    names = [head.name for head in heads]
    for table in (*heads, s.concat("joined", Axis("of", names), heads, names)):
        s.show(table)
    assert s.connected()[-1].sources == (names if many == 8 else [])


@pytest.mark.parametrize("eps", [1e-5, 1.0])
def test_the_layer_norm_lab_shows_the_librarys_own_numbers(eps):
    x, gamma, beta = DRAW.normal(3, 2, (3, 5)), DRAW.normal(size=5), DRAW.normal(size=5)
    token = Axis.numbered("token", 3)
    sheet = layer_norm_sheet(x, gamma[None], beta[None], token=token, eps=eps)
    expected = layer_norm(*map(torch.from_numpy, (x, gamma, beta)), eps)
    np.testing.assert_allclose(sheet["y"], expected, atol=1e-12)
    np.testing.assert_allclose(
        sheet["y"],
        reference.layer_norm(x, {"gamma": gamma, "beta": beta}, eps),
        atol=1e-12,
    )


def test_the_layer_norm_lab_is_edited_and_explains_every_number():
    lab = explorers.layer_norm_lab([[1, 2, 6], [5, 5, 11]], ["AI", "is"])
    lab.edit("gamma", 0, 1, 2.0)
    assert lab.values["y"][0, 1] == pytest.approx(2 * lab.values["z"][0, 1])
    drawn = {d.name: d.provenance for d in lab.drawings}
    assert drawn["z"]["inputs"] == ["x", "mean", "root"]
    assert drawn["z"]["labels"] == ["x", "− μ", "÷ √(σ² + ε)"]
    given = {name for name, made in drawn.items() if made["op"] == "leaf"}
    assert given == {"x", "gamma", "beta"}


def test_an_unknown_function_is_refused_with_the_known_ones_and_how_to_add_one(s):
    a = s.leaf("a", QUERY, FEATURE, Q)
    wanted = (
        r"^function must be one of .*ReLU.*; add one by register\(\.\.\.\), got 'tan'$"
    )
    with pytest.raises(LookupError, match=wanted):
        s.elementwise("b", a, function="tan")
