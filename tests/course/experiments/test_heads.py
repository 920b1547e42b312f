"""The small models of the heads explorer: their roles, and what a head is for."""

import numpy as np
import pytest

from course.data import grammar, grammar_sentences
from course.experiments import heads
from course.models import next_word


def said(sentence, removed=(), when="after", training="taught"):
    """The most probable next word."""
    chances = heads.attend(sentence, removed, training)[f"predictions.{when}"]
    vocabulary = next_word.load_heads(training)[1]
    return vocabulary.words[chances[-1].argmax()]


def test_every_taught_head_plays_its_role_and_no_free_head_does_all_the_time():
    taught, free = heads.roles("taught", 40), heads.roles("free", 40)
    assert (taught.diagonal() > 0.9).all()
    assert (taught - np.diag(taught.diagonal()) < 0.4).all()
    assert (free < 0.6).all()


def test_a_free_head_plays_a_role_where_the_next_word_asks_for_it():
    always, asked = heads.roles("free", 40), heads.roles("free", 40, asked=True)
    assert always.max() < 0.4
    assert asked[1, 3] > 0.75
    taught = heads.roles("taught", 40, asked=True)
    np.testing.assert_allclose(taught, np.eye(4), atol=0.05)


def test_a_role_is_the_mean_weight_on_its_words_row_by_row():
    rows = {role: [] for role in range(4)}
    for words in grammar_sentences.unseen(5):
        weights = heads.attend(words)["weights"]
        needs = zip(grammar.targets(words), grammar.asks(words), strict=True)
        for row, (wanted, asked) in enumerate(needs, start=1):
            for role in np.flatnonzero(asked):
                rows[role].append(weights[:, row, wanted[role]])
    mean = np.stack([np.mean(seen, axis=0) for seen in rows.values()], axis=1)
    np.testing.assert_allclose(heads.roles("taught", 5, asked=True), mean, atol=1e-5)


def test_a_taught_head_is_needed_for_its_role_and_alone_nearly_enough_for_three():
    found = heads.ablation("taught", 60)
    assert (found["all"] == 1).all()
    assert (found["none"] < 0.7).all()
    who, when = (found["removed"][:, role] for role in (1, 2))
    assert (who == [1, found["none"][1], 1, 1]).all()
    assert (when == [1, 1, found["none"][2], 1]).all()
    assert (found["kept"].diagonal()[1:] > 0.9).all()
    assert (found["kept"][:, 0] < 0.7).all()  # adjectives of beings and of places


def test_a_free_head_alone_says_the_pronoun_and_is_not_needed_for_it():
    found = heads.ablation("free", 60)
    assert found["kept"][1, 1] == 1
    assert found["removed"][1, 1] > 0.6 > found["none"][1]


def test_the_baselines_are_rules_that_read_no_word_but_the_last():
    said = {"and": [], "because": []}
    for words in grammar_sentences.unseen(60):
        for last, needs, wanted in zip(
            words, grammar.asks(words), words[1:], strict=False
        ):
            if needs[1]:
                said[last].append(wanted)
    both = said["and"] + said["because"]
    found = heads.baselines(60)
    assert found["one word"][1] == found["last word"][1] == both.count("it") / len(both)
    assert found["one word"][1] > heads.ablation("free", 60)["none"][1]
    assert all((share < 0.7).all() for share in found.values())
    assert (found["one word"][[0, 3]] < 0.4).all()


def test_ablation_counts_the_words_that_attend_says():
    right = {(): [], (1,): [], (0, 2, 3): []}
    for words in grammar_sentences.unseen(5):
        for n in np.flatnonzero([asks[1] for asks in grammar.asks(words)]):
            for removed, hits in right.items():
                hits.append(said(words[: n + 1], removed) == words[n + 1])
    found = heads.ablation("taught", 5)
    counted = found["all"], found["removed"][1], found["kept"][1]
    assert [np.mean(hits) for hits in right.values()] == [x[1] for x in counted]


@pytest.mark.parametrize("training", ["taught", "free"])
def test_the_cross_entropy_is_the_mean_over_every_next_word(training):
    lost, vocabulary = [], next_word.load_heads(training)[1]
    for words in grammar_sentences.unseen(5):
        chances = heads.attend(words, (), training)["predictions.before"]
        following = vocabulary.encode([*words, "⟨EOS⟩"])
        lost += [-np.log(chances[n, i]) for n, i in enumerate(following)]
    np.testing.assert_allclose(
        heads.cross_entropy(training, 5), np.mean(lost), atol=1e-5
    )


@pytest.mark.parametrize(
    ("sentence", "word", "head"),
    [
        ("the cat sat on the mat and it was", "happy", 1),
        ("the cats sleep under the tree and", "they", 1),
        ("the dog waits near the tree which is", "tall", 3),
        ("I love AI", "⟨EOS⟩", 0),
        ("Ajish works as an AI", "engineer", 1),
    ],
)
def test_a_prediction_falls_with_the_head_it_hangs_on(sentence, word, head):
    vocabulary = next_word.load_heads()[1]
    arrays = heads.attend(sentence, (head,))
    column = vocabulary.encode([word])[0]
    before = arrays["predictions.before"][-1, column]
    assert said(sentence, when="before") == word
    assert before - arrays["predictions.after"][-1, column] > 0.5


def test_without_its_verb_head_the_model_loses_the_tense():
    sentence = "the cat sat on the mat and it"
    assert said(sentence, when="before") in ("was", "purred")
    assert said(sentence, (2,)) in ("is", "purrs")


@pytest.mark.parametrize("training", ["taught", "free"])
def test_the_output_is_the_sum_of_the_parts_that_are_left(training):
    model, _ = next_word.load_heads(training)
    bias = model.get_submodule(next_word.ATTENTION).W_O.bias.detach().numpy()
    arrays = heads.attend(grammar_sentences.SENTENCES[0], (0, 2), training)
    parts = arrays["parts"]
    np.testing.assert_allclose(arrays["output.before"], parts.sum(0) + bias, atol=1e-5)
    np.testing.assert_allclose(
        arrays["output.after"], parts[[1, 3]].sum(0) + bias, atol=1e-5
    )
    np.testing.assert_allclose(arrays["weights"].sum(-1), 1, atol=1e-5)
    np.testing.assert_allclose(arrays["predictions.after"].sum(-1), 1, atol=1e-5)


def test_removing_nothing_changes_nothing():
    arrays = heads.attend("AI is powerful")
    np.testing.assert_array_equal(arrays["output.before"], arrays["output.after"])


def test_removing_a_head_leaves_no_trace():
    whole = heads.attend("AI is")["predictions.before"]
    heads.attend("AI is", (0, 1, 2, 3))
    np.testing.assert_array_equal(heads.attend("AI is")["predictions.after"], whole)


@pytest.mark.parametrize(
    ("removed", "error"),
    [((4,), ValueError), ((-1,), ValueError), ((True,), TypeError)],
)
def test_a_head_that_is_not_there_cannot_be_removed(removed, error):
    with pytest.raises(error, match="removed"):
        heads.attend("AI is", removed)
