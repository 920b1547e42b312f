"""The models of the course that say hidden words, from both sides or from the left."""

import pytest
import torch

from course.data.grammar_sentences import padded
from course.data.masked_words import MASK, VOCABULARY
from course.experiments import hidden_words
from course.models import bert
from course.models.masked_words import logits, new_model

ASKED = bert.questions()
FEW = bert.questions(3)


def test_it_knows_what_can_be_known_of_pairs_that_it_has_never_read():
    assert bert.score(bert.trained(), ASKED)["knowable"] >= 0.99
    assert bert.score(bert.trained(right=False), ASKED, right=False)["knowable"] < 0.85
    assert max(shares["knowable"] for shares in bert.baselines(ASKED).values()) < 0.7


def test_what_the_kept_results_show():
    by_left_word = bert.baselines(ASKED)["left word"]["knowable"]
    for one in hidden_words.EXPERIMENT.results():
        known = {name: x["knowable"] for name, x in one.items() if isinstance(x, dict)}
        assert known["both sides"] > 0.94
        assert known["left when asked"] < by_left_word < known["the left alone"] < 0.79
        assert known["out of order"] > 0.93
    whole = hidden_words.EXPERIMENT.results(steps=bert.RECIPE.steps)
    for one in whole:
        assert one["out of order"]["knowable"] > 0.97
        assert one["both sides"]["knowable"] > 0.99
    shares = bert.score(bert.trained(), ASKED)
    kept = whole[0]["both sides"]["knowable"]
    assert shares["knowable"] == pytest.approx(kept, abs=0.005)


def test_the_right_side_tells_who_it_was():
    told = f"the {MASK} slept and it purred"
    assert next(iter(bert.fill_in(bert.trained(), told))) == "cat"
    left = bert.fill_in(bert.trained(right=False), told, right=False)
    other = bert.fill_in(
        bert.trained(right=False), told.replace("purred", "barked"), right=False
    )
    assert left == other


def test_without_the_right_side_what_follows_changes_nothing():
    ids = padded(VOCABULARY, [["the", "cat", "sat"], ["the", "cat", "on"]])
    model = new_model(3)
    with torch.no_grad():
        one, other = logits(model, ids, right=False)[:, :3]
        assert one.equal(other)
        one, other = logits(model, ids)[:, :3]
    assert not one.equal(other)


def test_a_share_is_of_the_words_that_can_be_known_or_of_the_others():
    baselines = bert.baselines(ASKED)["one word"]
    both = zip(ASKED.words, ASKED.knowable, strict=True)
    known = [words[i] for (words, i), sure in both if sure]
    assert 0 < len(known) < len(ASKED.words) == len(ASKED.masked.ids)
    assert baselines["knowable"] == pytest.approx(known.count("the") / len(known))
    assert baselines["others"] == 0
