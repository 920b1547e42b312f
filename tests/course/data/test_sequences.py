"""Letters to copy and to reverse: what is learned, and what is new."""

from functools import cache

import pytest
import torch

from course.data.pairs import EOS, PAD, SOS
from course.data.sequences import (
    HELD_OUT_FROM,
    LETTERS,
    MOST,
    ORDERS,
    VOCABULARY,
    Sequences,
)


def texts(pairs):
    """The letters of sources, and of targets between their ends."""
    read, said = [], []
    for source, target in zip(*pairs, strict=True):
        letters = VOCABULARY.decode(source)
        first, *words = VOCABULARY.decode(target)
        end = words.index(EOS)
        assert first == SOS
        assert set(words[end + 1 :]) <= {PAD}
        said.append("".join(words[:end]))
        read.append("".join(letters).rstrip(PAD))
    return read, said


def learned(order="copy", count=20_000):
    return Sequences(order).batch(torch.Generator().manual_seed(0), count)


@cache
def learned_texts():
    """The sources of many texts that are learned."""
    return texts(learned())[0]


@pytest.mark.parametrize("order", ORDERS)
def test_what_is_said_is_what_is_read_in_its_order(order):
    for pairs in (learned(order, 500), Sequences(order).held_out(500)):
        read, said = texts(pairs)
        assert said == (read if order == "copy" else [text[::-1] for text in read])
        assert {*"".join(read)} == {*LETTERS}


def is_held_out(text):
    return len(text) >= HELD_OUT_FROM and sum(map(LETTERS.index, text)) % 10 == 0


def test_no_new_text_is_learned():
    assert not any(map(is_held_out, learned_texts()))
    new, _ = texts(Sequences("copy").held_out())
    assert all(map(is_held_out, new))
    assert len({*new}) > 990


def test_every_length_is_learned_as_often_and_every_letter_at_every_place():
    read = learned_texts()
    for length in range(1, MOST + 1):
        own = [text for text in read if len(text) == length]
        assert len(own) == pytest.approx(2000, rel=0.1)
        for place in range(length):
            counts = [sum(text[place] == letter for text in own) for letter in LETTERS]
            assert min(counts) > 0.7 * len(own) / len(LETTERS)


def test_the_shorter_texts_that_would_be_new_are_learned():
    short = [text for text in learned_texts() if len(text) < HELD_OUT_FROM]
    assert any(sum(map(LETTERS.index, text)) % 10 == 0 for text in short)


def test_a_batch_follows_from_its_generator():
    assert torch.equal(learned().source, learned().source)
    pairs = Sequences("copy").batch(torch.Generator().manual_seed(1), 20_000)
    assert not torch.equal(pairs.source, learned().source)


def test_a_batch_is_no_wider_than_its_longest_text():
    pairs = learned(count=1)
    assert pairs.target.shape == (1, pairs.source.size(1) + 2)


def test_an_order_that_is_neither_is_named():
    with pytest.raises(ValueError, match=r"^order must be one of \['copy', 'reverse'"):
        Sequences("sorted")
