"""Controls: what a field of text offers while one types."""

import ipywidgets as W

from explorable.controls import side_by_side, text


def test_a_field_lists_the_words_that_may_end_its_text_or_follow_it():
    field = text("sentence", "the Cat,", 3, words=["the", "cat"])
    follow = ("the Cat, the", "the Cat, cat")
    assert field.options == (*follow, "the the", "the cat")
    field.value = "the ca"  # half a word is not followed
    assert field.options == ("the the", "the cat")
    field.value = "the the cat"  # nor is a text as long as it may be
    assert field.options == ("the the the", "the the cat")
    field.value = ""
    assert field.options == ("the", "cat")
    assert not hasattr(text("sentence", "the cat", 3), "options")


def test_views_stand_in_a_row_and_one_alone_needs_none():
    one, other = W.HTML(), W.HTML()
    assert side_by_side([one]) is one
    assert side_by_side([one, other]).children == (one, other)
