"""The DALL-E of the course."""

import pytest
import torch

from course.data.captions import LENGTH, VOCABULARY, captions_of
from course.data.shapes import (
    SCENES,
    Scene,
    drawn,
    held_out_scenes,
    learned_scenes,
    seen,
)
from course.models import dalle
from transformer_lib import Sampling

SAID = ["a red square at the top left", "the plus in the middle is green"]
HALF = drawn(Scene("red", "square", "middle left")).flatten()[:24]


def test_it_draws_what_new_captions_say():
    assert dalle.accuracy(dalle.trained(), held_out_scenes()) >= 0.99


def test_at_the_temperature_that_is_advised_too():
    assert dalle.accuracy(dalle.trained(), held_out_scenes(), dalle.AS_ADVISED) >= 0.95


def test_it_draws_cells_and_the_same_chance_draws_the_same():
    model = dalle.trained()
    cells = dalle.draw(model, SAID)
    assert seen(cells[0]) == Scene("red", "square", "top left")
    assert seen(cells[1]) == Scene("green", "plus", "middle middle")
    hot = Sampling(temperature=2.0)
    first, again = (
        dalle.draw(model, SAID, hot, torch.Generator().manual_seed(1)) for _ in range(2)
    )
    assert first.equal(again)


def test_it_goes_on_with_a_picture_that_was_begun():
    cells = dalle.draw(dalle.trained(), ["a red square at the left"], begun=HALF)
    assert cells.flatten()[:24].equal(HALF)
    assert seen(cells[0]) == Scene("red", "square", "middle left")


def test_probabilities_are_those_by_which_a_picture_is_drawn():
    model = dalle.trained()
    cells = dalle.draw(model, SAID)
    p = dalle.probabilities(model, SAID[:1], cells[0].flatten())
    assert p.shape == (1, 64, 9)
    assert p[0].argmax(-1).equal(cells[0].flatten())
    assert torch.allclose(p.sum(-1), torch.ones(1, 64), atol=1e-2)
    cold = dalle.probabilities(
        model, SAID[:1], cells[0].flatten(), Sampling(temperature=0.1)
    )
    assert (cold.amax(-1) >= p.amax(-1) - 1e-6).all()


def test_a_step_knows_the_caption_and_the_cells_before_it_alone():
    model = dalle.trained()
    whole = dalle.probabilities(model, SAID, drawn(SCENES[100]).flatten())
    begun = dalle.probabilities(model, SAID, drawn(SCENES[100]).flatten()[:24])
    assert begun.shape == (2, 25, 9)
    assert torch.allclose(begun, whole[:, :25], atol=1e-5)
    assert not torch.allclose(whole[0, 0], whole[1, 0], atol=1e-3)


@pytest.mark.parametrize(
    ("begun", "says"),
    [
        (torch.zeros(64).long(), r"^cells must have shape \(n ≤ 63,\), got \(64,\)"),
        (torch.zeros(2, 3).long(), r"^cells must have shape \(n ≤ 63,\), got \(2,"),
        (torch.tensor([9]), r"^cells must lie between 0 and 8, got \[9\]"),
        (torch.tensor([0, -1]), r"^cells must lie between 0 and 8, got \[-1\]"),
    ],
)
def test_what_is_no_beginning_is_refused(begun, says):
    with pytest.raises(ValueError, match=says):
        dalle.draw(dalle.trained(), SAID, begun=begun)


def test_a_picture_has_no_more_than_64_cells():
    with pytest.raises(ValueError, match=r"^cells must have shape \(n ≤ 64,\), got"):
        dalle.probabilities(dalle.trained(), SAID, torch.zeros(65).long())


def test_a_beginning_of_broken_numbers_is_refused():
    with pytest.raises(TypeError, match=r"^cells must hold int64 or int32"):
        dalle.draw(dalle.trained(), SAID, begun=torch.zeros(3))


def test_the_loss_is_that_of_the_cells_alone():
    model, _ = dalle.begin(steps=1)
    tokens = dalle.examples(torch.Generator().manual_seed(0), 3)
    with torch.inference_mode():
        log_p = model(tokens).log_softmax(-1)  # (B, T, V)
        told = dalle.drawing_loss(model, tokens)
    places = range(LENGTH, LENGTH + 64)
    own = [log_p[b, t - 1, tokens[b, t]] for b in range(3) for t in places]
    assert torch.isclose(told, -torch.stack(own).mean(), atol=1e-5)


@pytest.mark.parametrize("split", ["triples", "choice", "pairs"])
def test_nothing_new_is_learned_and_pictures_are_of_their_captions(split):
    tokens = dalle.examples(torch.Generator().manual_seed(0), 400, split)
    known = {*learned_scenes(split)}
    for row in tokens:
        scene = seen((row[LENGTH:] - dalle.WORDS).view(8, 8))
        words = VOCABULARY.decode(row[:LENGTH][row[:LENGTH] != 0])[1:]
        assert scene in known
        assert " ".join(words) in captions_of(scene)


def test_a_word_in_the_place_of_a_cell_is_seen():
    model, _ = dalle.begin(steps=1)
    with torch.no_grad():
        model.embedding.weight[7] = model.embedding.weight[7] + 50
        model.decoder.norm.gamma.zero_()
        model.decoder.norm.beta.fill_(1.0)  # so that the word of id 7 is always said
    assert (dalle.draw(model, SAID) == -1).all()
