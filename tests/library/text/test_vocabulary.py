"""The vocabulary: words and ids are two names for one thing."""

import numpy as np
import pytest
import torch

from transformer_lib.text.vocabulary import Vocabulary, tokenize

SPECIAL = {
    "pad": "⟨pad⟩",
    "sos": "⟨sos⟩",
    "eos": "⟨eos⟩",
    "unknown": "⟨unk⟩",
}


def test_decoding_undoes_encoding():
    words = ["Ajish", "works", "as", "an", "AI"]
    vocabulary = Vocabulary(words)
    assert vocabulary.decode(vocabulary.encode(words)) == words
    assert vocabulary.decode(torch.tensor([4, 0])) == ["AI", "Ajish"]


def test_a_string_is_split_at_spaces():
    vocabulary = Vocabulary(["AI", "is", "powerful"])
    assert vocabulary.encode("AI is powerful") == [0, 1, 2]


def test_ids_follow_the_first_appearance_with_special_tokens_first():
    vocabulary = Vocabulary(["b", "a", "b", "c"], **SPECIAL)
    assert vocabulary.words == [*SPECIAL.values(), "b", "a", "c"]
    special = vocabulary.pad_id, vocabulary.sos_id, vocabulary.eos_id
    assert (*special, vocabulary.unknown_id) == (0, 1, 2, 3)
    assert len(vocabulary) == 7
    assert "a" in vocabulary
    assert "z" not in vocabulary


def test_a_token_that_was_not_asked_for_has_no_id():
    assert Vocabulary(["a"], pad="_").sos_id is None


def test_an_unseen_word_becomes_the_unknown_token_where_there_is_one():
    assert Vocabulary(["a"], unknown="?").encode("a b") == [1, 0]


def test_one_hot_rows_are_the_rows_of_the_identity():
    vocabulary = Vocabulary(list("abcd"))
    rows = vocabulary.one_hot([2, 0])
    assert rows.tolist() == [[0, 0, 1, 0], [1, 0, 0, 0]]
    assert vocabulary.one_hot([]).shape == (0, 4)


def test_one_hot_rows_of_a_large_vocabulary_need_no_identity_matrix():
    vocabulary = Vocabulary([str(i) for i in range(200_000)])  # whose square: 160 GB
    rows = vocabulary.one_hot(torch.tensor([199_999]))
    assert rows.shape == (1, 200_000)
    assert rows.argmax() == 199_999
    assert rows.dtype == torch.get_default_dtype()


def test_a_long_vocabulary_prints_its_first_words():
    shown = repr(Vocabulary([str(i) for i in range(30)]))
    assert shown == "Vocabulary of 30: 0, 1, 2, 3, 4, 5, 6, 7, …"


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: Vocabulary("abc"), TypeError, "words must be a list.*'abc'"),
        (lambda: Vocabulary(["a", 3]), TypeError, "words must be strings, got 3"),
        (lambda: Vocabulary([]), ValueError, "words must hold at least one"),
        (lambda: Vocabulary(["a"], pad="x", eos="x"), ValueError, "must differ"),
        (lambda: Vocabulary(["a"]).encode("b"), ValueError, "'b' is not in"),
        (lambda: Vocabulary(["a"]).decode([1]), IndexError, "between 0 and 0, got 1"),
        (lambda: Vocabulary(["a"]).decode([-1]), IndexError, "got -1"),
        (lambda: Vocabulary(["a"]).decode([0.0]), TypeError, "integers, got 0.0"),
        (lambda: Vocabulary(["a"]).one_hot([2]), IndexError, "got 2"),
        (
            lambda: Vocabulary(["a"]).decode(torch.zeros(1, 1)),
            ValueError,
            r"shape \(T,\), got \(1, 1\)",
        ),
    ],
)
def test_what_is_no_word_and_no_id_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (lambda: Vocabulary(["a"], pad=0), "pad must be a string or None, got 0"),
        (lambda: Vocabulary(5), "words must be a list of strings, got 5"),
        (lambda: Vocabulary([["a"]]), r"words must be strings, got \['a'\]"),
        (lambda: Vocabulary(["a"]).encode(5), "words must be strings, got 5"),
        (lambda: Vocabulary(["a"]).decode(5), "ids must be integers, got 5"),
        (lambda: Vocabulary(["a"]).one_hot(None), "ids must be integers, got None"),
    ],
)
def test_words_that_are_no_words_are_named(act, says):
    with pytest.raises(TypeError, match=says):
        act()


def test_ids_may_be_any_integers():
    assert Vocabulary(["a", "b", "c"]).decode(np.array([2, 0])) == ["c", "a"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Ajish works as an AI.", ["Ajish", "works", "as", "an", "AI", "."]),
        ("  it's\n42 %", ["it", "'", "s", "42", "%"]),
        ("⟨SOS⟩J’aime l’IA", ["⟨SOS⟩", "J", "’", "aime", "l", "’", "IA"]),
        (" \t ", []),
    ],
)
def test_a_text_is_cut_into_words_and_marks(text, tokens):
    assert tokenize(text) == tokens


def test_only_a_string_is_cut():
    with pytest.raises(TypeError, match="words must be strings, got 5"):
        tokenize(5)
