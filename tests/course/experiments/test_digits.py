"""Who reads digits of new writers, and who still does once they are pushed."""

from itertools import chain, product

import pytest
import torch

from course.data.digits import FOLDS, Digits
from course.data.digits import digits as of
from course.experiments import digits


def test_who_knows_every_picture_as_it_is_knows_none_that_is_pushed():
    new = of("held out")
    known = {tuple(x.flatten().tolist()): int(y) for x, y in zip(*new, strict=True)}

    def says(pictures):
        return torch.tensor(
            [known.get(tuple(x.flatten().tolist()), -1) for x in pictures]
        )

    came = digits.measure(says)
    assert came.pop("as they are") == 1
    assert (
        max(came.values()) < 0.4
    )  # a digit with white sides may be another one, moved
    assert len(came) == 4


def test_who_says_one_digit_is_right_where_it_stands():
    asked = Digits(torch.zeros(5, 8, 8), torch.tensor([1, 7, 7, 0, 7]))
    assert digits.accuracy(lambda x: torch.full((len(x),), 7), asked) == pytest.approx(
        0.6
    )


def test_rules_are_fitted_to_what_they_are_given():
    known = Digits(*(x[:80] for x in of("first half")))
    assert tuple(digits.rules()) == digits.RULES
    for rule in chain(*digits.rules().values()):
        assert digits.accuracy(digits.fitted(rule, known), known) > 0.85


def test_what_a_network_says_follows_from_its_seed():
    known = Digits(*(x[:80] for x in of("first half")))
    asked = of("held out").pictures[:200]
    for name in digits.NETWORKS:
        one, again, other = (
            digits.network(name, digits.CHOSEN, 15, seed, known)(asked)
            for seed in (0, 0, 1)
        )
        assert one.equal(again)
        assert not one.equal(other)


def test_what_the_kept_results_show():
    kept = digits.EXPERIMENT.results()
    axes = ("reader", "augmentation", "steps", "seed")
    by_reader = {tuple(one[axis] for axis in axes): one for one in kept}
    assert len(by_reader) == len(kept)
    for seed, steps in product(range(5), digits.LENGTHS):
        vit, mlp = (
            by_reader[name, digits.CHOSEN, steps, seed] for name in digits.NETWORKS
        )
        assert vit["as they are"] >= 0.96
        plain = by_reader["ViT", "nothing", steps, seed]
        for push in digits.PUSHES:
            assert plain[push] < vit[push]
            assert by_reader["MLP", "nothing", steps, seed][push] < mlp[push]
            assert by_reader["SVM", "nothing", 0, 0][push] < vit[push] + 0.01


def test_twice_as_many_steps_help_a_vit_little_as_the_quiz_says():
    axes = {"reader": "ViT", "augmentation": "nothing", "steps": digits.LENGTHS}
    for push in [*digits.PUSHES][1:]:
        short, long = digits.EXPERIMENT.table(push, **axes).mean(1)
        assert long - short < 0.03


def test_the_augmentation_is_the_best_of_those_that_were_tried():
    kept = digits.CHOICE.results(steps=digits.FEWER)
    tried = {one["augmentation"]: one["accuracy"] for one in kept}
    assert {len(shares) for shares in tried.values()} == {len(FOLDS)}
    assert max(tried, key=lambda one: sum(tried[one])) == digits.CHOSEN
