"""Captions: each is true of one scene."""

import pytest
import torch

from course.data import captions as said
from course.data.shapes import SCENES, Scene

ALL = {scene: said.captions_of(scene) for scene in SCENES}


def test_no_caption_is_true_of_two_scenes():
    every = [caption for captions in ALL.values() for caption in captions]
    assert len({*every}) == len(every)


def test_captions_say_a_scene_in_many_ways():
    found = ALL[Scene("red", "square", "top left")]
    assert "a red square at the top left" in found
    assert "in the upper left there is a box that is scarlet" in found
    assert ALL[Scene("green", "cross", "middle middle")][0] == (
        "a green cross in the middle"
    )


def test_ids_are_the_words_behind_the_start_and_padding_behind_them():
    ids = said.in_ids(["a red square", "the green cross"])
    assert ids.shape == (2, said.LENGTH)
    assert said.VOCABULARY.decode(ids[0])[:5] == [
        "⟨SOS⟩",
        "a",
        "red",
        "square",
        "⟨PAD⟩",
    ]
    assert (ids[:, 4:] == said.PAD_ID).all()


@pytest.mark.parametrize(
    ("caption", "says"),
    [
        ("a pink square", "'pink' is not in the vocabulary"),
        ("", r"^caption must have 1 to 12 words, got 0 of them$"),
        ("a " * 13, r"^caption must have 1 to 12 words, got 13 of them$"),
    ],
)
def test_what_is_no_caption_is_refused(caption, says):
    with pytest.raises(ValueError, match=says):
        said.in_ids(["a red square", caption])


def test_no_captions_are_refused():
    with pytest.raises(ValueError, match=r"^sentences must hold at least one"):
        said.in_ids([])
    with pytest.raises(TypeError, match=r"^captions must be a list or a tuple, got st"):
        said.in_ids("a red square")


def test_captions_that_are_drawn_are_those_of_their_scenes():
    scenes = torch.arange(len(SCENES))
    ids = said.captions(scenes, torch.Generator().manual_seed(0))
    for scene, row in zip(SCENES, ids, strict=True):
        words = said.VOCABULARY.decode(row[row != said.PAD_ID])[1:]
        assert " ".join(words) in ALL[scene]
    for scene, caption in zip(SCENES, said.captions_for(SCENES), strict=True):
        assert caption in ALL[scene]


def test_a_seed_draws_the_same_captions_again():
    assert said.captions_for(SCENES) == said.captions_for(SCENES)
    assert said.captions_for(SCENES) != said.captions_for(SCENES, seed=2)
