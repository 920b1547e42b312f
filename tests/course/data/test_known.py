"""A word that a model does not know is refused with some that it knows."""

import pytest
from gallery import GALLERY, SENTENCES

from course.data.known import check_known, plain

WORDS = ["⟨PAD⟩", "the", "cat", "dog", "mouse", "tree", ",", "slept"]


def test_known_words_are_accepted():
    check_known("sentence", ["the", "cat", ","], WORDS)
    assert plain(WORDS) == WORDS[1:]


@pytest.mark.parametrize(
    ("word", "such"),
    [("mose", "“mouse”, "), ("xyzzy", "“the”, “dog”, “tree”"), ("é" * 99, "“the”")],
)
def test_a_refusal_names_words_that_are_spelled_alike_or_a_few_of_all(word, such):
    with pytest.raises(ValueError, match=f"^source must hold .*, such as {such}.*got"):
        check_known("source", ["the", word], WORDS)


#: Those that read any word: they split it, or have a token for what is unknown.
FREE = {"tokens", "word_order", "define", "fill", "speculative"}
KNOWING = [(n, c) for n in SENTENCES if n not in FREE for c in SENTENCES[n]]


@pytest.mark.parametrize(("name", "control"), KNOWING)
def test_a_refusal_names_words_in_every_explorer_that_has_them(name, control):
    explorer = GALLERY[name].make(4)
    if "task" in explorer.controls:
        explorer.controls["task"].value = "question"
    field = explorer.controls[control]
    field.value = " ".join([*field.value.split()[:-1], "xyzzy"])
    said = explorer.view.message
    assert "such as “" in said or "be of a … j" in said, said
    assert "xy" in said


@pytest.mark.parametrize(
    ("name", "control"),
    [at for at in KNOWING if at[0] not in ("coreference", "sequence_training")],
)
def test_what_is_offered_while_one_types_is_accepted(name, control):
    explorer = GALLERY[name].make(4)
    field = explorer.controls[control]
    offered = field.options
    assert len(offered) > 20
    for text in offered[:: len(offered) // 3]:
        field.value = text
        assert explorer.view.message == "", text
        assert any(one.startswith(text) for one in field.options)
