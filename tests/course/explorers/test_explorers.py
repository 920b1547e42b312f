"""Explorers without a browser: what their functions compute and refuse."""

import numpy as np
import pytest
import torch

from course import explorers
from course.explorers.attention.attention_bench import attention_sheet
from course.explorers.attention.mixing_bench import mixing_sheet
from course.explorers.attention.softmax_bench import softmax_sheet
from explorable.inputs import token_axes
from transformer_lib.oracles import numpy_reference as reference

Q = K = np.array([[1.0, 0], [0, 1], [1, 1]])
V = np.array([[1.0, 2], [3, 4], [5, 6]])
TOKENS = ["AI", "is", "powerful"]
THREE = token_axes(None, 3, 3)
SCORES = np.array([[3.0, 1, 0], [2, 4, 1], [1, 3, 5]])


def random(T, S, d_k, d_v, seed=0):
    r = np.random.default_rng(seed)
    return r.normal(size=(T, d_k)), r.normal(size=(S, d_k)), r.normal(size=(S, d_v))


# ── attention_bench ─────────────────────────────────────────────────────────────
def test_the_bench_shows_what_is_given_and_its_four_steps_in_order():
    drawn = attention_sheet(Q, K, V, axes=THREE).drawings
    steps = {1: "scores", 2: "scaled", 3: "weights", 4: "output"}
    assert [d.name for d in drawn if not d.step] == ["Q", "K", "V"]
    assert [(d.step, d.name) for d in drawn if d.step] == [*steps.items()]


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("temperature", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("mask", ["none", "causal"])
def test_the_bench_shows_what_the_reference_computes(scale, temperature, mask):
    q, k, v = random(5, 5, 4, 3)
    settings = {"scale": scale, "temperature": temperature, "mask": mask}
    steps = attention_sheet(q, k, v, axes=token_axes(None, 5, 5), **settings)
    factor = (1.0 if scale else 2.0) / temperature
    may_look = reference.causal_mask(5) if mask == "causal" else None
    output, weights = reference.scaled_dot_product_attention(q * factor, k, v, may_look)
    np.testing.assert_allclose(steps["weights"], weights, atol=1e-12)
    np.testing.assert_allclose(steps["output"], output, atol=1e-12)
    np.testing.assert_allclose(steps["scores"], q @ k.T, atol=1e-12)
    np.testing.assert_allclose(steps["scaled"], q @ k.T * factor / 2, atol=1e-12)


def test_the_bench_says_its_largest_weight_and_opens_on_that_row():
    queries = [[8, 0], [0, 0], [0, -4]]
    bench = explorers.attention_bench(queries, K, V, TOKENS)
    for edit, said, row in (
        (None, "“powerful” gives “AI” 0.89", 2),
        (("Q", 0, 1, 8.0), "“AI” gives “powerful” 0.99", 0),
        (("K", 0, 0, 3.0), "“AI” gives itself 1.00", 0),
    ):
        if edit:
            bench.edit(*edit)
        shown = {d.name: d for d in bench.drawings}
        assert (shown["weights"].note, shown["weights"].concludes) == (said, True)
        assert shown["output"].opens == row


def test_softmax_says_what_became_of_the_largest_weight():
    bench = explorers.softmax_bench(SCORES, TOKENS, TOKENS, multiply=0.5)
    says = []
    for multiply, add in ((0.5, 0.0), (1.0, 2.0), (-1.0, 0.0)):
        bench.controls["multiply"].value = multiply
        bench.controls["add"].value = add
        says += [d.note for d in bench.drawings if d.concludes]
    assert says == [
        "“powerful” gives itself 0.67, not 0.87",
        "“powerful” gives itself 0.87, as before",
        "“powerful” gives itself 0.02, not 0.87",
    ]


@pytest.mark.parametrize("temperature", [0.0, -1.0, np.inf, np.nan])
def test_a_temperature_that_means_nothing_is_refused(temperature):
    with pytest.raises(ValueError, match="temperature must be above 0 and finite, got"):
        attention_sheet(Q, K, V, axes=THREE, temperature=temperature)


def test_an_unknown_mask_is_refused():
    with pytest.raises(ValueError, match=r"mask must be one of .*, got 'left'"):
        attention_sheet(Q, K, V, axes=THREE, mask="left")


def test_queries_and_keys_of_two_texts_have_words_of_their_own():
    q, k, v = random(2, 3, 4, 2)
    bench = explorers.attention_bench(q, k, v, ["J'aime", "l'IA"], memory=TOKENS)
    weights = next(p for p in bench.view.panels if p["name"] == "weights")
    assert (weights["rows"], weights["columns"]) == (["J'aime", "l'IA"], TOKENS)
    square = explorers.attention_bench(Q, K, V, ["a", "b", "c"], memory=TOKENS)
    weights = next(p for p in square.view.panels if p["name"] == "weights")
    assert (weights["rows"], weights["columns"]) == (["a", "b", "c"], TOKENS)
    with pytest.raises(ValueError, match="memory must hold 3 words, got 2"):
        explorers.attention_bench(q, k, v, memory=["I", "love"])


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
        ((Q, K[:, :1], V), ValueError, r"Q and K .* same columns.*\(3, 2\).*\(3, 1\)"),
        ((Q, K, V[:2]), ValueError, r"V must be 3 × 2.*\(2, 2\)"),
        ((Q[0], K, V), ValueError, r"Q must be a matrix.*\(2,\)"),
        ((Q, np.zeros((0, 2)), V), ValueError, r"K must be a matrix.*\(0, 2\)"),
        ((Q, K, V * np.nan), ValueError, "V must be finite, got nan"),
        ((Q, K, V * 1e300), ValueError, r"V must stay within ±1000000, got 1e\+300"),
        ((Q, K, V, ["a", "b", "\ud800"]), ValueError, "tokens must be text"),
        ((Q, [["a", "b"]], V), TypeError, "K must be a matrix of numbers"),
        (
            (np.ones((65, 2)), K, V),
            ValueError,
            r"Q must be at most 64.*\(65, 2\)",
        ),
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


# ── softmax_bench, mixing_bench ─────────────────────────────────────────────────
@pytest.mark.parametrize("add", [-5.0, 0.0, 5.0])
def test_adding_one_number_to_every_score_leaves_the_weights(add):
    weights = softmax_sheet(SCORES, THREE, add=add)["weights"]
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


def test_a_row_whose_smallest_power_is_just_above_0_is_shown():
    lab = explorers.softmax_bench([[0.0, 0.0], [-744.5, -745.0]])
    assert (lab.values["powers"] > 0).all()


def test_mixing_divides_each_row_by_its_sum_and_averages_the_values():
    axes = token_axes(None, 1, 2)
    steps = mixing_sheet(np.array([[1.0, 3.0]]), np.array([[0.0], [8.0]]), axes)
    np.testing.assert_allclose(steps["weights"], [[0.25, 0.75]])
    np.testing.assert_allclose(steps["output"], [[6.0]])


@pytest.mark.parametrize(
    ("shares", "naming"),
    [
        ([[0.5, -0.5]], "not be negative, got -0.5"),
        ([[1.0, 1.0], [0.0, 0.0]], "none in row 2"),
        ([[1.0, 1.0, 1.0]], r"V must be 3 × 1, .* got shape \(2, 1\)"),
    ],
)
def test_mixing_refuses_shares_of_nothing(shares, naming):
    with pytest.raises(ValueError, match=naming):
        explorers.mixing_bench(shares, [[1.0], [2.0]])
