"""What is measured of strategies: laws that hold for any model."""

import pytest
import torch

from transformer_lib import Sampling, beam_search, greedy
from transformer_lib.data.stories import STOP, VOCABULARY, sentences
from transformer_lib.experiments import strategies
from transformer_lib.small_models.generation.stories import STEPS, begin, trained

BARE, _ = begin(steps=1)  # has learnt nothing, so that nothing is nearly sure


def test_the_first_sentences_are_whole_and_of_ten_words():
    assert len(strategies.told()) == strategies.STORIES
    for story, ids in zip(strategies.told(), strategies.starts(), strict=True):
        [first] = sentences(VOCABULARY.decode(ids))
        assert len(first) == strategies.WORDS
        assert sentences(story)[0] == first


def test_what_is_looked_at_is_counted_by_hand():
    one = ". the cat sits . the cat sits . the dog barks . the cat sits . the"
    other = ". the girl waits . the boy waits and he laughs . the"
    seen = strategies.look([one.split(), other.split()])
    assert seen["same being"] == pytest.approx(1 / 4)
    assert seen["said before"] == pytest.approx(2 / 4)
    assert seen["faulty"] == pytest.approx(2 / 4)  # "dog barks" and "boy … he laughs"
    assert seen["words"] == pytest.approx((3 + 3 + 3 + 6) / 4)


def test_nothing_is_likelier_than_greedy_where_the_next_word_is_nearly_sure():
    """With a temperature near 0 a story is drawn that is greedy search's own."""
    cold = strategies.drawn(Sampling(temperature=1e-6))
    texts = strategies.continued(trained(), cold)
    best = strategies.continued(trained(), greedy)
    assert texts == best
    own = strategies.likelihoods(trained(), best)
    scores = greedy(trained(), strategies.starts(), strategies.STORY).scores
    assert torch.allclose(own, scores, atol=1e-2)


def test_the_same_seed_draws_the_same_stories():
    one, other = (
        strategies.drawn(seed=s)(BARE, strategies.starts()[:3], strategies.STORY).ids
        for s in (1, 1)
    )
    assert one.equal(other)


@pytest.mark.parametrize("penalty", [0.0, 1.0])
def test_ends_are_those_of_beam_search(penalty):
    begun = strategies.beginnings()
    assert len({tuple(row) for row in begun.tolist()}) == 64
    told = strategies.ends(trained(), 2, penalty)
    lengths, sums = [], []
    for row in begun:
        found = beam_search(trained(), row[None], strategies.SENTENCE, 2, penalty)
        text = VOCABULARY.decode(found.ids[0, 0])
        n = text.index(STOP, 1) - 1
        lengths.append(n)
        sums.append(found.scores[0, 0] * ((5 + n - 2) / 6) ** penalty)
    assert told["words"] == pytest.approx(sum(lengths) / 64)
    assert told["log p"] == pytest.approx(float(sum(sums)) / 64, abs=1e-4)


def test_the_kept_results_are_of_the_models_of_this_code():
    kept = strategies.load_results()
    assert [(one["seed"], one["steps"]) for one in kept] == [
        (seed, steps) for seed in range(5) for steps in (STEPS // 2, STEPS)
    ]
    [own] = [one for one in kept if (one["seed"], one["steps"]) == (0, STEPS)]
    assert own["beams 4"] == pytest.approx(strategies.ends(trained(), 4), abs=0.06)
