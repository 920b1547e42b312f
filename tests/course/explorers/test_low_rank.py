"""low_rank: what it counts is what LoRA trains, and a product is of its rank."""

import numpy as np
import pytest

from course import explorers
from course.experiments.fine_tuning import BY_GPT, BY_RANK, CHANGED, RANKS
from course.explorers.language.low_rank import ALL, found
from course.models.dictionary import GPT
from course.models.lora import LoRA, add_lora, trained_parameters

COSTS, BRINGS = "all updates", "accuracy of LoRA"


def drawing(explorer, title):
    return next(d for d in explorer.drawings if d.title == title)


@pytest.mark.parametrize("rank", [r for r in RANKS if r])
def test_its_numbers_are_what_lora_counts(rank):
    model = GPT.trained()
    everything = trained_parameters(model)
    add_lora(model, rank)
    explorer = explorers.low_rank(rank)
    few = trained_parameters(model)
    share = explorer.values["parameters"][RANKS.index(rank), 0]
    assert share == pytest.approx(100 * few / everything)
    one = model.get_submodule(CHANGED)
    assert isinstance(one, LoRA)
    in_one = trained_parameters(one)
    drawn = drawing(explorer, COSTS)
    assert f"{everything:,}" in drawn.formula
    assert drawn.note == f"8 × {in_one:,} = {few:,} parameters"
    assert drawing(explorer, "BA").formula == "{0} × {0}".format(len(one.B))
    assert drawing(explorer, "B").formula == "{} × {}".format(*one.B.shape)
    assert drawing(explorer, "A").formula == "{} × {}".format(*one.A.shape)


def test_w_is_the_models_own():
    values = explorers.low_rank(2).values
    W = GPT.trained().get_parameter(f"{CHANGED}.weight").detach().double().numpy()
    assert np.array_equal(values["W"], W[:8, :8])


@pytest.mark.parametrize("rank", [r for r in RANKS if r])
def test_the_product_is_of_its_rank_and_comes_closer_to_the_change(rank):
    values = explorers.low_rank(rank).values
    np.testing.assert_allclose(values["B"] @ values["A"], values["BA"], atol=1e-12)
    assert np.linalg.matrix_rank(values["BA"]) == min(rank, 8)
    shares = found().shares
    assert shares[0] == 0 < shares[1] < shares[rank] + 1e-9
    assert shares[-1] == 1
    assert (np.diff(shares, 2) < 1e-9).all()  # each further rank holds less


def test_with_the_highest_rank_nearly_all_of_the_change_is_there():
    values = explorers.low_rank(80).values
    left = values["change"] - values["BA"]
    assert np.square(left).sum() < 0.05 * np.square(values["change"]).sum()


def test_a_rank_of_zero_has_no_update():
    explorer = explorers.low_rank(0)
    assert not explorer.values["BA"].any()
    assert {"A", "B"}.isdisjoint(explorer.values)
    assert explorer.values["parameters"][0, 0] == 0


@pytest.mark.parametrize("rank", RANKS)
def test_accuracies_are_the_stored_ones_up_to_its_rank(rank):
    explorer = explorers.low_rank(rank)
    shown = explorer.values["accuracy"][:, 0]
    for n, other in enumerate(RANKS):
        rows = BY_RANK.results(rank=other)
        known = np.mean([row["accuracy"] for row in rows])
        assert shown[n] == (pytest.approx(known) if other <= rank else 0)
    drawn = drawing(explorer, BRINGS)
    assert drawn.hidden[:, 0].tolist() == [other > rank for other in [*RANKS, 0]]
    assert [label for label in drawn.labels if "✓" in label] == [f"r = {rank} ✓"]
    whole = BY_GPT.table("accuracy", method="fine-tuned", count=20)
    assert shown[-1] == pytest.approx(whole.mean())  # a bar that no number lies on


def test_full_fine_tuning_is_the_last_bar_and_no_rank_to_choose():
    explorer = explorers.low_rank(8)
    for title in (COSTS, BRINGS):
        drawn = drawing(explorer, title)
        assert drawn.rest
        assert drawn.labels[-1] == ALL
        assert drawn.choice(len(RANKS), 0) is None
    assert explorer.values["parameters"][-1, 0] == 100


def test_a_click_on_a_bar_sets_its_rank():
    explorer = explorers.low_rank()
    for title in (COSTS, BRINGS):
        for n, rank in enumerate(RANKS):
            assert drawing(explorer, title).choice(n, 0) == ("rank", rank)


@pytest.mark.parametrize("rank", [-1, 3, 81, 160])
def test_a_rank_that_was_not_measured_is_refused(rank):
    with pytest.raises(ValueError, match=rf"^rank must be .*, got {rank}"):
        explorers.low_rank(rank)


@pytest.mark.parametrize("rank", ["8", 8.0, True, None])
def test_a_rank_that_is_no_whole_number_is_refused(rank):
    with pytest.raises(TypeError, match=r"^rank must be .*, got "):
        explorers.low_rank(rank)
