"""Pre-trained or not: what is drawn, what is trained, and what the files hold."""

from collections import Counter
from dataclasses import replace

import pytest
import torch

from course.data.dictionary import KINDS, sample
from course.experiments import fine_tuning
from course.experiments.fine_tuning import (
    BAG,
    CHOOSING,
    DRAWS,
    METHODS,
    ONE_VECTOR,
    READERS,
    classifier_of,
    curve,
    examples,
)
from course.models.classifier import fit, labeled
from course.models.dictionary import SIZES
from course.models.lora import trained_parameters
from course.models.small_model import SmallModel
from transformer_lib.runtime.seed import derive_seed
from transformer_lib.training import seeded


@pytest.fixture
def bare(monkeypatch):
    """Let all models be untrained ones, and the judged nouns and the steps be few."""
    monkeypatch.setattr(
        SmallModel, "trained", lambda small: SmallModel.untrained(small, 7)
    )
    few = sample()._replace(
        held_out=sample().held_out[:20], validation=sample().validation[:20]
    )
    monkeypatch.setattr(fine_tuning, "sample", lambda: few)
    monkeypatch.setattr(fine_tuning, "everything", lambda: few)
    monkeypatch.setattr(fine_tuning, "STEPS", dict.fromkeys(fine_tuning.COUNTS, 6))
    fine_tuning.judged.cache_clear()
    yield
    fine_tuning.judged.cache_clear()


def test_so_many_examples_of_each_kind_are_drawn_or_all_that_there_are():
    drawn = examples(sample().learned, 5, 0)
    assert Counter(entry.kind for entry in drawn) == dict.fromkeys(KINDS.values(), 5)
    assert len({*drawn}) == len(drawn)
    every = Counter(entry.kind for entry in sample().learned)
    assert Counter(e.kind for e in examples(sample().learned, 100, 0)) == every


def test_draws_differ_and_the_one_to_choose_by_is_none_of_those_to_judge_by():
    drawn = {tuple(examples(sample().learned, 5, draw)) for draw in (*DRAWS, CHOOSING)}
    assert len(drawn) == len(DRAWS) + 1


@pytest.mark.parametrize("reader", READERS)
def test_a_method_trains_its_own_part(bare, reader):
    D, layers, head = SIZES.d_model, 4, 25 * (SIZES.d_model + 1)
    counts = {m: trained_parameters(classifier_of(reader, m)) for m in METHODS}
    assert counts["frozen"] == head
    assert counts["LoRA"] == head + layers * 2 * 8 * 2 * D
    assert counts["fine-tuned"] == counts["from scratch"] > 1_000_000
    low = trained_parameters(classifier_of(reader, "LoRA", rank=2))
    assert low == head + layers * 2 * 2 * 2 * D


@pytest.mark.parametrize("method", METHODS)
def test_pre_trained_weights_are_the_models_and_others_are_the_seed_s(bare, method):
    one, other = (classifier_of("GPT", method, seed) for seed in (0, 1))
    same = one.model.embedding.weight.equal(other.model.embedding.weight)
    assert same == (method != "from scratch")
    again = classifier_of("GPT", method, 1)
    state = again.state_dict()
    assert all(x.equal(state[name]) for name, x in other.state_dict().items())
    assert not one.head.weight.equal(other.head.weight)


def test_only_what_a_method_trains_changes(bare):
    known = labeled(examples(sample().learned, 1, 0))
    classifier = classifier_of("GPT", "LoRA")
    before = {name: x.clone() for name, x in classifier.state_dict().items()}
    for _ in curve(classifier, known, 3, 0.01, stages=1):
        pass
    after = classifier.state_dict()
    changed = {name for name, x in before.items() if not x.equal(after[name])}
    assert all("head" in n or n.endswith((".A", ".B")) for n in changed)
    assert len(changed) == 2 + 4 * 2 * 2


def test_a_curve_has_a_point_for_each_stage(bare):
    known = labeled(examples(sample().learned, 1, 0))
    points = [*curve(classifier_of("BERT", "fine-tuned"), known, 7, 0.001, stages=3)]
    assert [point["step"] for point in points] == [3, 5, 7]
    assert {*points[0]} == {"step", "loss", "validation loss", "validation accuracy"}


