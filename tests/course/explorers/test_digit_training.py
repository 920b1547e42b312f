"""digit_training without a browser: a ViT learns, and is looked at meanwhile."""

import numpy as np
import pytest

from course import explorers
from course.explorers.vision.digit_training import asked, stages
from course.models import vit

WAY = "¾ pixel, 10°"


@pytest.fixture(scope="module")
def trained():
    return explorers.digit_training(7, steps=3)


def test_it_is_the_training_of_the_course(trained):
    model, training = vit.begin(0, steps=3)
    np.testing.assert_allclose(trained.values["losses"][:, 0], list(training))
    pictures, names = asked()
    said = vit.probabilities(model, pictures[6:7])[0]
    np.testing.assert_allclose(trained.values["probabilities"][:, 0], said, atol=1e-6)
    share = vit.score(model, asked())
    assert trained.drawings[-1].note.startswith(f"It reads {share:.0%} of")
    assert trained.drawings[1].labels[int(names[6])].endswith("✓")


def test_over_the_digit_lies_where_the_class_token_looks(trained):
    weights = trained.values["digit.weights"]
    model = trained.finish().model
    looks = vit.attention_weights(model, asked().pictures[6])[-1, :, 0]  # (H, 17)
    np.testing.assert_allclose(weights.flatten(), looks[:, 1:].mean(0), atol=1e-6)
    assert 0 < weights.sum() < 1  # the rest looks at the class token itself


def test_another_digit_is_shown_to_the_same_training(trained):
    before = trained.values["losses"].copy()
    trained.controls["number"].value = 3
    np.testing.assert_allclose(trained.values["digit"], asked().pictures[2])
    np.testing.assert_array_equal(trained.values["losses"], before)
    trained.reset()


def test_new_digits_are_asked_before_the_first_step_on_the_way_and_after_the_last():
    found = list(stages(WAY, 0, 21))
    asked_at = [n for n in range(1, 22) if found[n].right is not found[n - 1].right]
    assert asked_at == [20, 21]
    assert found[0].losses == []


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ({"number": 0}, "number must be 1 to 200, got 0"),
        ({"way": "none"}, "way must be one of"),
        ({"steps": 0}, "steps must be 1 to 2048, got 0"),
        ({"steps": 3000}, "steps must be 1 to 2048, got 3000"),
    ],
)
def test_what_cannot_be_learned_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        explorers.digit_training(**call)
