"""Byte pairs: what counts as a number."""

import sys
import unicodedata

from transformer_lib.text import subwords


def test_numbers_are_all_characters_that_unicode_calls_so():
    every = map(chr, range(sys.maxunicode + 1))
    numbers = [c for c in every if unicodedata.category(c).startswith("N")]
    assert [*subwords._numbers()] == numbers
