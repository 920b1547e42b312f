"""masked_words: what it shows of a hidden word is what the models of the course say."""

import numpy as np
import pytest

from course import explorers
from course.data.masked_words import MASK, VOCABULARY
from course.explorers.language.masked_words_training import stages
from course.models import bert

SENTENCE = "the cat sits on the mat which is soft"
WORDS = SENTENCE.split()
SIDES = ("the left alone", "both sides")


def drawing(explorer, name):
    return next(d for d in explorer.drawings if d.name == name)


def asked(hidden):
    return " ".join(MASK if n == hidden else w for n, w in enumerate(WORDS, start=1))


@pytest.mark.parametrize("sees", SIDES)
@pytest.mark.parametrize("hidden", [1, 6, 9])
def test_the_guess_is_that_of_the_model_that_has_learned_to_see_so(hidden, sees):
    right = sees == "both sides"
    said = bert.fill_in(bert.trained(right=right), asked(hidden), right=right)
    explorer = explorers.masked_words(SENTENCE, hidden=hidden, sees=sees)
    *labels, others = drawing(explorer, "guess").labels
    own = [label.removesuffix(" ✓") for label in labels]
    *shares, rest = explorer.values["guess"][:, 0]
    np.testing.assert_allclose(shares, [said[word] for word in own], atol=1e-6)
    assert rest == pytest.approx(sum(p for w, p in said.items() if w not in own))
    assert others == f"{len(VOCABULARY) - len(own):,} others"
    stood = [word for word, label in zip(own, labels, strict=True) if "✓" in label]
    assert stood == [WORDS[hidden - 1]]  # it is there however unlikely it is
    most_likely = [*said][: len(own)]
    assert own == most_likely or own[:-1] == most_likely[:-1]


@pytest.mark.parametrize("hidden", [1, 6, 9])
def test_without_the_right_side_no_word_there_changes_the_guess(hidden):
    first = explorers.masked_words(SENTENCE, hidden=hidden, sees="the left alone")
    seen = first.values["sees"][0]
    assert seen.tolist() == [1.0] * hidden + [0.0] * (len(WORDS) - hidden)
    np.testing.assert_array_equal(drawing(first, "sees").hidden[0], seen == 0)
    words = [w if one else "the" for w, one in zip(WORDS, seen, strict=True)]
    other = explorers.masked_words(" ".join(words), hidden=hidden, sees=SIDES[0])
    np.testing.assert_allclose(first.values["guess"], other.values["guess"], atol=1e-5)
    both = explorers.masked_words(SENTENCE, hidden=hidden, sees="both sides")
    assert both.values["sees"].all()


def test_each_word_says_from_where_it_is_seen():
    seen = drawing(explorers.masked_words(SENTENCE, hidden=6), "sees")
    assert seen.sentence == "“{column}”, seen from the place of the hidden word"


def test_what_is_saved_at_first_hides_what_the_right_side_tells():
    explorer = explorers.masked_words()
    assert "no" in drawing(explorer, "sees").table(explorer.values)[1]
    assert explorer.controls["sees"].value == "the left alone"


def test_a_click_on_a_word_hides_it():
    explorer = explorers.masked_words()
    explorer.view._answer(
        None, {"type": "choose", "panel": "sees", "row": 0, "column": 1}, None
    )
    assert explorer.controls["hidden"].value == 2
    assert drawing(explorer, "sees").columns == ("the", MASK, *WORDS[2:])


@pytest.mark.parametrize("explore", ["masked_words", "masked_words_training"])
@pytest.mark.parametrize(
    ("call", "naming"),
    [
        ({"sentence": "the mat", "hidden": 3}, "hidden must be 1 to 2, got 3"),
        ({"hidden": 0}, "hidden must be 1 to 9, got 0"),
        (
            {"sentence": "the pilot sleeps"},
            "sentence must .* the model knows, .* got 'pilot'",
        ),
        ({"sentence": "the " * 17}, "sentence must hold 1 to 16 words, got 17"),
    ],
)
def test_a_word_that_is_not_there_is_refused(explore, call, naming):
    with pytest.raises(ValueError, match=naming):
        getattr(explorers, explore)(**call)


def test_other_sides_and_steps_are_refused():
    with pytest.raises(ValueError, match="sees must be one of"):
        explorers.masked_words(sees="the right alone")
    with pytest.raises(ValueError, match="steps must be 1 to 2048, got 0"):
        explorers.masked_words_training(steps=0)


def test_a_word_that_is_not_known_is_refused_in_a_line_and_the_picture_stays():
    explorer = explorers.masked_words()
    before = explorer.text()
    explorer.controls["sentence"].value = "The unicorn."
    assert "got 'unicorn'" in explorer.view.message
    assert explorer.text() == before
    explorer.controls["hidden"].value = 9
    assert explorer.text() == before


@pytest.mark.parametrize("explore", ["masked_words", "masked_words_training"])
def test_the_words_to_hide_end_with_the_sentence(explore):
    options = {"steps": 1} if explore == "masked_words_training" else {}
    explorer = getattr(explorers, explore)(SENTENCE, **options)
    place = explorer.controls["hidden"]
    assert place.max == len(WORDS)
    explorer.controls["sentence"].value = "The mat."
    assert (explorer.view.message, place.value, place.max) == ("", 2, 2)
    assert explorer.settings["hidden"] == 2
    assert "mat ✓" in drawing(explorer, "guess").labels
    explorer.reset()
    assert (explorer.view.message, place.value, place.max) == ("", 6, len(WORDS))
    explorer.close()


# ── its training ────────────────────────────────────────────────────────────────
@pytest.fixture(scope="module")
def training():
    return explorers.masked_words_training(SENTENCE, steps=2)


def test_it_is_the_training_of_the_model(training):
    model, steps = bert.begin(steps=2)
    losses = list(steps)
    found = training.finish()
    np.testing.assert_allclose(found.losses, losses)
    said = bert.fill_in(model, asked(6))
    label = drawing(training, "guess").labels[0].removesuffix(" ✓")
    assert label == next(iter(said))
    assert training.values["guess"][0, 0] == pytest.approx(said[label], abs=1e-6)
    share = bert.score(model, bert.questions(20))["knowable"]
    assert training.values["right"][-1, 0] == pytest.approx(share)
    assert f"mean loss of the last 2: {np.mean(losses):.2f}" in training.text()


def test_new_words_are_asked_before_the_first_step_on_the_way_and_at_the_end():
    found = list(stages(0, 3))
    assert [len(stage.losses) for stage in found] == [0, 1, 2, 3]
    assert [[*stage.right] for stage in found] == [[0], [0], [0], [0, 3]]


def test_another_word_is_asked_of_the_same_training(training):
    before = training.values["right"].copy()
    training.controls["hidden"].value = 2
    assert drawing(training, "guess").formula == asked(2)
    np.testing.assert_array_equal(training.values["right"], before)
    training.reset()
