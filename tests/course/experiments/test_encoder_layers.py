"""What an encoder's layers do to its words: what is measured, and what is kept."""

from collections import Counter
from functools import cache

import pytest
import torch

from course.data.grammar import BEINGS
from course.data.grammar_sentences import learned, unseen
from course.data.masked_words import FIRST_WORD, MASK, MASK_ID
from course.experiments import encoder_layers as layers
from course.models.masked_words import MODEL, fill_in, logits
from transformer_lib.runtime.patching import patch

trained = cache(MODEL.trained)

FEW = 12  # sentences
BLOCKS = 6


def test_every_word_of_every_sentence_is_hidden_once():
    hidden = layers.gaps(FEW)
    assert len(hidden.ids) == sum(map(len, unseen(FEW)))
    assert ((hidden.ids == MASK_ID).sum(1) == 1).all()
    filled = hidden.ids.clone()
    filled[range(len(filled)), hidden.place] = hidden.word
    counted = Counter(map(tuple, filled.tolist()))
    whole = layers.sentences(FEW)
    assert counted == {
        tuple(row.tolist()): int((row >= FIRST_WORD).sum()) for row in whole
    }


def test_no_sentence_that_is_asked_was_learned():
    known = set(map(tuple, learned()))
    assert not any(tuple(words) in known for words in unseen())


def test_accuracy_counts_the_words_that_fill_in_says():
    hits = []
    for words in unseen(2):
        for i, word in enumerate(words):
            gap = [*words[:i], MASK, *words[i + 1 :]]
            hits.append(next(iter(fill_in(trained(), " ".join(gap)))) == word)
    assert layers.accuracy(trained(), count=2) == pytest.approx(sum(hits) / len(hits))


def test_a_rule_counts_what_was_learned():
    found = layers.baselines(FEW)
    counted = Counter(word for words in learned() for word in words)
    [(most, _)] = counted.most_common(1)
    asked = [word for words in unseen(FEW) for word in words]
    assert found["one word"] == asked.count(most) / len(asked)
    assert found["one word"] < found["left word"] < found["both neighbors"]


def test_sub_layers_are_named_as_patch_names_them():
    names = layers.sub_layers(trained())
    assert len(names) == 2 * BLOCKS
    assert names[::2] == layers.sub_layers(trained(), "self_attention")
    assert names[1::2] == layers.sub_layers(trained(), "feed_forward")
    with patch(trained(), dict.fromkeys(names, torch.zeros(32))):
        logits(trained(), layers.sentences(1))  # a name that is not met would raise


def test_without_any_attention_a_word_knows_nothing_of_the_others():
    some, other = layers.sentences(2)
    attention = layers.sub_layers(trained(), "self_attention")
    place = int((some == other).nonzero()[1])  # both begin with ⟨SOS⟩ and "the"
    pair = torch.stack([some, other])
    with torch.no_grad(), patch(trained(), dict.fromkeys(attention, torch.zeros(32))):
        first, second = logits(trained(), pair)[:, place]
    assert some.ne(other).any()
    assert torch.allclose(first, second, atol=1e-5)


def test_hidden_states_begin_with_the_input_and_end_with_the_output():
    ids = layers.sentences(3)
    x = layers.hidden_states(trained(), ids)
    assert x.shape == (BLOCKS + 1, 3, 18, 32)
    model = trained()
    assert torch.allclose(model.embedding.logits(x[-1]), logits(model, ids), atol=1e-4)
    E, P = model.embedding, model.positions
    assert torch.allclose(x[0], E(ids) + P(torch.arange(18)), atol=1e-6)


@pytest.mark.parametrize("model", [MODEL.untrained(4), trained()])
def test_at_the_bottom_a_word_is_itself(model):
    found = layers.similarity_to_input(model, FEW)
    assert found["itself"][0] == pytest.approx(1, abs=1e-5)
    assert found["another"][0] < 0.6
    alike = layers.two_of_it(model, 40)
    assert alike[0] == pytest.approx(1, abs=1e-5)
    assert all(x < 1 for x in alike[1:])


def test_two_of_it_compares_beings_that_differ():
    written = [words for words in unseen(40) if "it" in words]
    beings = [next(w for w in words if w in BEINGS) for words in written]
    places = [words.index("it") for words in written]
    pairs = [
        (a, b)
        for a in range(len(written))
        for b in range(a)
        if places[a] == places[b] and beings[a] != beings[b]
    ]
    assert pairs
    rows = [n for n, words in enumerate(unseen(40)) if "it" in words]
    top = layers.hidden_states(trained(), layers.sentences(40))[-1]
    cosines = [
        torch.cosine_similarity(
            top[rows[a], places[a] + 1], top[rows[b], places[b] + 1], dim=0
        )
        for a, b in pairs
    ]
    found = layers.two_of_it(trained(), 40)[-1]
    assert found == pytest.approx(float(torch.stack(cosines).mean()), abs=1e-5)


