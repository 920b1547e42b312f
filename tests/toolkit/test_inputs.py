"""What explorers accept and refuse: matrices, whole numbers, words, edits."""

import numpy as np
import pytest
import torch

from course import explorers
from explorable import controls
from explorable.inputs import (
    brief,
    labels,
    matrix_input,
    some_words,
    whole_number,
    whole_numbers,
)

SQUARE = np.eye(2)


@pytest.mark.parametrize(
    ("matrix", "error", "naming"),
    [
        ([[10**400]], ValueError, "Q must stay within ±1000000, got 10000.*…$"),
        ([[10**5000]], ValueError, "got a number of thousands of digits$"),
        ([[1000000.5]], ValueError, "Q must stay within ±1000000, got 1000000.5"),
        ([[1j]], TypeError, "Q must be a matrix of numbers, got .*1j"),
        ([["1"]], TypeError, "Q must be a matrix of numbers, got .*'1'"),
        ([[None]], TypeError, "Q must be a matrix of numbers, got .*None"),
        ([[1, 2], [3]], TypeError, "Q must be a matrix of numbers"),
        (np.ma.masked_array([[1.0]], [[True]]), TypeError, "matrix of numbers"),
        (np.array([["2026-01-01"]], "datetime64[D]"), TypeError, "matrix of numbers"),
        (torch.empty(2, 2, device="meta"), TypeError, "matrix of numbers"),
        ("a" * 100_000, TypeError, "matrix of numbers"),
    ],
)
def test_a_matrix_of_no_real_numbers_is_refused_in_one_short_line(
    matrix, error, naming
):
    with pytest.raises(error, match=naming) as refusal:
        matrix_input("Q", matrix)
    assert len(str(refusal.value)) < 120


@pytest.mark.parametrize(
    "matrix",
    [
        torch.eye(2).to_sparse(),
        torch.eye(2, requires_grad=True, dtype=torch.bfloat16),
        np.eye(2, dtype=bool),
        np.eye(2, dtype=np.int8),
        ((1, 0), (0, 1.0)),
    ],
)
def test_a_matrix_comes_in_many_forms(matrix):
    np.testing.assert_array_equal(matrix_input("Q", matrix), SQUARE)


@pytest.mark.parametrize("value", [8, np.int64(8), np.uint8(8), torch.tensor(8)])
def test_a_whole_number_may_be_numpys(value):
    assert whole_number("d_model", value, 1, 8) == 8


@pytest.mark.parametrize(
    ("value", "error", "naming"),
    [
        (2.0, TypeError, "d_model must be an integer, got 2.0"),
        ([8], TypeError, r"d_model must be an integer, got \[8\]"),
        (True, TypeError, "d_model must be an integer, got True"),
        (0, ValueError, "d_model must be 1 to 8, got 0"),
        (9, ValueError, "d_model must be 1 to 8, got 9"),
    ],
)
def test_another_number_is_refused(value, error, naming):
    with pytest.raises(error, match=naming):
        whole_number("d_model", value, 1, 8)


@pytest.mark.parametrize("given", [(2, 0), iter([2, 0]), np.array([2, 0]), [2, 0]])
def test_a_list_of_whole_numbers_comes_in_many_forms(given):
    found = whole_numbers("order", given, 0, 2)
    assert found == [2, 0]
    assert {type(number) for number in found} == {int}


@pytest.mark.parametrize(
    ("given", "error", "naming"),
    [
        (5, TypeError, "order must be a list of whole numbers, got 5"),
        ("01", TypeError, "order must be a list of whole numbers, got '01'"),
        ([0, 1.0], TypeError, "a number in order must be an integer, got 1.0"),
        ([0, 3], ValueError, "a number in order must be 0 to 2, got 3"),
    ],
)
def test_another_list_is_refused(given, error, naming):
    with pytest.raises(error, match=naming):
        whole_numbers("order", given, 0, 2)


@pytest.mark.parametrize(
    ("kind", "given", "error", "naming"),
    [
        (
            "slider",
            ("a", 3.0, 0, 2, 0.1),
            ValueError,
            "a must be .* most 2, got 3.0",
        ),
        (
            "slider",
            ("a b", "1", 0, 2, 1, "c"),
            TypeError,
            "c must be a number, got '1'",
        ),
        ("whole", ("a", 3, 0, 2), ValueError, "a must be 0 to 2, got 3"),
        ("whole", ("a b", 1.0, 0, 2, "c"), TypeError, "c must be an integer, got 1.0"),
        ("stops", ("a", [1, 2, 4], 3), ValueError, r"a must be one of \[1, 2, 4\].* 3"),
        ("stops", ("a b", [1, 2], 2.0, "c"), TypeError, "c must be an integer, got 2"),
        ("stops", ("a", [0.5, 1.0], 2.0), ValueError, "a must be one of .* got 2.0"),
        ("choice", ("a", ["x"], ""), ValueError, "a must be one of .* got ''"),
        ("choice", ("a b", ["x"], "z", "c"), ValueError, "c must be one of .* 'z'"),
        ("text", ("a", "one two", 1), ValueError, "a must hold 1 words, got 2"),
    ],
)
def test_a_control_does_not_begin_with_what_it_cannot_show(kind, given, error, naming):
    with pytest.raises(error, match=naming):
        getattr(controls, kind)(*given)


def test_words_may_come_from_a_generator_and_are_read_once():
    words = (w for w in ("a", "b"))
    assert labels("tokens", words, 2) == ["a", "b"]
    with pytest.raises(ValueError, match="tokens must hold 1 to 4 words, got 0"):
        some_words("tokens", words, 1, 4)


@pytest.mark.parametrize("given", [5, "abc", ["a", 3], b"ab", [None]])
def test_what_is_no_list_of_words_is_refused(given):
    with pytest.raises(TypeError, match="tokens must be a list of words, got"):
        labels("tokens", given, 2)


def test_a_long_value_is_named_in_brief():
    assert len(brief(["word"] * 10_000)) == 60
    assert brief(np.eye(2)) == "array([[1., 0.], [0., 1.]])"


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (np.nan, ValueError),
        (np.inf, ValueError),
        (1e300, ValueError),
        (10**400, ValueError),
        (None, TypeError),
        ("abc", TypeError),
        (1j, TypeError),
    ],
)
def test_an_edit_by_a_program_is_held_to_what_a_reader_may_type(value, error):
    bench = explorers.attention_bench(SQUARE, SQUARE, SQUARE)
    with pytest.raises(error, match=r"Q must (hold|be|stay)"):
        bench.edit("Q", 0, 0, value)
    np.testing.assert_array_equal(bench.inputs["Q"], SQUARE)
