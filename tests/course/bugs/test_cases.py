"""Each of the twelve bugs: a law is red with it, and its symptom goes with it."""

import re

import pytest
import torch
from torch.nn import functional as F

from course.bugs import cases, program
from course.bugs.cases import CASES
from course.bugs.instruments import INSTRUMENTS, TrainingRun, difference
from course.bugs.program import Parts, Settings, build

each = pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.title)


# ── a law for each, which needs no training ───────────────────────────────────
def a_label_is_the_token_after_its_input(shift):
    ids = torch.arange(12).view(2, 6)
    inputs, labels = shift(ids)
    assert (labels == inputs + 1).all()


def the_first_query_attends_to_itself(weights):
    found = weights(torch.randn(4, 4), torch.ones(4, 4).tril() == 1)
    assert found[0].tolist() == [1, 0, 0, 0]


def a_row_of_a_head_holds_numbers_of_its_token(split):
    token = torch.arange(5)[None, :, None].expand(2, 5, 8)
    found = split(token.contiguous(), 4)
    assert (found == torch.arange(5)[:, None]).all()


def padding_does_not_change_the_loss(loss):
    logits, labels = torch.randn(2, 4, 6), torch.randint(1, 6, (2, 4))
    padded = F.pad(logits, (0, 0, 0, 3)), F.pad(labels, (0, 3))
    torch.testing.assert_close(loss(logits, labels, 0), loss(*padded, 0))


def a_cache_continues_the_positions(positions):
    one_by_one = torch.cat([positions(1, n) for n in range(5)])
    assert (one_by_one == positions(5, 0)).all()


def dropout_keeps_the_mean(drop):
    noise = torch.arange(1000) / 1000
    assert drop(torch.ones(1000), 0.2, noise).mean() == pytest.approx(1)


def weights_of_a_query_sum_to_one(attend):
    mask = torch.ones(5, 5).tril() == 1
    found = attend(torch.randn(5, 8), torch.randn(5, 8), mask)
    torch.testing.assert_close(found.sum(dim=-1), torch.ones(5))


def an_impossible_token_makes_no_loss_infinite(smooth):
    logits = torch.tensor([[-torch.inf, 0.0, 1.0, 2.0]])
    assert smooth(logits, torch.tensor([2]), 0.1, 0).isfinite().all()


def a_score_depends_on_the_distance_only(rotate):
    q, k = torch.randn(2, 1, 8)
    here, there = (
        rotate(q, torch.tensor([m])) @ rotate(k, torch.tensor([m + 3])).mT
        for m in (0, 50)
    )
    torch.testing.assert_close(here, there, rtol=1e-3, atol=1e-3)


def the_spread_of_scores_does_not_grow_with_their_terms(scores):
    for d_k in (4, 400):
        found = scores(torch.randn(200, d_k), torch.randn(200, d_k))
        assert 0.8 < found.std() < 1.2


def evaluation_repeats(drop):
    x = torch.randn(50)
    assert (drop(x, 0.5, False) == x).all()
    assert (drop(torch.ones(500), 0.5, True) == 0).any()


def tied_matrices_are_one(tie):
    embedding, output = tie(5, 3, torch.randn)
    assert output is embedding


LAWS = {
    1: a_label_is_the_token_after_its_input,
    2: the_first_query_attends_to_itself,
    3: a_row_of_a_head_holds_numbers_of_its_token,
    4: padding_does_not_change_the_loss,
    5: a_cache_continues_the_positions,
    6: dropout_keeps_the_mean,
    7: weights_of_a_query_sum_to_one,
    8: an_impossible_token_makes_no_loss_infinite,
    9: a_score_depends_on_the_distance_only,
    10: the_spread_of_scores_does_not_grow_with_their_terms,
    11: evaluation_repeats,
    12: tied_matrices_are_one,
}


@each
def test_its_law_is_red_with_the_bug_and_green_once_it_is_mended(case):
    torch.manual_seed(0)
    LAWS[case.number](case.function("mended"))
    with pytest.raises(AssertionError):
        LAWS[case.number](case.function("planted"))


@each
def test_its_symptom_is_there_with_the_bug(case):
    assert not case.gone(case.run(case.function("planted")).numbers)


@pytest.fixture(scope="module")
def trained_once():
    """Mended programs are the same where they are built alike: each is trained once."""
    made = {}

    def trained(settings, parts, seed):
        built = settings, parts.attend is None, seed
        if built not in made:
            made[built] = program.trained(settings, parts, seed)
        return made[built]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cases, "trained", trained)
        yield


@each
def test_its_symptom_is_gone_once_it_is_mended(case, trained_once):
    assert case.gone(case.run(case.function("mended")).numbers)


# ── its texts ─────────────────────────────────────────────────────────────────
@each
def test_four_suspects_are_answered_and_one_is_guilty(case):
    assert len(case.suspects) == 4
    guilty = [name for name, said in case.suspects.items() if said.startswith("Yes. ")]
    assert guilty == [case.culprit]
    for name, said in case.suspects.items():
        assert len(name) <= 14
        assert said.endswith((".", "?"))
        assert 25 < len(said) <= 300
    assert case.culprit not in case.title
    assert re.fullmatch(r"[\w-]+/[\w-]+#\d+", case.thread)


def test_the_guilty_one_is_not_always_at_the_same_place():
    places = [[*case.suspects].index(case.culprit) for case in CASES.values()]
    assert {*places} == {0, 1, 2, 3}
    assert max(places.count(n) for n in range(4)) <= 5


@each
def test_the_bug_is_the_planted_mistake_of_its_exercise(case):
    exercise = case.exercise
    assert exercise.name == f"case_{case.number}"
    assert exercise.planted == next(iter(exercise.mistakes))
    assert exercise.template != exercise.solution
    assert len(exercise.mistakes) >= 6  # the planted one, and five that people make


# ── the instruments ───────────────────────────────────────────────────────────
def test_a_healthy_program_rings_no_instrument():
    untrained = build(Settings(), Parts(), 0)
    healthy = TrainingRun(Settings(), Parts(), untrained, 0)
    found = {name: ask(healthy) for name, ask in INSTRUMENTS.items()}
    start = found["first loss"]
    assert start["loss"] == pytest.approx(start["log V"], abs=0.1)
    assert found["leak detector"]["largest move"] < 1e-5
    assert found["permutation"]["difference"] < 1e-5
    assert found["gradient check"]["error"] < 1e-3
    assert {*found["layer by layer"].values()} == {0}
    assert max(found["with a cache"].values()) < 1e-4
    evaluation = found["train and eval"]
    assert evaluation["evaluation"] == evaluation["once more"]


def test_a_difference_takes_equal_infinities_for_equal():
    a = torch.tensor([1.0, -torch.inf])
    assert difference(a, a) == 0
    assert difference(a, torch.tensor([1.5, -torch.inf])) == 0.5
    assert difference(a, a[:1]) == torch.inf
