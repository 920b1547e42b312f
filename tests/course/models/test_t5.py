"""The model of the course that does three tasks, each named by its first word."""

import pytest
import torch

from course.data.three_tasks import (
    TASKS,
    VOCABULARY,
    held_out_examples,
    in_ids,
    summaries,
    translations,
    with_origins,
)
from course.experiments import text_to_text
from course.models import t5
from course.models.alignment import cross_weights


@pytest.mark.parametrize("task", TASKS)
def test_new_examples_are_right_and_no_rule_comes_near(task):
    new = held_out_examples(task, 300)
    assert t5.score(t5.trained(), new) >= 0.99
    assert max(t5.baselines(task, new).values()) < 0.6


def test_the_first_word_alone_tells_what_to_do():
    """The same sentences, under both names."""
    sentences = [one.sentence for one in held_out_examples("summarise", 100)]
    for ask in (translations, summaries):
        examples = [example for s in sentences for example in ask(s)]
        assert t5.score(t5.trained(), examples) >= 0.98


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("translate: I love AI", "J'aime l'IA"),
        ("summarise: the old cat does not love AI", "The cat does not love AI"),
        ("question: who loves AI ? context: the old cat loves AI", "The old cat"),
        ("question: what does the cat love ? context: the old cat loves AI", "AI"),
    ],
)
def test_it_does_what_it_is_asked(asked, answer):
    assert t5.answer(t5.trained(), asked) == answer


def test_what_the_kept_results_show():
    for one in text_to_text.EXPERIMENT.results():
        assert min(one["with prefixes"].values()) > 0.92
        bare = one["never with prefixes"]
        assert 1 < bare["translate"] + bare["summarise"] < 1.1
        assert one["without question"] < 0.4
        taken = one["without when asked"]
        assert taken["translate"] + taken["summarise"] < 0.85
    for one in text_to_text.EXPERIMENT.results(steps=t5.RECIPE.steps):
        assert min(one["with prefixes"].values()) > 0.97
        assert one["never with prefixes"]["question"] > 0.98
        taken = one["without when asked"]
        assert taken["question"] > 0.85
        assert max(taken["translate"], taken["summarise"]) < 0.35


def test_a_head_looks_at_the_word_that_each_french_one_comes_from():
    [block, head, share] = text_to_text.alignment(t5.trained())
    [kept] = text_to_text.EXPERIMENT.results(seed=0, steps=t5.RECIPE.steps)
    assert share == pytest.approx(kept["alignment"][2], abs=1e-4)
    assert share > 0.6
    one = held_out_examples("translate", 1)
    (source, target), [origins] = with_origins(one)
    words = VOCABULARY.decode(source[0])
    pairs = zip(one[0].target, origins, strict=True)
    assert all(place > 0 for _, places in pairs for place in places)
    assert words[0] == "translate:"
    assert len(origins) == target.size(1) - 2
    assert (block, head) <= (0, t5.SIZES.n_heads)


def test_it_shows_where_it_looks_from_the_words_that_it_writes():
    asked = "translate: the old cat loves AI"
    words, weights = t5.attention_weights(t5.trained(), asked)
    layers, heads = t5.SIZES.n_decoder_layers, t5.SIZES.n_heads
    assert weights.shape == (layers, heads, len(words), len(asked.split()))
    assert weights.sum(-1).allclose(torch.ones(()))
    example = held_out_examples("translate", 1)[0]
    words, weights = t5.attention_weights(t5.trained(), " ".join(example.source))
    assert words == example.target  # then the two ways must agree
    whole = cross_weights(t5.trained(), in_ids([example]))[:, :, 0, :-1]
    assert weights.allclose(whole, atol=1e-5)


def test_baselines_are_what_their_rules_say():
    ask = {task: held_out_examples(task, 100) for task in TASKS}
    first = ask["question"][0]
    baselines = t5.baselines("question", [first, first, ask["question"][1]])
    assert baselines["the commonest"] >= 2 / 3
    right = [e.target == e.sentence.english for e in ask["summarise"]]
    assert t5.baselines("summarise", ask["summarise"])["all of it"] == sum(right) == 0
    assert 0.3 < t5.baselines("question", ask["question"])["the subject"] < 0.7


def test_what_cannot_be_read_is_named():
    with pytest.raises(ValueError, match="'zebra' is not in the vocabulary"):
        t5.answer(t5.trained(), "translate: I love zebra")
    with pytest.raises(ValueError, match=r"^text must have 1 to 20 words, got 0$"):
        t5.answer(t5.trained(), "")
