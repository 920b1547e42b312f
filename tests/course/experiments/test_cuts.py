"""What is cut, and what follows: laws that hold for any model."""

from functools import cache

import pytest
import torch
from scipy.stats import rankdata

from course.data.jobs import PLAIN, VOCABULARY
from course.experiments import cuts, finishing
from course.models.jobs import MODEL, SEEDS, next_word
from course.models.measures import total_variation
from transformer_lib import patch

trained = cache(MODEL.trained)

FEW = cuts.STARTS[::16]


def test_the_answers_of_many_starts_are_those_of_each_alone():
    for starts in (FEW, PLAIN[:3]):
        for p, start in zip(cuts.answers(trained(), starts), starts, strict=True):
            said = next_word(trained(), start)
            expected = torch.tensor([said[word] for word in VOCABULARY.words])
            assert torch.allclose(p, expected, atol=1e-6)


def test_starts_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match=r"as many words each, got .*studied"):
        cuts.answers(trained(), [PLAIN[0], cuts.STARTS[0]])


def test_the_places_are_what_stands_there():
    for start in cuts.STARTS:
        words = start.split()
        assert len(words) == len(cuts.PLACES)
        for place in ("studied", "and", "works", "as"):
            assert words[cuts.PLACES.index(place)] == place
        assert words[cuts.SUBJECT] == finishing.subject(start)


def test_a_cut_edge_has_no_weight_and_the_others_share_it_in_their_old_ratio():
    name = f"{cuts.CROSS}.scores"
    before = cuts.run(trained(), FEW)[f"{cuts.CROSS}.weights"]
    after = cuts.run(trained(), FEW, {(name, 1): cuts.cut(4, cuts.LAST)})
    weights = after[f"{cuts.CROSS}.weights"]
    own = before[:, 1, -1].clone()
    own[:, 4] = 0
    assert torch.allclose(weights[:, 1, -1], own / own.sum(-1, keepdim=True))
    assert weights[:, 1, :-1].equal(before[:, 1, :-1])
    assert weights[:, 0].equal(before[:, 0])


def test_an_edge_is_cut_for_one_head_and_a_word_for_all():
    moved = cuts.edges(trained(), FEW)
    assert (
        moved.shape == cuts.attention_weights(trained(), FEW).shape == (len(FEW), 4, 8)
    )
    before = cuts.answers(trained(), FEW)
    at = f"{cuts.CROSS}.scores"
    own = cuts.answers(trained(), FEW, {(at, 2): cuts.cut(5, cuts.LAST)})
    assert torch.allclose(moved[:, 2, 5], total_variation(before, own))
    each = {(at, h): cuts.cut(5, cuts.LAST) for h in range(4)}
    every = total_variation(before, cuts.answers(trained(), FEW, each))
    assert torch.allclose(cuts.words(trained(), FEW)[:, 5], every)


def test_a_head_that_hands_over_nothing_is_not_missed():
    model = trained()
    nothing = {f"{cuts.CROSS}.v": lambda v: v.index_fill(1, torch.tensor([3]), 0.0)}
    with patch(model, nothing):
        moved = cuts.heads(model, FEW)
    assert moved[:, 3].max() < 1e-6 < moved[:, :3].mean(0).min()


def test_equal_numbers_share_the_mean_of_their_ranks():
    x = torch.tensor([0.0, 2.0, 0.0, 1.0, 2.0, 0.0])
    assert cuts.ranks(x).tolist() == (rankdata(x) - 1).tolist()
    assert cuts.ranks(x.flip(0)).equal(cuts.ranks(x).flip(0))


def test_with_both_paths_cut_nothing_of_the_subject_arrives():
    """No other vector holds it, and the writer cannot look at its own."""
    paths = cuts.paths(trained())
    assert paths["neither"] < 1e-6
    everything = finishing.exchange(lambda start: next_word(trained(), start))
    assert paths["nothing cut"] == pytest.approx(everything["subject"], abs=0.03)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_holds_in_each_of_the_kept_trainings(seed):
    """What notebook 11 says of all five, here of some sentences."""
    model = trained(seed)
    moved = cuts.words(model, FEW).mean(0)
    assert moved[0] < 0.02 < 0.25 < moved[cuts.SUBJECT]  # the name comes first
    assert cuts.agreement(model)["rank correlation"] > 0.85


def test_what_the_kept_results_show_at_both_lengths():
    for one in cuts.EXPERIMENT.results():
        assert one["words"][0] < 0.02 < 0.2 < one["words"][cuts.SUBJECT]
        paths = one["paths"]
        assert paths["neither"] == 0 < paths["not direct"] < paths["nothing cut"]
        assert 0.85 < one["agreement"]["rank correlation"] < 1


def test_the_kept_results_are_of_the_model_that_is_kept():
    [own] = cuts.EXPERIMENT.results(steps=finishing.STEPS, seed=0)
    for name, found in cuts.measure(trained()).items():
        assert own[name] == pytest.approx(found, abs=0.01)
