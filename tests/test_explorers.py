"""Explorers without a browser: the functions, the edits, the picture at rest."""

import base64

import numpy as np
import pytest
import torch

from transformer_lib import explorers, reference
from transformer_lib.explorers.attention_bench import attention_steps
from transformer_lib.explorers.mixing_bench import mixing_steps
from transformer_lib.explorers.scale_lab import SIZES, scale_steps
from transformer_lib.explorers.softmax_bench import softmax_steps
from transformer_lib.explorers.views import parse_number

Q = K = np.array([[1.0, 0], [0, 1], [1, 1]])
V = np.array([[1.0, 2], [3, 4], [5, 6]])
TOKENS = ["AI", "is", "powerful"]


@pytest.fixture
def bench():
    return explorers.attention_bench(Q, K, V, TOKENS)


def random(T, S, d_k, d_v, seed=0):
    r = np.random.default_rng(seed)
    return r.normal(size=(T, d_k)), r.normal(size=(S, d_k)), r.normal(size=(S, d_v))


# ── attention_bench ─────────────────────────────────────────────────────────────
@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("temperature", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("mask", ["none", "causal"])
def test_the_bench_shows_what_the_reference_computes(scale, temperature, mask):
    q, k, v = random(5, 5, 4, 3)
    steps = attention_steps(q, k, v, scale=scale, temperature=temperature, mask=mask)
    factor = (1.0 if scale else 2.0) / temperature
    may_look = reference.causal_mask(5) if mask == "causal" else None
    output, weights = reference.scaled_dot_product_attention(q * factor, k, v, may_look)
    np.testing.assert_allclose(steps["weights"], weights, atol=1e-12)
    np.testing.assert_allclose(steps["output"], output, atol=1e-12)
    np.testing.assert_allclose(steps["scores"], q @ k.T, atol=1e-12)
    np.testing.assert_allclose(steps["scaled"], q @ k.T * factor / 2, atol=1e-12)


@pytest.mark.parametrize("size", [1e-3, 1.0, 300.0])
def test_the_terms_that_a_cell_lists_add_up_to_it(size):
    q, k, v = random(4, 4, 3, 2)
    s = attention_steps(q * size, k, v, mask="causal")
    np.testing.assert_allclose(s["scores.products"].sum(-1), s["scores"], atol=1e-9)
    np.testing.assert_allclose(s["output.products"].sum(-1), s["output"], atol=1e-12)
    share = s["weights.parts"] / s["weights.total"]
    np.testing.assert_allclose(share, s["weights"], atol=1e-12)
    power = np.exp(s["scaled"] - s["weights.shift"]) * s["weights.open"]
    np.testing.assert_allclose(power, s["weights.parts"], rtol=1e-9)


@pytest.mark.parametrize("temperature", [0.0, -1.0, np.inf, np.nan])
def test_a_temperature_that_means_nothing_is_refused(temperature):
    with pytest.raises(ValueError, match="temperature must be finite and above 0, got"):
        attention_steps(Q, K, V, temperature=temperature)


def test_an_unknown_mask_is_refused():
    with pytest.raises(ValueError, match="mask must be 'none' or 'causal', got 'left'"):
        attention_steps(Q, K, V, mask="left")


def test_a_causal_mask_without_as_many_keys_keeps_the_last_good_picture():
    bench = explorers.attention_bench(*random(2, 3, 4, 2))
    before = bench.view.data
    bench.controls["mask"].value = "causal"
    assert bench.view.message == (
        "a causal mask needs as many queries as keys, got 2 and 3"
    )
    assert bench.view.data == before
    bench.controls["mask"].value = "none"
    assert bench.view.message == ""


@pytest.mark.parametrize(
    ("arguments", "error", "naming"),
    [
        ((Q, K[:, :1], V), ValueError, r"d_k.*\(3, 2\).*\(3, 1\)"),
        ((Q, K, V[:2]), ValueError, r"number of keys.*\(3, 2\).*\(2, 2\)"),
        ((Q[0], K, V), ValueError, r"Q must be a matrix.*\(2,\)"),
        ((Q, np.zeros((0, 2)), V), ValueError, r"K must be a matrix.*\(0, 2\)"),
        ((Q, K, V * np.nan), ValueError, "V must be finite, got nan"),
        ((Q, K, V * 1e300), ValueError, r"V must stay within ±1000000, got 6e\+300"),
        ((Q, K, V, ["a", "b", "\ud800"]), ValueError, "tokens must be text"),
        ((Q, [["a", "b"]], V), TypeError, "K must be a matrix of numbers"),
        ((np.ones((33, 2)), K, V), ValueError, r"Q may be 32 a side.*\(33, 2\)"),
        ((Q, K, V, ["AI"]), ValueError, "tokens must hold 3 words, got 1"),
        ((Q, K, V, "abc"), TypeError, "tokens must be a list of words, got 'abc'"),
        ((Q, K, V, ["a", "b", 3]), TypeError, "tokens must be a list of words"),
        ((Q[:2], K, V, ["a", "b"]), ValueError, "2 queries and 3 keys"),
        ((Q, K, V, ["a", "b", "c" * 201]), ValueError, "200 characters.*201"),
    ],
)
def test_the_bench_refuses_what_it_cannot_show(arguments, error, naming):
    with pytest.raises(error, match=naming):
        explorers.attention_bench(*arguments)


def test_the_bench_leaves_its_callers_arrays_alone():
    q = Q.copy()
    bench = explorers.attention_bench(q, K, V)
    bench.edit("Q", 0, 0, 7.0)
    np.testing.assert_array_equal(q, Q)


def test_the_bench_takes_tensors_and_lists():
    a = explorers.attention_bench(torch.tensor(Q), K.tolist(), V)
    np.testing.assert_allclose(
        a.values["weights"][0], [0.4011, 0.1978, 0.4011], atol=5e-5
    )


# ── edits ───────────────────────────────────────────────────────────────────────
def ask(bench, **content):
    """Send what the page would send and return what it would hear."""
    heard = []
    bench.view.send = heard.append
    message = {"type": "edit", "panel": "Q", "row": 0, "column": 1, "nudge": 0}
    bench.view._answer(None, {**message, **content}, None)
    return heard[0]


def test_an_edit_moves_everything_that_depends_on_it(bench):
    assert ask(bench, text="2.5")["type"] == "accepted"
    changed = Q.copy()
    changed[0, 1] = 2.5
    output, _ = reference.scaled_dot_product_attention(changed, K, V)
    np.testing.assert_allclose(bench.values["output"], output, atol=1e-12)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("abc", "“abc” is not a number"),
        ("", "“” is not a number"),
        ("0,5", "“0,5” is not a number: write the decimal point as a point"),
        ("nan", "out of range"),
        ("inf", "out of range"),
        ("1e7", "out of range"),
        ("<img src=x onerror=alert(1)>", "“<img src=x onerror=…” is not a number"),
        ("9" * 10_000, "out of range"),
        ("\ud800", "is not a number"),
    ],
)
def test_an_edit_that_is_no_number_changes_nothing_and_says_why(bench, text, why):
    before = bench.view.data, bench.values, bench.inputs
    answer = ask(bench, text=text)
    assert answer["type"] == "refused"
    assert why in answer["why"]
    assert (bench.view.data, bench.values, bench.inputs) == before


