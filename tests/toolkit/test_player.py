"""A player of steps: its buttons set controls, and playing outlives what fails."""

import asyncio

import pytest
from loop import in_a_loop

from explorable import Axis, Sheet, player
from explorable.controls import stops, whole
from explorable.player import Player


@pytest.fixture
def quick(monkeypatch):
    """Playing goes on at once."""
    monkeypatch.setitem(player.PACES, "2 s each", 0.0)


def lab(fails=None, last=4, **controls):
    controls = {"step": whole("step", 1, 1, 9)} | controls

    def sheet(*, step, **others):
        if fails and step in fails:
            raise fails[step]
        s = Sheet()
        if last:
            s.control("step", max=last)
        s.show(s.leaf("x", Axis("row", ("a",)), "column", [[float(step)]]))
        return s

    return Player("lab", sheet, controls)


def step(explorer):
    return explorer.controls["step"].value


def test_next_sets_the_step_alone_where_the_way_leads_through_steps():
    """It once set the layer to 1."""
    explorer = lab(layer=whole("layer", 4, 1, 4))
    explorer.go(1)
    assert explorer.settings == {"step": 2, "layer": 4}


def test_the_way_ends_where_the_sheet_says():
    explorer = lab()
    for button, at in (("To the end", 4), ("Next", 4), ("Back", 3)):
        next(b for b in explorer._buttons if b.description == button).click()
        assert step(explorer) == at


def test_the_buttons_stand_together_before_the_step():
    explorer = lab()
    first = next(box for box in explorer.children if "tl-controls" in box._dom_classes)
    buttons, after, *_ = first.children[0].children
    assert [*buttons.children] == explorer._buttons
    assert after is explorer.controls["step"]


def test_the_way_of_a_slider_over_stops_is_its_stops():
    explorer = lab(step=stops("step", [1, 5], 1), last=None)
    assert explorer.way == [{"step": 1}, {"step": 5}]


def test_a_step_that_fails_is_said_and_playing_goes_on(quick):
    explorer = lab({2: RuntimeError("no"), 3: ValueError("3 must not be")})
    said = []
    explorer.view.observe(lambda change: said.append(change.new), "message")

    async def played():
        explorer.play()
        await asyncio.wait_for(explorer._task, 20)

    in_a_loop(played())
    assert said == ["RuntimeError: no", "3 must not be", ""]
    assert step(explorer) == 4
    assert explorer._play.description == "Play"


def test_playing_that_is_broken_off_leaves_its_button_as_it_was(quick, monkeypatch):
    explorer = lab()

    def break_off(_):
        raise asyncio.CancelledError

    async def played():
        explorer.play()
        assert explorer._play.description == "Stop"
        monkeypatch.setattr(explorer, "_go", break_off)
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(explorer._task, 20)

    in_a_loop(played())
    assert explorer._play.description == "Play"
