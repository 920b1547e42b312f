"""The model of the course that writes stories."""

import torch

from course.data.stories import VOCABULARY, new
from course.models.generation import stories
from transformer_lib import load_checkpoint

IDS = torch.tensor([VOCABULARY.encode(story) for story in new(100)])


def test_it_foretells_the_words_of_new_stories():
    """0.75 is about what the grammar leaves open; by guessing it would be log 69."""
    with torch.inference_mode():
        assert stories.next_word_loss(stories.trained(), IDS) < 0.79


def test_the_loss_is_that_of_every_word_but_the_first():
    model, _ = stories.begin(steps=1)
    with torch.inference_mode():
        log_p = model(IDS[:3]).log_softmax(-1)  # (B, T, V)
        told = stories.next_word_loss(model, IDS[:3])
    own = [log_p[b, t, IDS[b, t + 1]] for b in range(3) for t in range(63)]
    assert torch.isclose(told, -torch.stack(own).mean())


def test_the_command_makes_the_model_and_says_how_it_does(tmp_path, capsys):
    stories.main(tmp_path / "s.safetensors", steps=1)
    assert "log p of a new word" in capsys.readouterr().out
    model, made = load_checkpoint(tmp_path / "s.safetensors")
    assert model.config == stories.trained().config
    assert made.words == VOCABULARY.words


def test_a_model_of_other_steps_is_trained_and_the_kept_one_is_not():
    assert stories.of_length(stories.STEPS, 0) is stories.trained()
    one, other = (stories.of_length(1, seed) for seed in (0, 1))
    assert one.config == stories.SIZES
    assert not one(IDS[:1]).equal(other(IDS[:1]))