@pytest.mark.parametrize(
    "where",
    [{"panel": "weights"}, {"row": 9}, {"column": -9}, {"row": None}, {"panel": None}],
)
def test_an_edit_of_a_cell_that_is_not_there_is_refused(bench, where):
    before = bench.view.data
    assert ask(bench, text="1", **where)["type"] == "refused"
    assert bench.view.data == before


def test_a_nudge_steps_by_a_tenth_without_rounding_noise(bench):
    assert ask(bench, text="0.2", nudge=0.1)["text"] == "0.3"
    assert bench.inputs["Q"][0, 1] == 0.3


@pytest.mark.parametrize(
    ("text", "value"), [(" 1.5 ", 1.5), ("−2", -2), ("1e-3", 1e-3)]
)
def test_the_usual_ways_to_write_a_number_are_read(text, value):
    assert parse_number(text) == value


def test_reset_brings_back_controls_matrices_and_picture(bench):
    first = bench.view.data
    bench.controls["temperature"].value = 3.0
    bench.controls["mask"].value = "causal"
    bench.edit("V", 2, 1, -8.0)
    bench.view.pin = {"panel": "scores", "row": 0, "column": 0}
    assert bench.view.data != first
    bench.reset()
    assert bench.view.data == first
    assert bench.view.pin is None
    assert bench.controls["mask"].value == "none"


# ── softmax_bench, mixing_bench, scale_lab ──────────────────────────────────────
SCORES = np.array([[3.0, 1, 0], [2, 4, 1], [1, 3, 5]])


@pytest.mark.parametrize("add", [-5.0, 0.0, 5.0])
def test_adding_one_number_to_every_score_leaves_the_weights(add):
    weights = softmax_steps(SCORES, add=add)["weights"]
    np.testing.assert_allclose(weights, reference.softmax(SCORES), atol=1e-12)


def test_the_softmax_bench_shows_the_right_table_for_the_documents_scores():
    right = [[0.84, 0.11, 0.04], [0.11, 0.84, 0.04], [0.02, 0.12, 0.87]]
    weights = explorers.softmax_bench(SCORES).values["weights"]
    np.testing.assert_allclose(weights, right, atol=0.005)


def test_a_score_whose_power_overflows_is_refused_with_the_limit():
    bench = explorers.softmax_bench(SCORES)
    with pytest.raises(ValueError, match="at most 700, got 1000"):
        bench.edit("scores", 0, 0, 1000.0)
    assert bench.values["scores"][0, 0] == 3


