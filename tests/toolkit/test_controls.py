"""Controls: what a field of text offers while one types."""

import ipywidgets as W

from explorable.controls import (
    one_of,
    side_by_side,
    stops,
    text,
    told_apart,
    typed_beside,
)


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


def test_a_word_is_chosen_by_itself_and_one_that_stands_twice_by_its_number():
    assert told_apart(["AI", "is  \n it"]) == ["AI", "is it"]
    assert told_apart(["the", "cat", "the"]) == ["1: the", "2: cat", "3: the"]
    assert told_apart(["AI", " "]) == ["1: AI", "2: "]


def test_few_words_are_buttons_and_many_a_list():
    assert isinstance(one_of("token", ["AI", "is"], 1), W.ToggleButtons)
    many = one_of("token", [f"word {n}" for n in range(20)], 19)
    assert isinstance(many, W.Dropdown)
    assert many.value == "word 19"


def test_views_stand_in_a_row_and_one_alone_needs_none():
    one, other = W.HTML(), W.HTML()
    assert side_by_side([one]) is one
    assert side_by_side([one, other]).children == (one, other)


def test_a_small_stop_is_written_as_a_power_of_ten_and_stays_a_number():
    slider = stops("ε", (3e-6, 1e-5, 0.1), 1e-5)
    assert slider.get_state()["_options_labels"] == ("3 · 10⁻⁶", "10⁻⁵", "0.1")
    slider.value = 0.1
    slider.value = 3e-6
    assert (slider.index, slider.options) == (0, (3e-6, 1e-5, 0.1))


def test_a_large_stop_has_a_comma_and_may_be_typed_with_it_or_without():
    slider = stops("tokens", (512, 1024, 2048), 1024)
    assert slider.get_state()["_options_labels"] == ("512", "1,024", "2,048")
    assert [typed_beside(slider, text) for text in ("2,048", "2048")] == [2048] * 2
