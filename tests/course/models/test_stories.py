"""The model of the course that writes stories."""

import torch

from course.data.stories import VOCABULARY, held_out
from course.models import stories

IDS = torch.tensor([VOCABULARY.encode(story) for story in held_out(100)])


def test_it_predicts_the_words_of_new_stories():
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