@pytest.mark.parametrize("reader", [*READERS, *ONE_VECTOR, BAG])
def test_the_best_rate_is_used_and_a_run_follows_from_its_draw(
    bare, reader, tmp_path, monkeypatch
):
    method = BAG if reader == BAG else "frozen"
    count = 20 if reader in ONE_VECTOR else 5
    rates = fine_tuning.RATES[method]

    def choose(rate, **_):
        return {"accuracy": {rates[0]: 0.2, rates[1]: 0.5}.get(rate, 0.5)}

    choice = replace(fine_tuning.CHOICE, folder=tmp_path, measure=choose)
    choice.write()
    monkeypatch.setattr(fine_tuning, "CHOICE", choice)
    one = fine_tuning.run(reader, method, count, 0)
    assert one["rate"] == rates[1]  # of two that are best, the first
    assert one == fine_tuning.run(reader, method, count, 0)
    assert 0 <= one["accuracy"] <= 1
    if reader != BAG:
        assert [*map(len, one["curve"].values())] == [fine_tuning.STAGES] * 4


@pytest.fixture
def chosen(bare, monkeypatch):
    """Let `CHOICE` have chosen rates, in which methods differ, and examples be few."""
    rates = {"LoRA": 0.01, "frozen": 0.02, "fine-tuned": 0.001}
    monkeypatch.setattr(
        fine_tuning, "best", lambda reader, method, count: rates[method]
    )
    learned = examples(sample().learned, 1, 0)
    monkeypatch.setattr(
        fine_tuning, "everything", lambda: sample()._replace(learned=learned)
    )
    return rates


@pytest.mark.parametrize("rank", [0, 1, 8])
def test_a_rank_is_measured_as_its_method_is(chosen, rank):
    row = fine_tuning.by_rank(rank, 1)
    method = "LoRA" if rank else "frozen"
    assert row["rate"] == chosen[method]
    other = fine_tuning.learn("GPT", method, 20, 1, row["rate"], rank or 8)
    assert row["accuracy"] == other["accuracy"]
    if rank in (0, 8):  # what is measured by default
        plain = fine_tuning.learn("GPT", method, 20, 1, row["rate"])
        assert row["accuracy"] == plain["accuracy"]


def test_what_changed_is_the_product_of_its_factors(chosen):
    row = fine_tuning.changed(0)
    known = labeled(fine_tuning.everything().learned)
    classifier = classifier_of("GPT", "fine-tuned", 0)
    W = classifier.model.get_submodule(fine_tuning.CHANGED).weight
    before = W.detach().clone()
    with seeded(derive_seed(0, "dropout")):
        list(fit(classifier, known, 6, row["rate"], 0))
    change = (W.detach() - before).double()
    B, A = (torch.tensor(row[name]).double() for name in "BA")
    n = fine_tuning.CORNER
    assert torch.allclose(B @ A, change[:n, :n], atol=1e-6)
    sizes = torch.tensor(row["sizes"]).double()
    assert sizes.square().sum() == pytest.approx(change.square().sum().item())
    # The first columns and rows are the best approximation of a rank.
    U, S, V = torch.linalg.svd(change)
    best = (U[:, :2] * S[:2]) @ V[:2]
    assert torch.allclose(B[:, :2] @ A[:2], best[:n, :n], atol=1e-6)


def test_settings_are_chosen_by_the_validation_entries(bare, monkeypatch):
    """The held-out entries play no part."""
    monkeypatch.setattr(fine_tuning, "DRAWS", ())
    one = fine_tuning.choose("GPT", "frozen", 5, 0.01)
    row = fine_tuning.learn("GPT", "frozen", 5, CHOOSING, 0.01)
    assert one == {"accuracy": row["curve"]["validation accuracy"][-1]}
    assert fine_tuning.choose(BAG, BAG, 5, 5.0) == {
        "accuracy": fine_tuning.of_bag(
            examples(sample().learned, 5, CHOOSING), sample().validation[:20], 5.0
        )
    }


def test_an_unknown_reader_or_method_is_refused():
    with pytest.raises(ValueError, match=r"reader must be one of .*, got 'T5'"):
        classifier_of("T5", "frozen")
    with pytest.raises(ValueError, match=r"method must be one of .*, got 'thawed'"):
        classifier_of("GPT", "thawed")


def test_every_run_has_rates_that_were_tried():
    tried = {(r["reader"], r["method"], r["count"]) for r in fine_tuning.CHOICE.runs}
    for one in (fine_tuning.BAGS, fine_tuning.BY_BERT, fine_tuning.BY_GPT):
        assert {(r["reader"], r["method"], r["count"]) for r in one.runs} <= tried
