"""Handwritten digits: who learns from which, and what is done to them."""

import pytest
import torch
from sklearn.datasets import load_digits

from course.data.digits import FOLDS, augmented, digits, folds, shifted

NEW = digits("held out")


def test_what_is_new_stands_behind_all_that_is_learned():
    half = digits("first half")
    assert len(half.digits) + len(NEW.digits) == 1797
    known = {tuple(picture.flatten().tolist()) for picture in half.pictures}
    assert not known & {tuple(picture.flatten().tolist()) for picture in NEW.pictures}


def test_every_digit_of_the_first_half_is_asked_once_behind_all_others():
    half = digits("first half")
    asked = [*folds()]
    assert torch.cat([one.pictures for _, one in asked]).equal(half.pictures)
    for n, (known, _) in enumerate(asked):
        others = [one.digits for m, (_, one) in enumerate(asked) if m != n]
        assert known.digits.equal(torch.cat(others))


def test_no_form_is_in_two_parts():
    """Every form begins with the digits 0 to 9, three times."""
    labels = torch.cat([digits("first half").digits, NEW.digits])
    form = torch.arange(10).repeat(3)
    agree = labels.unfold(0, 30, 1).eq(form).sum(1)  # of 30; some digits are missing
    begins = {n for n, right in enumerate(agree.tolist()) if right >= 29}
    assert len(begins) == 13
    cuts = [0, *FOLDS]
    assert FOLDS[-1] == len(digits("first half").digits)
    assert all(cut in begins or cut - 1 in begins for cut in cuts)


def test_every_digit_is_in_every_part_and_ink_lies_between_0_and_1():
    for part in ("first half", "held out"):
        pictures, names = digits(part)
        assert names.bincount().min() > 10
        assert (pictures.min(), pictures.max()) == (0, 1)
        assert pictures.shape == (len(names), 8, 8)


def test_the_digits_are_those_that_scikit_learn_gives():
    kept = load_digits()
    pictures = torch.cat([digits("first half").pictures, NEW.pictures])
    assert pictures.equal(torch.tensor(kept.images / 16, dtype=torch.float32))
    names = torch.cat([digits("first half").digits, NEW.digits])
    assert names.equal(torch.tensor(kept.target))


def test_an_unknown_part_is_refused():
    with pytest.raises(ValueError, match=r"^part must be one of \['first half', "):
        digits("test")


@pytest.mark.parametrize(("right", "down"), [(1, 0), (-1, 0), (0, 2), (-2, -1), (9, 0)])
def test_every_pixel_is_pushed_and_paper_comes_in(right, down):
    moved = shifted(NEW.pictures[:3], right, down)
    for y in range(8):
        for x in range(8):
            inside = 0 <= y - down < 8 and 0 <= x - right < 8
            came = NEW.pictures[:3, y - down, x - right] if inside else torch.zeros(3)
            assert moved[:, y, x].equal(came)


def test_varied_by_nothing_a_picture_stays():
    draw = torch.Generator().manual_seed(0)
    same = augmented(NEW.pictures[:20], draw, push=0, turn=0, stretch=0)
    assert torch.allclose(same, NEW.pictures[:20], atol=1e-5)
    fine = NEW.pictures[:20].double()
    assert augmented(fine, draw, push=0, turn=0, stretch=0).dtype == torch.float64


def test_chance_varies_each_picture_in_its_own_way_and_the_same_chance_alike():
    one = NEW.pictures[:1].expand(20, 8, 8)
    first, again = (augmented(one, torch.Generator().manual_seed(3)) for _ in range(2))
    assert first.equal(again)
    assert len(first.flatten(1).unique(dim=0)) == 20
    assert 0 <= first.min() <= first.max() <= 1 + 1e-6


def test_a_dot_is_pushed_by_a_pixel_at_most():
    dots = torch.zeros(200, 8, 8)
    dots[:, 3:5, 3:5] = 1
    moved = augmented(dots, torch.Generator().manual_seed(0), push=1, turn=0, stretch=0)
    assert torch.allclose(moved.sum((1, 2)), torch.tensor(4.0), atol=1e-4)
    places = torch.arange(8.0)
    for centre in (moved.sum(1) @ places / 4, moved.sum(2) @ places / 4):
        assert centre.min() >= 2.5 - 1e-4
        assert centre.max() <= 4.5 + 1e-4
        assert centre.std() > 0.4
