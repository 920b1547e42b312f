"""nearness_training without a browser: its losses and distances are the training's."""

from itertools import islice

import numpy as np
import pytest

from course import explorers
from course.explorers.embedding.nearness_training import nearness_training_sheet
from course.models.nearness import train_steps

PAIRS = [("cat", "dog"), ("cat", "mat")]


@pytest.mark.parametrize("taken", [0, 3])
def test_what_was_learned_so_far_is_drawn_and_the_rest_is_empty(taken):
    *_, found = islice(train_steps(seed=0), taken + 1)
    sheet = nearness_training_sheet(found, pairs=PAIRS, draw="0")
    losses = sheet.arrays["losses"][:, 0]
    assert len(found.losses) == taken
    np.testing.assert_array_equal(losses[:taken], found.losses)
    assert np.isnan(losses[taken:]).all()
    distances = sheet.arrays["distances"]
    np.testing.assert_array_equal(distances, [found.distance(*p) for p in PAIRS])


def test_a_word_that_is_not_learned_is_refused():
    with pytest.raises(ValueError, match="words of the data, got 'whale'"):
        explorers.nearness_training(("cat", "dog"), ("cat", "whale"))
