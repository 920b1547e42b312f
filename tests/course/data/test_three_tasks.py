"""Three tasks as text to text: what is asked follows from the sentence alone."""

from itertools import pairwise

import pytest
import torch

from course.data.french import ADJECTIVES, HELD_OUT_PAIRS, Sentence
from course.data.french_sentences import learned_sentences
from course.data.pairs import EOS, PAD, SOS
from course.data.three_tasks import (
    ASKS,
    CONTEXT,
    TASKS,
    VOCABULARY,
    ThreeTasks,
    held_out_examples,
    in_ids,
    told,
)

LEARNED = learned_sentences()[:3000]
EXAMPLES = {task: [e for s in LEARNED for e in ASKS[task](s)] for task in TASKS}


def asked_of(english, french):
    sentence = Sentence(english.split(), french.split(), [], [])
    return {
        " ".join(one.source): " ".join(one.target)
        for task in TASKS
        for one in ASKS[task](sentence)
    }


def test_what_is_asked_of_a_sentence_that_says_what_somebody_does():
    sentence = "the pretty happy sister does not see a calm school"
    in_french = "la jolie sœur contente ne voit pas d' école calme"
    assert asked_of(sentence, in_french) == {
        f"translate: {sentence}": in_french,
        f"summarise: {sentence}": "the sister does not see a school",
        f"question: who does not see a school ? context: {sentence}": (
            "the pretty happy sister"
        ),
        f"question: what does the sister not see ? context: {sentence}": (
            "a calm school"
        ),
    }


def test_what_is_asked_of_a_sentence_that_says_how_somebody_is():
    assert asked_of("he is pretty", "il est joli") == {
        "translate: he is pretty": "il est joli",
        "question: who is pretty ? context: he is pretty": "he",
        "question: how is he ? context: he is pretty": "pretty",
    }


def test_the_parts_of_a_sentence_make_it_up():
    for sentence in LEARNED:
        subject, verb, negated, rest = told(sentence.english)
        first, *others = verb
        assert [*subject, first, *["not"] * negated, *others, *rest] == sentence.english


def test_a_summary_leaves_out_the_adjectives_of_nouns_and_nothing_else():
    for _, target, sentence in EXAMPLES["summarise"]:
        a_state = told(sentence.english).verb[0] in ("is", "are")
        kept = [w for w in target if w not in (*ADJECTIVES, "a", "an")]
        rest = [w for w in sentence.english if w not in (*ADJECTIVES, "a", "an")]
        assert kept == rest
        assert len(target) < len(sentence.english)
        assert a_state or not set(target) & set(ADJECTIVES)
        for article, noun in pairwise(target):
            if article in ("a", "an"):
                assert (article == "an") == (noun[0] in "aeiou")


def test_an_answer_stands_in_its_context():
    for source, target, sentence in EXAMPLES["question"]:
        context = source[source.index(CONTEXT) + 1 :]
        assert context == sentence.english
        assert " ".join(target) in " ".join(context)


def test_without_its_question_only_the_context_is_left():
    one = EXAMPLES["question"][0]
    bare = one.without_its_question
    assert bare.source == ["question:", CONTEXT, *one.sentence.english]
    assert bare.target == one.target
    other = EXAMPLES["translate"][0]
    assert other.without_its_question == other


@pytest.mark.parametrize("task", TASKS)
def test_a_new_example_joins_what_no_learned_one_does(task):
    assert all(
        HELD_OUT_PAIRS.isdisjoint(sentence.pairs) for sentence in learned_sentences()
    )
    for one in held_out_examples(task, 100):
        assert not HELD_OUT_PAIRS.isdisjoint(one.sentence.pairs)
        assert one in ASKS[task](one.sentence)


def test_every_example_has_room_and_the_longest_needs_it():
    most = [max(len(e.source) for e in examples) for examples in EXAMPLES.values()]
    assert max(most) == ThreeTasks().max_length
    assert all(len(e.target) <= 18 for examples in EXAMPLES.values() for e in examples)


def test_a_batch_holds_learned_examples_and_half_of_them_are_translations():
    known = {tuple(one.english): one for one in learned_sentences()}
    source, target = ThreeTasks().batch(torch.Generator().manual_seed(0), 900)
    asked = source[:, 0].tolist()
    for task, often in zip(TASKS, (450, 225, 225), strict=True):
        assert abs(asked.count(VOCABULARY.encode([f"{task}:"])[0]) - often) < 60
    for row, wanted in zip(source[:100], target[:100], strict=True):
        read, write = (
            [word for word in VOCABULARY.decode(ids) if word != PAD]
            for ids in (row, wanted)
        )
        start = read.index(CONTEXT) + 1 if CONTEXT in read else 1
        sentence = known[tuple(read[start:])]
        examples = list(ASKS[read[0].strip(":")](sentence))
        assert (read, write[1:-1]) in [(e.source, e.target) for e in examples]
        assert (write[0], write[-1]) == (SOS, EOS)


def test_the_same_seed_asks_the_same_and_another_one_other_things():
    draws = [torch.Generator().manual_seed(seed) for seed in (5, 5, 6)]
    one, again, other = (ThreeTasks().batch(draw, 8).source for draw in draws)
    assert one.equal(again)
    assert not one.equal(other)
    first, second = (ThreeTasks().held_out(30, seed) for seed in (1, 2))
    assert first.source.equal(ThreeTasks().held_out(30).source)
    assert not first.source.equal(second.source)


def test_without_prefixes_the_first_word_is_gone_and_nothing_else():
    examples = [held_out_examples(task, 1)[0] for task in TASKS]
    for one in examples:
        with_, without = in_ids([one]), in_ids([one], prefixed=False)
        assert with_.source[:, 1:].equal(without.source)
        assert with_.target.equal(without.target)


def test_a_task_that_there_is_not_is_named():
    with pytest.raises(ValueError, match=r"^task must be one of \['translate', 'summ"):
        held_out_examples("answer")
