"""The CLIP of the course."""

import math

import pytest
import torch

from course.data import captions
from course.data.shapes import (
    SCENES,
    every_drawing,
    held_out_scenes,
    learned_scenes,
    photographed,
    rgb,
)
from course.models import clip

PICTURES = rgb(every_drawing()[:20, 0])  # red squares and red frames
SAID = ["a red square at the top left", "a box in the middle", "cyan"]


def test_it_finds_what_belongs_together_among_64_that_are_new():
    shares = clip.top_1(clip.trained(), rounds=10)
    assert min(shares) >= 0.96


def test_pictures_and_captions_become_vectors_of_length_1():
    model = clip.trained()
    with torch.inference_mode():
        p = model.of_pictures(PICTURES)
        t = model.of_texts(captions.in_ids(SAID))
    assert torch.allclose(p.norm(dim=-1), torch.ones(20))
    assert torch.allclose(t.norm(dim=-1), torch.ones(3))
    compared = clip.similarities(model, PICTURES, SAID)
    assert torch.allclose(compared, p @ t.T, atol=1e-6)


def test_padding_behind_a_caption_is_not_read():
    model = clip.trained()
    ids = captions.in_ids(SAID[:1])
    with torch.inference_mode():
        short = model.of_texts(ids[:, :8])  # ⟨SOS⟩ and seven words
        assert torch.allclose(short, model.of_texts(ids), atol=1e-5)


def test_the_loss_asks_rows_and_columns_for_their_own():
    s, t = torch.randn(5, 5, generator=torch.Generator().manual_seed(0)), 0.5
    p, q = (s / t).softmax(1), (s / t).softmax(0)
    expected = -(p.diagonal().log() + q.diagonal().log()).mean() / 2
    assert torch.isclose(clip.contrastive_loss(s, torch.tensor(t)), expected)
    blind = clip.contrastive_loss(torch.zeros(8, 8), torch.tensor(t))
    assert blind.item() == pytest.approx(math.log(8))


def test_probabilities_are_of_captions_for_a_picture_and_of_pictures_for_a_caption():
    compared = clip.similarities(clip.trained(), PICTURES, SAID)
    by_picture, by_caption = clip.probabilities(compared, 0.1)
    assert torch.allclose(by_picture.sum(1), torch.ones(20))
    assert torch.allclose(by_caption.sum(0), torch.ones(3))
    hot, _ = clip.probabilities(compared, 1e6)
    assert torch.allclose(hot, torch.tensor(1 / 3), atol=1e-4)
    with pytest.raises(ValueError, match=r"^temperature must be above 0"):
        clip.probabilities(compared, 0)


def test_a_word_that_it_does_not_know_is_named():
    with pytest.raises(ValueError, match="'dog' is not in the vocabulary"):
        clip.similarities(clip.trained(), PICTURES, ["a red dog"])


@pytest.mark.parametrize("split", ["triples", "choice"])
def test_nothing_new_is_learned_and_no_scene_twice_at_once(split):
    known = {s: captions.captions_of(s) for s in learned_scenes(split)}
    scene_of = {caption: s for s, own in known.items() for caption in own}
    for seed in range(5):
        draw = torch.Generator().manual_seed(seed)
        pictures, ids = clip.matches(draw, split=split)
        words = [captions.VOCABULARY.decode(row[row != 0])[1:] for row in ids]
        assert len({scene_of[" ".join(w)] for w in words}) == len(pictures) == 64


def test_a_picture_is_of_its_caption():
    """Where noise and light are away, the picture's brightest cell has the color."""
    asked = torch.arange(0, len(SCENES), 9)
    pictures, ids = clip.of_scenes(asked, torch.Generator().manual_seed(0))
    for n, picture, row in zip(asked.tolist(), pictures, ids, strict=True):
        words = " ".join(captions.VOCABULARY.decode(row[row != 0])[1:])
        assert words in captions.captions_of(SCENES[n])
        clean = rgb(every_drawing()[n])  # (4, 3, 8, 8)
        nearest = photographed(every_drawing()[n], torch.Generator(), noise=0.0)
        assert clean.shape == nearest.shape == (4, *picture.shape)
        errors = [(picture - way).square().mean() for way in clean]
        others = (picture - rgb(every_drawing()[(n + 54) % 432])).square()
        assert min(errors) < others.mean((1, 2, 3)).min()


def test_a_model_that_compares_perfectly_finds_all():
    class Perfect(torch.nn.Module):
        def forward(self, pictures, ids):
            return torch.eye(len(pictures))

    assert clip.top_1(Perfect(), rounds=1) == (1, 1)
    assert clip.top_1(Perfect(), held_out_scenes("choice"), rounds=1) == (1, 1)
    with pytest.raises(ValueError, match=r"^scenes must hold at least one, got none$"):
        clip.top_1(Perfect(), [])
