"""Two shapes side by side, and what is no longer true of them."""

import random
from collections import defaultdict

import torch

from course.data.captions import LENGTH
from course.data.shapes import COLORS
from course.data.two_shapes import (
    Two,
    altered,
    caption,
    exchanged,
    mirrored,
    pictures,
    split,
)

LEARNED, NEW = split()


def test_changes_are_what_their_names_say():
    two = Two("red", "square", "blue", "cross")
    assert exchanged(two) == Two("blue", "square", "red", "cross")
    assert mirrored(two) == Two("blue", "cross", "red", "square")
    for some in NEW:
        other = altered(some)
        assert other[1:] == some[1:]
        assert other.left_color not in (some.left_color, some.right_color)


def test_nothing_new_becomes_of_what_is_learned_when_parts_are_exchanged():
    assert len({*NEW}) == 336
    assert len({*LEARNED}) == 1344
    for change in (exchanged, mirrored):
        assert {*map(change, NEW)} == {*NEW}
        assert {*map(change, LEARNED)} == {*LEARNED}
    assert not {*NEW} & {*LEARNED}


def test_no_caption_is_true_of_two_pictures():
    true_of = defaultdict(set)
    chance = random.Random(0)
    for two in 3 * NEW:
        true_of[caption(two, chance)].add(two)
    assert {len(twos) for twos in true_of.values()} == {1}
    assert max(len(text.split()) for text in true_of) < LENGTH


def test_each_half_of_a_picture_has_the_color_of_its_shape():
    cells = pictures(NEW, random.Random(0), torch.Generator().manual_seed(0))
    for two, picture in zip(NEW, cells, strict=True):
        for half, color in (
            (picture[:, :4], two.left_color),
            (picture[:, 4:], two.right_color),
        ):
            assert {*half.flatten().tolist()} == {0, 1 + [*COLORS].index(color)}
