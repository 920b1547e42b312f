"""next_word without a browser: what it shows of a sentence is what the model says."""

import numpy as np
import pytest
from explanations import judge_drawn

from course import explorers
from course.data.jobs import HELD_OUT, VOCABULARY, probabilities
from course.experiments import cuts
from course.models import jobs

STARTS = ("Ajish works as an AI", HELD_OUT[0], "AI works as an Ajish", "Mia")


def drawing(explorer, name):
    [found] = (d for d in explorer.drawings if d.name == name)
    return found


def words(explorer):
    return drawing(explorer, "next").labels


@pytest.mark.parametrize("start", STARTS)
def test_it_shows_what_the_model_says_and_the_most_likely_words_first(start):
    said = jobs.next_word(jobs.trained(), start)
    explorer = explorers.next_word(start)
    shown = words(explorer)
    assert len(shown) == 5
    own = explorer.values["next"][:, 0]
    np.testing.assert_allclose(own, [said[word] for word in shown], atol=1e-6)
    assert (np.diff(own) <= 0).all()
    assert shown[0] == next(iter(said))


def test_a_weight_says_which_word_attends():
    weights = drawing(explorers.next_word("Mia"), "weights")
    assert weights.sentence == "{row}: how much “Mia” attends to “{column}”"


def test_the_probabilities_of_the_data_stand_beside_where_there_are_any():
    for start in STARTS:
        explorer = explorers.next_word(start)
        both = explorer.values["next"].T
        known = start in {"Ajish works as an AI", HELD_OUT[0]}
        assert len(both) == 1 + known
        assert list(drawing(explorer, "next").series) == ["model", "data"][: len(both)]
        unknown = "no sentence of the data begins like this"
        assert (unknown in explorer.text()) != known
        if known:
            true = [probabilities(start).get(word, 0.0) for word in words(explorer)]
            np.testing.assert_allclose(both[1], true)
            assert sum(true) == pytest.approx(1)  # no job of the data is left out


def test_a_job_of_the_data_is_shown_however_unlikely_the_model_finds_it():
    explorer = explorers.next_word(parameters="random")
    assert {*probabilities("Ajish works as an AI")} <= {*words(explorer)}


@pytest.mark.parametrize("start", cuts.STARTS[::40])
def test_the_weights_are_those_of_the_word_that_was_written_last(start):
    explorer = explorers.next_word(start)
    expected = cuts.attention_weights(jobs.trained(), [start])[0]
    np.testing.assert_allclose(explorer.values["weights"], expected, atol=1e-6)
    assert drawing(explorer, "weights").columns == tuple(start.split())


def test_every_number_is_what_its_explanation_comes_to():
    assert judge_drawn(explorers.next_word(STARTS[1]), 1e-4) == []


def test_the_random_parameters_are_those_before_the_training():
    explorer = explorers.next_word()
    explorer.controls["parameters"].value = "random"
    said = jobs.next_word(jobs.MODEL.untrained(), "Ajish works as an AI")
    assert words(explorer)[0] == next(iter(said))
    assert explorer.values["next"][0, 0] == pytest.approx(max(said.values()), abs=1e-6)


@pytest.mark.parametrize(
    ("sentence", "naming"),
    [
        ("Ajish works as a Pilot", "got 'Pilot'"),
        ("", "sentence must hold 1 to 8 words, got 0"),
        ("Ajish " * 9, "sentence must hold 1 to 8 words, got 9"),
    ],
)
def test_a_sentence_that_cannot_be_read_is_refused_and_the_picture_stays(
    sentence, naming
):
    explorer = explorers.next_word()
    before = explorer.text()
    explorer.controls["sentence"].value = sentence
    assert naming in explorer.view.message
    assert explorer.values["next"].shape == (5, 2)
    explorer.controls["sentence"].value = "Ajish works as an AI"
    assert explorer.view.message == ""
    assert explorer.text() == before
    with pytest.raises(ValueError, match=naming):
        explorers.next_word(sentence)


def test_other_parameters_are_refused():
    with pytest.raises(ValueError, match="parameters must be one of"):
        explorers.next_word(parameters="new")


def test_the_longest_sentence_fits():
    explorer = explorers.next_word("Ajish " * 8)
    assert explorer.values["weights"].shape == (4, 8)
    assert len(VOCABULARY) == 32
