"""pictures_and_captions without a browser: what it shows is what the CLIP compares."""

import numpy as np
import pytest
import torch
from explanations import judge_drawn

from course import explorers
from course.data.captions import captions_of
from course.data.shapes import held_out_scenes
from course.explorers.vision.pictures_and_captions import SETS, set_of
from course.models import clip

PICTURES = [f"picture {n}" for n in (1, 2, 3, 4)]


def shown(explorer):
    """The four pictures that are drawn, as the model reads them, and what is said."""
    cells = np.stack([explorer.values[name] for name in PICTURES])
    pictures = torch.tensor(cells.reshape(4, 8, 8, 3)).permute(0, 3, 1, 2).float()
    notes = {d.name: d.note for d in explorer.drawings}
    return pictures, [notes[name] for name in PICTURES]


@pytest.mark.parametrize("temperature", [None, 0.3])
@pytest.mark.parametrize("pictures", [1, SETS])
def test_it_shows_what_the_model_makes_of_what_is_drawn(temperature, pictures):
    look = {"temperature": temperature, "pictures": pictures}
    explorer = explorers.pictures_and_captions("a box", **look)
    drawn, said = shown(explorer)
    model = clip.trained()
    alike = clip.similarities(model, drawn, [*said, "a box"])  # (4, 5)
    np.testing.assert_allclose(explorer.values["similarities"], alike, atol=1e-5)
    cold = explorer.settings["temperature"]
    assert cold == (temperature or round(clip.temperature(model), 3))
    captions, pictures = clip.probabilities(alike, cold)
    np.testing.assert_allclose(explorer.values["probabilities"], captions, atol=1e-4)
    explorer.controls["asks"].value = "each caption"
    np.testing.assert_allclose(explorer.values["similarities"], alike.mT, atol=1e-5)
    np.testing.assert_allclose(explorer.values["probabilities"], pictures.mT, atol=1e-4)
    np.testing.assert_allclose(explorer.values["probabilities"].sum(1), 1)


@pytest.mark.parametrize("asks", ["each picture", "each caption"])
def test_every_number_is_what_its_explanation_comes_to(asks):
    explorer = explorers.pictures_and_captions(asks=asks)
    assert judge_drawn(explorer, 1e-9) == []


def test_ones_own_caption_is_compared_with_every_picture_and_changes_no_other_row():
    explorer = explorers.pictures_and_captions(temperature=0.1, asks="each caption")
    drawn, _ = shown(explorer)
    others = explorer.values["probabilities"][:4].copy()
    for said in ("a square", "white", "the  box in the middle is red"):
        explorer.controls["caption"].value = said
        alike = clip.similarities(clip.trained(), drawn, [said])
        _, probabilities = clip.probabilities(alike, 0.1)  # (4, 1)
        found = explorer.values["similarities"][4], explorer.values["probabilities"][4]
        np.testing.assert_allclose(
            found, torch.cat([alike, probabilities], 1).mT, atol=1e-4
        )
        np.testing.assert_array_equal(explorer.values["probabilities"][:4], others)


def test_a_true_caption_said_once_more_shares_the_probabilities_of_its_picture():
    explorer = explorers.pictures_and_captions(temperature=0.1)
    _, [said, *_] = shown(explorer)
    explorer.controls["caption"].value = said
    first = explorer.values["probabilities"][0]
    assert first[0] == pytest.approx(first[4])
    assert first.argmax() in (0, 4)


def test_the_scenes_are_new_and_each_picture_stands_above_its_own_caption():
    of = {said: scene for scene in held_out_scenes() for said in captions_of(scene)}
    for number in range(1, SETS + 1):
        scenes = {of[said] for said in set_of(number).captions}
        assert len(scenes) == 4
    explorer = explorers.pictures_and_captions()
    assert (
        np.diag(explorer.values["probabilities"]) > 0.2
    ).all()  # better than by chance


def test_the_colder_the_surer():
    explorer = explorers.pictures_and_captions()
    sure = []
    for temperature in explorer.controls["temperature"].options:
        explorer.controls["temperature"].value = temperature
        sure.append(explorer.values["probabilities"].max(axis=1))
    assert (np.diff(sure, axis=0) < 1e-12).all()


@pytest.mark.parametrize(
    ("caption", "naming"),
    [
        ("a pink square", "caption must hold words that the model knows, .* 'pink'"),
        ("a ⟨SOS⟩", "caption must hold words that the model knows"),
        ("", "caption must hold 1 to 12 words, got 0"),
        ("red " * 13, "caption must hold 1 to 12 words, got 13"),
    ],
)
def test_a_caption_that_cannot_be_read_is_refused_and_the_picture_stays(
    caption, naming
):
    explorer = explorers.pictures_and_captions()
    before = explorer.values["probabilities"]
    explorer.controls["caption"].value = caption
    assert naming.split(" .*")[0] in explorer.view.message
    np.testing.assert_array_equal(explorer.values["probabilities"], before)
    with pytest.raises(ValueError, match=naming):
        explorers.pictures_and_captions(caption)
