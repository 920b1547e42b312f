"""What a mixture of experts takes: whose tokens they are, and what predicts it."""

import pytest
import torch

from course.data.dictionary import SPECIAL, in_ids, sample, tokenizer
from course.experiments import experts
from course.models.experts import EXPERTS, MODELS, TOP


def seen(*rows):
    """Tokens at positions, all of them nouns, and the expert that each one chose."""
    return [((token, position, "noun"), expert) for token, position, expert in rows]


def test_a_feature_predicts_what_it_went_with_most_often():
    learned = seen((1, 0, 5), (1, 1, 5), (2, 0, 3), (2, 1, 3), (2, 2, 5))
    held_out = seen((1, 0, 5), (2, 0, 3), (9, 9, 5), (2, 1, 5))
    assert experts.accuracies(learned, held_out) == {
        "baseline": 3 / 4,  # always expert 5
        "token": 3 / 4,  # a token that is new is given to expert 5, too
        "position": 1 / 2,  # at 0 and at 1 each expert stood once: the smaller number
        "part of speech": 3 / 4,
    }


def test_a_favorite_of_an_expert_mostly_chooses_it_first_and_the_most_frequent_lead():
    bird, fish, tree = tokenizer().encode(" bird fish tree")
    rows = [(bird, 0, 2)] * 2 + [(fish, 0, 2)] * 3 + [(tree, 0, 2), (tree, 0, 4)]
    favorites = experts.favorites(seen(*rows))
    assert favorites == [[], [], ["fish", "bird"], *[[]] * (EXPERTS - 3)]


def test_the_tokens_of_definitions_are_routed_and_nothing_else():
    model, entries = MODELS["experts"].untrained(), sample().held_out[:3]
    of_blocks, loads = experts.routed(model, entries)
    means = SPECIAL.index("⟨MEANS⟩")
    texts = [in_ids(entry) for entry in entries]
    tokens = [n for ids in texts for n in ids[ids.index(means) + 1 : -1]]
    for block, load in zip(of_blocks, loads, strict=True):
        assert [token for (token, *_), _ in block] == tokens
        assert sum(load) == pytest.approx(1)
        first = torch.tensor([expert for _, expert in block])
        share = first.bincount(minlength=EXPERTS) / len(tokens)
        assert (torch.tensor(load) >= share / TOP - 1e-6).all()


def test_a_run_measures_what_the_kept_results_hold(monkeypatch):
    untrained = {name: small.untrained() for name, small in MODELS.items()}
    monkeypatch.setattr(type(MODELS["experts"]), "train", lambda m, *_: made[m.name])
    made = {small.name: untrained[name] for name, small in MODELS.items()}
    monkeypatch.setattr(experts, "ASKED", 4)
    [*kept] = experts.EXPERIMENT.results(seed=0, steps=experts.STEPS[-1])
    for one in kept:
        row = experts.run(one["variant"], 1, 0)
        assert row.keys() == one.keys() - {"variant", "steps", "seed"}