def test_a_row_whose_powers_all_vanish_is_refused_with_the_limit():
    with pytest.raises(ValueError, match="above −745, got -1000"):
        explorers.softmax_bench([[-1000.0, -2000.0]])


def test_after_a_refusal_text_and_picture_tell_the_last_good_run():
    bench = explorers.softmax_bench(SCORES)
    bench.edit("scores", 0, 0, 600.0)
    before = bench.text()
    bench.controls["multiply"].value = 4.0
    assert "at most 700" in bench.view.message
    assert bench.text() == before


@pytest.mark.parametrize(
    ("text", "nudge", "value"), [("1e-12", 0, 1e-12), ("1e-11", 0.1, 0.1)]
)
def test_a_tiny_number_is_kept_as_it_was_typed(bench, text, nudge, value):
    ask(bench, text=text, nudge=nudge)
    assert bench.inputs["Q"][0, 1] == value


def test_a_nudge_cannot_pass_the_limit(bench):
    answer = ask(bench, text="1000000", nudge=1)
    assert "out of range" in answer["why"]


def test_a_word_that_the_font_lacks_is_drawn_without_a_warning():
    explorers.attention_bench([[1.0]], [[1.0]], [[1.0]], ["注意"])._repr_mimebundle_()


def test_mixing_divides_each_row_by_its_sum_and_averages_the_values():
    steps = mixing_steps(np.array([[1.0, 3.0]]), np.array([[0.0], [8.0]]))
    np.testing.assert_allclose(steps["weights"], [[0.25, 0.75]])
    np.testing.assert_allclose(steps["output"], [[6.0]])


@pytest.mark.parametrize(
    ("shares", "naming"),
    [
        ([[0.5, -0.5]], "not be negative, got -0.5"),
        ([[1.0, 1.0], [0.0, 0.0]], "none in row 2"),
        ([[1.0, 1.0, 1.0]], r"\(1, 3\) and V \(2, 1\)"),
    ],
)
def test_mixing_refuses_shares_of_nothing(shares, naming):
    with pytest.raises(ValueError, match=naming):
        explorers.mixing_bench(shares, [[1.0], [2.0]])


@pytest.mark.parametrize("d_k", SIZES)
def test_the_spread_of_scores_grows_as_the_root_of_d_k_unless_divided(d_k):
    raw = scale_steps(d_k=d_k, scale=False)["average"][0]
    divided = scale_steps(d_k=d_k, scale=True)["average"][0]
    assert raw[0] == pytest.approx(np.sqrt(d_k), rel=0.2)
    assert divided[0] == pytest.approx(1.0, rel=0.2)


def test_without_the_scale_the_slope_dies_as_d_k_grows():
    slopes = [scale_steps(d_k=n, scale=False)["average"][0, 2] for n in SIZES]
    assert slopes == sorted(slopes, reverse=True)
    assert slopes[-1] < 0.1 * slopes[0]


@pytest.mark.parametrize("scale", [True, False])
def test_the_slope_is_the_gradient_that_autograd_finds(scale):
    steps = scale_steps(d_k=16, scale=scale)
    scores = torch.from_numpy(steps["scores"][0])
    slope = torch.autograd.functional.jacobian(lambda s: torch.softmax(s, -1), scores)
    np.testing.assert_allclose(steps["slope"], slope.numpy(), atol=1e-12)


@pytest.mark.parametrize("d_k", [0, 1025, -4])
def test_a_d_k_out_of_range_is_refused(d_k):
    with pytest.raises(ValueError, match=f"d_k must be between 1 and 1024, got {d_k}"):
        scale_steps(d_k=d_k, scale=True)


# ── at rest ─────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "explorer",
    [
        lambda: explorers.attention_bench(Q, K, V, TOKENS),
        lambda: explorers.attention_bench(*random(32, 32, 8, 4)),
        lambda: explorers.attention_bench([[1.0]], [[1.0]], [[1.0]]),
        lambda: explorers.attention_bench([[0.0]], [[0.0]], [[0.0]], ["$x^$"]),
        lambda: explorers.softmax_bench(SCORES),
        lambda: explorers.mixing_bench([[0.5, 0.5], [1, 0]], [[1.0], [2]], ["a", "b"]),
        explorers.scale_lab,
    ],
)
def test_an_explorer_leaves_a_picture_and_its_numbers(explorer):
    bundle = explorer()._repr_mimebundle_()
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert len(bundle["image/png"]) < 1_000_000


def test_the_text_at_rest_holds_the_numbers_of_every_panel(bench):
    text = bench.text()
    assert "scale: on · temperature: 1.0 · mask: none" in text
    for number in ("0.4011", "0.1978", "0.2483", "0.5035", "3.4067", "4.5105"):
        assert number in text


def test_masked_cells_read_hidden_in_the_text(bench):
    bench.controls["mask"].value = "causal"
    assert bench.text().count("hidden") == 2 * 3
