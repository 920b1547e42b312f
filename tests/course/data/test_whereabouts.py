"""Facts that differ in a name and a place alone."""

import pytest
import torch

from course.data.whereabouts import (
    EOS,
    HELD_OUT_PAIRS,
    PAD,
    PLACES,
    SOS,
    VOCABULARY,
    Whereabouts,
)


def read(pairs):
    """The facts of each text, who is asked for, and the answer."""
    for source, target in zip(*pairs, strict=True):
        words = [w for w in VOCABULARY.decode(source) if w != PAD]
        facts = words[words.index("context:") + 1 :]
        assert words[:3] == ["question:", "where", "is"]
        assert facts[1::6] == ["is"] * (len(facts) // 6)
        wanted = VOCABULARY.decode(target)
        assert (wanted[0], wanted[2]) == (SOS, EOS)
        yield dict(zip(facts[::6], facts[4::6], strict=True)), words[3], wanted[1]


@pytest.mark.parametrize("facts", [1, 2, 8])
def test_the_answer_is_where_the_facts_say_that_somebody_is(facts):
    task = Whereabouts(facts)
    for pairs in (task.batch(torch.Generator().manual_seed(0), 40), task.held_out(40)):
        assert pairs.source.size(1) == task.max_length
        for where, who, answer in read(pairs):
            assert len(set(where.values())) == len(where) == facts
            assert where[who] == answer


def test_a_new_text_asks_for_what_no_learned_one_says():
    task = Whereabouts(3)
    for where, _, _ in read(task.batch(torch.Generator().manual_seed(1), 300)):
        assert HELD_OUT_PAIRS.isdisjoint(where.items())
    asked = {(who, answer) for _, who, answer in read(task.held_out(300))}
    assert asked == HELD_OUT_PAIRS


def test_who_is_asked_for_may_stand_anywhere():
    places = [
        [*where].index(who) for where, who, _ in read(Whereabouts(3).held_out(300))
    ]
    assert all(70 < places.count(n) < 130 for n in range(3))


@pytest.mark.parametrize("facts", [0, len(PLACES) + 1])
def test_too_few_or_too_many_facts_are_refused(facts):
    with pytest.raises(ValueError, match=f"facts must be at .*, got {facts}"):
        Whereabouts(facts)
