"""What is measured of strategies: laws that hold for any model."""

from functools import cache

import pytest
import torch

from course.data.stories import STOP, STOP_ID, VOCABULARY, sentences
from course.experiments import strategies
from course.models.measures import token_log_probabilities
from course.models.stories import MODEL
from transformer_lib import Decoding, Sampling, beam_search, greedy

trained = cache(MODEL.trained)

BARE = MODEL.untrained()  # has learnt nothing, so that nothing is nearly sure


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


def test_a_cold_draw_is_greedy_search_and_is_as_likely_as_its_scores_say():
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


@pytest.mark.parametrize("n", [1, 4])
def test_no_words_come_a_second_time_under_the_rule_and_else_the_best_are_taken(n):
    begun = strategies.starts()[:3, -1:] if n == 1 else strategies.starts()[:3]
    found = strategies.without_repeats(n)(BARE, begun, Decoding(max_length=40))
    with torch.inference_mode():
        log_p = BARE(found.ids[:, :-1]).log_softmax(-1)  # (3, 39, V)
    for b, text in enumerate(found.ids.tolist()):
        score = 0.0
        for end in range(begun.size(1), 40):
            seen = {tuple(text[i : i + n]) for i in range(end - n + 1)}
            best = log_p[b, end - 1].argsort(descending=True).tolist()
            before = text[end - n + 1 : end]
            assert text[end] == next(w for w in best if (*before, w) not in seen)
            score += float(log_p[b, end - 1, text[end]])
        assert float(found.scores[b]) == pytest.approx(score, abs=1e-2)


def test_ends_are_those_of_beam_search(monkeypatch):
    begun = strategies.beginnings()
    assert len({tuple(row) for row in begun.tolist()}) == 64
    monkeypatch.setattr(strategies, "beginnings", lambda: begun[::9])
    told = strategies.ends(trained(), 8, 0.6)
    lengths = []
    sums = []
    for row in begun[::9]:
        found = beam_search(trained(), row[None], strategies.SENTENCE, 8, 0.6)
        text = VOCABULARY.decode(found.ids[0, 0])
        lengths.append(text.index(STOP, 1) - 1)
        ids = torch.tensor([VOCABULARY.encode(text[: lengths[-1] + 2])])
        with torch.inference_mode():
            log_p = trained()(ids[:, :-1])[0].log_softmax(-1)  # (T - 1, V)
        own = log_p.gather(1, ids[0, 1:, None])[3:]  # behind the beginning
        sums.append(float(own.sum()))
    assert told["words"] == pytest.approx(sum(lengths) / len(lengths))
    assert told["log p"] == pytest.approx(sum(sums) / len(sums), abs=1e-3)


def test_a_text_without_a_full_stop_counts_its_words(monkeypatch):
    short = Decoding(max_length=6, end_id=STOP_ID)
    monkeypatch.setattr(strategies, "SENTENCE", short)
    monkeypatch.setattr(strategies, "beginnings", strategies.beginnings()[:1].clone)
    best = beam_search(trained(), strategies.beginnings(), short, 1, 0.6)
    assert STOP_ID not in best.ids[0, 0, 1:]
    found = strategies.ends(trained(), 1, 0.6)
    assert found["words"] == 5  # "the cat sits" and two more
    ids = best.ids[:, 0]
    with torch.inference_mode():
        own = float(token_log_probabilities(trained(), ids)[0, 3:].sum())
    assert found["log p"] == pytest.approx(own, abs=1e-4)


def test_what_is_measured_is_what_the_kept_results_hold(monkeypatch):
    for part in ("continued", "look", "likelier", "ends"):
        monkeypatch.setattr(strategies, part, lambda *_: {})
    rows = [{} for _ in strategies.TEMPERATURES]
    monkeypatch.setattr(strategies, "by_temperature", lambda _: rows)
    [kept] = strategies.EXPERIMENT.results(seed=0, steps=strategies.STEPS)
    assert strategies.measure(BARE).keys() == kept.keys() - {"seed", "steps"}


def test_the_kept_results_are_of_the_models_of_this_code():
    [own] = strategies.EXPERIMENT.results(seed=0, steps=strategies.STEPS)
    assert own["beams 4"] == pytest.approx(strategies.ends(trained(), 4), abs=0.06)
