"""sequence_training without a browser: a model learns, and is looked at meanwhile."""

import numpy as np
import pytest

from course import explorers
from course.data.sequences import EOS_ID, LETTERS, SOS_ID, VOCABULARY
from course.experiments import learning
from course.explorers.training import sequence_training
from course.explorers.training.sequence_training import pair_of, stages


@pytest.fixture(scope="module")
def trained():
    return explorers.sequence_training("bagged", steps=3)


def test_it_is_the_training_of_the_experiment(trained):
    model, training = learning.begin(steps=3)
    np.testing.assert_allclose(trained.values["losses"][:, 0], list(training))
    new = learning.TASK.held_out(100)
    places = learning.teacher_forced(model, new, learning.PAD_ID).token_accuracy
    assert f"100 held-out strings: {places:.0%} of tokens" in trained.drawings[-1].note


def test_each_row_holds_the_probabilities_behind_the_right_tokens(trained):
    probabilities = trained.values["probabilities"]
    assert probabilities.shape == (7, len(VOCABULARY))
    np.testing.assert_allclose(probabilities.sum(1), 1, rtol=1e-5)
    drawing = trained.drawings[0]
    assert [*drawing.rows] == ["⟨SOS⟩", *"deggab"]
    framed = [VOCABULARY.words[w] for w in drawing.outlined.argmax(1)]
    assert framed == [*"deggab", "⟨EOS⟩"]


@pytest.mark.parametrize(
    ("written", "said"),
    [("deggab", "“deggab”, all correct"), ("dega", "“dega”, not “deggab”")],
)
def test_it_concludes_with_what_the_model_writes_by_itself(
    written, said, trained, monkeypatch
):
    monkeypatch.setattr(sequence_training, "write", lambda *_: [[*written]])
    trained.controls["letters"].value = "jade"
    trained.reset()
    drawing = trained.drawings[0]
    assert (drawing.concludes, drawing.note) == (True, f"free-running output: {said}")


def test_other_letters_are_asked_of_the_same_training(trained):
    before = trained.values["losses"].copy()
    trained.controls["letters"].value = "jade"
    assert trained.values["probabilities"].shape == (5, len(VOCABULARY))
    np.testing.assert_array_equal(trained.values["losses"], before)
    trained.reset()


def test_a_pair_is_read_and_said_backwards():
    source, target = pair_of("abj")
    assert VOCABULARY.decode(source[0]) == ["a", "b", "j"]
    assert target[0].tolist() == [SOS_ID, *VOCABULARY.encode([*"jba"]), EOS_ID]


def test_the_curve_does_not_show_what_a_random_model_costs(trained):
    """Notebook 12 asks whether it costs less than one probability for all, or more."""
    _, (_, top) = trained.drawings[-1].limits
    assert top < 0.8 * np.log(len(VOCABULARY))


def test_new_texts_are_asked_before_the_first_step_on_the_way_and_after_the_last():
    found = list(stages("baseline", 0, 21))
    asked = [n for n in range(1, 22) if found[n].tokens is not found[n - 1].tokens]
    assert len(found) == 22
    assert asked == [20, 21]
    assert found[0].losses == []


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        ({"letters": "xyz"}, ValueError, "letters must be of a … j, got 'xyz'"),
        ({"letters": LETTERS}, TypeError, "string|sentence|text"),
        ({"letters": "abcdefghijj"}, ValueError, "letters must be at most 10, got 11"),
        ({"letters": ""}, ValueError, "word"),
        ({"variant": "faster"}, ValueError, "variant must be one of"),
        ({"steps": 0}, ValueError, "steps must be 1 to 2048, got 0"),
        ({"steps": 3000}, ValueError, "steps must be 1 to 2048, got 3000"),
    ],
)
def test_what_cannot_be_learned_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        explorers.sequence_training(**call)


@pytest.mark.parametrize(("letters", "row"), [("bagged", 4), ("abc", -1), ("aaa", 2)])
def test_what_can_be_followed_by_two_letters_is_explained_first(letters, row):
    lab = explorers.sequence_training(letters, steps=1)
    [table] = [d for d in lab.drawings if d.kind == "matrix"]
    assert table.opens == row