def test_a_sub_layer_that_writes_its_average_writes_the_same_everywhere():
    means = layers.averages(trained(), FEW)
    assert list(means) == layers.sub_layers(trained())
    name = layers.sub_layers(trained())[3]
    ids = layers.sentences(FEW)
    written = layers.watch(trained(), ids)[name][ids >= FIRST_WORD]
    assert torch.allclose(means[name], written.mean(0), atol=1e-5)


def test_sizes_are_shares_of_what_a_sub_layer_is_added_to():
    ids = layers.sentences(1)
    word = ids >= FIRST_WORD
    seen = layers.watch(trained(), ids)
    read = {
        "encoder.blocks.0.self_attention": "input",
        "encoder.blocks.0.feed_forward": "encoder.blocks.0.add_norm_1",
        "encoder.blocks.1.self_attention": "encoder.blocks.0",
    }
    found = dict(
        zip(layers.sub_layers(trained()), layers.sizes(trained(), 1), strict=True)
    )
    for name, below in read.items():
        wrote, x = seen[name][word], seen[below][word]
        shares = [float(a.norm() / b.norm()) for a, b in zip(wrote, x, strict=True)]
        assert found[name] == pytest.approx(sum(shares) / len(shares))


def test_a_part_is_left_out_where_it_is_said_to_be():
    few = 4
    found = layers.ablations(trained(), few)
    names = layers.sub_layers(trained())
    means = layers.averages(trained(), few)
    nothing = dict.fromkeys(names, torch.zeros(32))

    def without(parts, writes=nothing):
        return layers.accuracy(trained(), {name: writes[name] for name in parts}, few)

    assert found["all"] == without([])
    for n in (3, 10):  # the network of block 2, attention of block 6: both matter
        assert found["zeros"][n] == without(names[n : n + 1]) < found["all"]
        assert found["averages"][n] == without(names[n : n + 1], means)
    assert found["averages"] != found["zeros"]
    assert found["blocks"][1] == without(names[2:4])
    for said, part in (("attention", names[::2]), ("FFN", names[1::2])):
        assert found[said] == [without(part), without(part, means)]


def test_the_words_on_the_right_tell_the_being_and_those_on_the_left_do_not():
    found = layers.beings(trained())
    assert found["left to right"] < 0.2
    assert found["not told"] < 0.3
    assert found["told"] > 0.95
    assert 0.1 < found["one being"] < 0.2
    assert found["not told"] < found["encoder"] < found["told"]
    assert layers.beings(MODEL.untrained())["told"] < 0.3


def test_the_model_that_has_learned_beats_every_rule():
    assert layers.accuracy(trained()) > layers.baselines()["both neighbors"] + 0.2
    assert layers.accuracy(MODEL.untrained(), count=FEW) < 0.1


def test_the_kept_results_are_of_the_model_that_is_kept():
    [own] = layers.EXPERIMENT.results(seed=0, steps=layers.STEPS)
    again = layers.similarity_to_input(trained()) | {"all": layers.accuracy(trained())}
    for what, numbers in again.items():
        assert numbers == pytest.approx(own[what], abs=0.01)


@pytest.mark.parametrize("steps", layers.STAGES[1:])
def test_what_the_kept_trainings_have_in_common(steps):
    for one in layers.EXPERIMENT.results(steps=steps):
        way = one["itself"]
        assert way.index(min(way)) in (3, 4)  # a word turns away, and comes back
        assert way[-1] > min(way) + 0.1
        assert one["said"][-1] > 0.8
        it = one["interchange"][8]
        assert max(it) - it[-1] < 0.03  # no messenger
        assert one["interchange"][2][4] > 0.3 > 0.08 > one["interchange"][2][6]
        assert max(one["attention"] + one["FFN"]) < 0.3 < min(one["zeros"])


def test_of_a_word_in_a_fresh_model_no_more_is_left_than_of_another():
    for one in layers.EXPERIMENT.results(steps=0):
        assert one["itself"][-1] < 0.25
        assert abs(one["itself"][-1] - one["another"][-1]) < 0.1
