"""Sentences of many lengths in one block."""

import pytest
import torch

from course.data.batches import padded
from transformer_lib import padding_mask


def test_padding_stands_behind_the_shorter_sentences_and_is_all_that_is_added():
    sentences = [[3, 4, 5], [6], [7, 8]]
    ids = padded(sentences, 0)
    assert ids.dtype == torch.int64
    assert ids.tolist() == [[3, 4, 5], [6, 0, 0], [7, 8, 0]]
    real = padding_mask(ids, pad_id=0)[:, 0, 0]
    assert [row[own].tolist() for row, own in zip(ids, real, strict=True)] == sentences


def test_a_block_may_be_wider_than_its_longest_sentence_and_not_narrower():
    assert padded([[1], [2, 3]], 9, length=3).tolist() == [[1, 9, 9], [2, 3, 9]]
    with pytest.raises(ValueError, match=r"^sentences must be at most 1 long, got 2"):
        padded([[1], [2, 3]], 9, length=1)


def test_no_sentence_and_no_word_are_refused():
    with pytest.raises(ValueError, match=r"^sentences must hold at least one"):
        padded([], 0)
    with pytest.raises(ValueError, match=r"^length must be at least 1"):
        padded([[]], 0)
