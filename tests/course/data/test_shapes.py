"""Colored shapes: every picture shows one scene, and what is new is never learned."""

from itertools import combinations

import pytest
import torch

from course.data import shapes
from course.data.shapes import SCENES, Scene, held_out_scenes, learned_scenes, seen

DRAWINGS = shapes.every_drawing()  # (432, 4, 8, 8)


def test_every_drawing_is_seen_as_its_scene_and_no_two_are_alike():
    assert [seen(cells) for ways in DRAWINGS for cells in ways] == [
        scene for scene in SCENES for _ in range(4)
    ]
    assert len(DRAWINGS.flatten(0, 1).flatten(1).unique(dim=0)) == 4 * len(SCENES)


def test_a_place_is_where_the_shape_is():
    for scene, ways in zip(SCENES, DRAWINGS, strict=True):
        filled = (ways > 0).nonzero()[:, 1:]  # of all four drawings
        y, x = (filled.amin(0) + filled.amax(0)) / 2 // (8 / 3)
        row, column = scene.place.split()
        assert (y, x) == (shapes.ROWS.index(row), shapes.COLUMNS.index(column))


def test_one_other_cell_is_no_longer_the_scene():
    draw = torch.Generator().manual_seed(0)
    for n in torch.randint(len(SCENES), (50,), generator=draw).tolist():
        cells = DRAWINGS[n, n % 4].clone()
        place = int(torch.randint(64, (), generator=draw))
        cells.view(-1)[place] = (cells.view(-1)[place] + 1) % 9
        assert seen(cells) != SCENES[n]


@pytest.mark.parametrize("cells", [torch.zeros(8, 8).long(), torch.full((8, 8), -1)])
def test_what_is_no_drawing_shows_nothing(cells):
    assert seen(cells) is None


def test_cells_of_another_size_are_refused():
    with pytest.raises(ValueError, match=r"^cells must have shape \(8, 8\), got \(64,"):
        seen(torch.zeros(64).long())
    with pytest.raises(
        TypeError, match=r"^cells must hold int64 or int32, got torch.f"
    ):
        seen(torch.zeros(8, 8))
    with pytest.raises(TypeError, match=r"^cells must be a torch.Tensor"):
        seen([[0]])


def test_what_is_new_is_not_learned_and_each_two_parts_of_it_are():
    new, learned = {*held_out_scenes()}, {*learned_scenes()}
    assert len(new) == 86
    assert new | learned == {*SCENES}
    assert not new & learned
    for a, b in combinations(range(3), 2):
        known = {(s[a], s[b]) for s in learned}
        assert {(s[a], s[b]) for s in new} <= known


def test_settings_are_chosen_by_others_than_those_that_are_new():
    tried, learned = {*held_out_scenes("choice")}, {*learned_scenes("choice")}
    assert len(tried) == 86
    assert not tried & {*held_out_scenes()}
    assert learned == {*SCENES} - tried - {*held_out_scenes()}


def test_pairs_that_are_apart_are_learned_apart_alone():
    new, learned = held_out_scenes("pairs"), learned_scenes("pairs")
    assert len(new) == 72
    assert not {s[:2] for s in new} & {s[:2] for s in learned}
    for part in range(3):
        assert {s[part] for s in learned} == {s[part] for s in SCENES}


def test_an_unknown_split_is_refused():
    with pytest.raises(ValueError, match=r"^split must be one of \['triples', "):
        held_out_scenes("places")


def test_cells_have_their_color_and_a_photograph_is_near_it():
    cells = shapes.drawn(Scene("orange", "square", "top left"))
    picture = shapes.rgb(cells[None])[0]
    assert picture[:, 1, 1].tolist() == pytest.approx(shapes.COLORS["orange"])
    assert not picture[:, 4:].any()
    assert (shapes.rgb(torch.full((1, 8, 8), -1)) == 0.5).all()  # no cell, so no color
    many = cells.expand(500, 8, 8)
    draw = torch.Generator().manual_seed(0)
    mean = shapes.photographed(many, draw).mean(0)[:, 0, 0]
    assert torch.allclose(mean, 0.825 * picture[:, 0, 0], atol=0.06)


def test_drawings_are_of_the_scenes_that_are_asked_for():
    asked = [SCENES[n] for n in (400, 3, 3, 77)]
    draw = torch.Generator().manual_seed(0)
    drawn = shapes.drawings(shapes.numbers(asked), draw)
    assert [seen(cells) for cells in drawn] == asked
