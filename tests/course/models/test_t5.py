"""The model of the course that does three tasks, each named by its first word."""

import pytest
import torch

from course.data.three_tasks import (
    TASKS,
    VOCABULARY,
    in_ids,
    new_examples,
    summaries,
    translations,
    with_origins,
)
from course.experiments import text_to_text
from course.models.language import t5
from course.models.translation.alignment import cross_weights
from transformer_lib import load_checkpoint


@pytest.mark.parametrize("task", TASKS)
def test_new_examples_are_right_and_no_rule_comes_near(task):
    new = new_examples(task, 300)
    assert t5.score(t5.trained(), new) >= 0.99
    assert max(t5.floors(task, new).values()) < 0.6


def test_the_first_word_alone_tells_what_to_do():
    """The same sentences, under both names."""
    sentences = [one.sentence for one in new_examples("summarise", 100)]
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
    kept = text_to_text.load_results()
    assert [one["seed"] for one in kept] == [*text_to_text.SEEDS]
    for one in kept:
        assert min(one["with prefixes"].values()) >= 0.99
        bare = one["never with prefixes"]
        assert bare["translate"] + bare["summarise"] < 1.1
        assert bare["question"] >= 0.95
        assert one["without question"] < 0.6
        assert min(one["without when asked"].values()) < 0.3


def test_a_head_looks_at_the_word_that_each_french_one_comes_from():
    [block, head, share] = text_to_text.alignment(t5.trained())
    assert share == pytest.approx(text_to_text.load_results()[0]["alignment"][2])
    assert share > 0.6
    one = new_examples("translate", 1)
    (source, target), [origins] = with_origins(one)
    words = VOCABULARY.decode(source[0])
    pairs = zip(one[0].target, origins, strict=True)
    assert all(place > 0 for _, places in pairs for place in places)
    assert words[0] == "translate:"
    assert len(origins) == target.size(1) - 2
    assert (block, head) <= (0, t5.SIZES.n_heads)


def test_it_shows_where_it_looks_from_the_words_that_it_writes():
    asked = "translate: the old cat loves AI"
    words, weights = t5.looks(t5.trained(), asked)
    layers, heads = t5.SIZES.n_decoder_layers, t5.SIZES.n_heads
    assert weights.shape == (layers, heads, len(words), len(asked.split()))
    assert weights.sum(-1).allclose(torch.ones(()))
    example = new_examples("translate", 1)[0]
    words, weights = t5.looks(t5.trained(), " ".join(example.source))
    assert words == example.target  # then the two ways must agree
    whole = cross_weights(t5.trained(), in_ids([example]))[:, :, 0, :-1]
    assert weights.allclose(whole, atol=1e-5)


def test_floors_are_what_their_rules_say():
    ask = {task: new_examples(task, 100) for task in TASKS}
    first = ask["question"][0]
    floors = t5.floors("question", [first, first, ask["question"][1]])
    assert floors["the commonest"] >= 2 / 3
    right = [e.target == e.sentence.english for e in ask["summarise"]]
    assert t5.floors("summarise", ask["summarise"])["all of it"] == sum(right) == 0
    assert 0.3 < t5.floors("question", ask["question"])["the subject"] < 0.7


def test_what_cannot_be_read_is_named():
    with pytest.raises(ValueError, match="'zebra' is not in the vocabulary"):
        t5.answer(t5.trained(), "translate: I love zebra")
    with pytest.raises(ValueError, match=r"^text must have 1 to 20 words, got 0$"):
        t5.answer(t5.trained(), "")


def test_the_command_makes_the_model_and_says_how_it_does(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(t5, "new_examples", lambda task: new_examples(task, 3))
    t5.main(tmp_path / "t5.safetensors", steps=2)
    told = capsys.readouterr().out
    for row in (*TASKS, "t5", "word by word", "all of it", "the subject"):
        assert row in told
    model, made = load_checkpoint(tmp_path / "t5.safetensors")
    assert model.config == t5.trained().config == t5.SIZES
    assert made.words == VOCABULARY.words


def test_the_experiment_keeps_what_each_seed_came_to(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(text_to_text, "ASKED", 3)
    text_to_text.main(tmp_path, steps=2, seeds=(3,))
    [found] = text_to_text.load_results(tmp_path)
    assert found["seed"] == 3
    assert found["with prefixes"].keys() == set(TASKS)
    assert "'seed': 3" in capsys.readouterr().out
