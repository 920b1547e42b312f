"""What decides how a sentence is finished: rules, exchanges, and what is kept."""

from functools import cache, partial

import pytest

from course.data.jobs import (
    HELD_OUT,
    JOBS,
    PROBABILITIES,
    STUDIED,
    draw_sentences,
    in_ids,
    probabilities,
)
from course.experiments import finishing
from course.models.jobs import MODEL, RECIPE, next_word
from course.models.measures import total_variation

trained = cache(MODEL.trained)

START = "Ajish studied art and works as an AI"
OTHER = "Ajish studied physics and works as an AI"


@cache
def learned_in_three_steps():
    """The sentences that the training of seed 7 learns from, as it draws them."""
    drawn = []

    def batch(generator):
        drawn.extend(draw_sentences(generator, RECIPE.batch_size))
        return in_ids(drawn[-RECIPE.batch_size :])

    MODEL.train(7, 3, batch=batch)
    return drawn


def test_a_rule_counts_the_sentences_of_a_training():
    drawn = learned_in_three_steps()
    table = finishing.count("last word", 3, 7)
    assert set(table) <= {"AI", "music", "ship", "school"}
    for word, shares in table.items():
        jobs = [job for start, job in drawn if start.endswith(word)]
        assert shares == {job: jobs.count(job) / len(jobs) for job in JOBS}


def test_the_unigram_counts_the_same_sentences_whatever_they_say_before():
    drawn = [job for _, job in learned_in_three_steps()]
    assert finishing.unigram(3, 7) == {j: drawn.count(j) / len(drawn) for j in JOBS}


def test_the_table_of_both_words_comes_near_the_true_probabilities():
    table = finishing.count("both words", 300)
    assert len(table) == len(PROBABILITIES) * (1 + len(STUDIED))
    for start in HELD_OUT:
        found = table[finishing.both(start)]
        assert total_variation(found, probabilities(start)) < 0.06


def test_one_word_is_exchanged_at_a_time():
    others = finishing.exchanged(START)
    assert [len(some) for some in others.values()] == [7, 2, 3]
    places = {"name": {0}, "subject": {2}, "field": {6, 7}}
    for what, some in others.items():
        for other in some:
            pairs = zip(START.split(), other.split(), strict=True)
            changed = {n for n, (a, b) in enumerate(pairs) if a != b}
            assert changed
            assert changed <= places[what]


def test_what_is_true_moves_with_subject_and_field_alone():
    moved = finishing.exchange(probabilities)
    assert moved["name"] == 0
    assert min(moved["subject"], moved["field"]) > 0.6


def test_all_vectors_of_another_sentence_give_its_answer():
    """The decoder has written the same, so what was studied comes from the encoder."""
    other = finishing.vectors(trained(), OTHER)
    assert other.shape[:2] == (1, 8)
    hand_over = partial(finishing.hand_over, trained(), START, other)
    before, theirs = (next_word(trained(), start) for start in (START, OTHER))
    assert hand_over(range(8)) == pytest.approx(theirs, abs=1e-6)
    assert hand_over([]) == pytest.approx(before, abs=1e-6)
    assert total_variation(hand_over([2]), before) > 0.1


def test_what_the_kept_results_show():
    in_one_stack = finishing.ONE_STACK.results()
    for one, other in zip(finishing.EXPERIMENT.results(), in_one_stack, strict=True):
        assert one["model"] < min(one["last word"], one["subject"]) / 3
        assert one["both words"] < one["model"]
        assert other["model"] < min(one["last word"], one["subject"])
        others = one["subject exchanged"], one["field exchanged"]
        assert one["name exchanged"] < min(others) / 5


def test_the_kept_results_are_of_the_model_that_is_kept():
    [own] = finishing.EXPERIMENT.results(steps=finishing.STEPS, seed=0)
    for what, far in finishing.run(finishing.STEPS, 0).items():
        assert far == pytest.approx(own[what], abs=0.01)
