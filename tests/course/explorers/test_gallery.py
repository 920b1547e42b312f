"""The tests' gallery holds every explorer, and none of them grows as it is moved."""

import gc
import importlib
import inspect
import pkgutil
import sys
import tracemalloc

import pytest
from gallery import (
    A_FEW,
    EDITED,
    GALLERY,
    KINDS,
    MOVED,
    SENTENCES,
    STATES,
    TYPED,
    a_few,
    is_slider,
    kinds,
    sentences,
    typed,
)

from course import explorers
from course.explorers.layers import depth_training
from explorable import plots

KEPT = 50 * 64  # bytes: one small tuple kept per move is more


def makers():
    """Name every function of the package that anyone may call for an explorer."""
    for found in pkgutil.walk_packages(explorers.__path__, f"{explorers.__name__}."):
        module = importlib.import_module(found.name)
        for name, made in inspect.getmembers(module, inspect.isfunction):
            returns = str(made.__annotations__.get("return", ""))
            if "Explorer" in returns and not name.startswith("_"):
                yield name


#: Those that are walked through step by step, and through nothing else.
STEPPED = ["decoding", "define", "kv_cache", "picture_writing", "training_scrubber"]
STEPPED += ["online_softmax", "speculative"]


@pytest.mark.parametrize("name", STEPPED)
@pytest.mark.parametrize("by", [1, -1])
def test_next_and_back_change_the_step_and_no_other_control(by, name):
    """Next once set the layer that was looked at back to the first."""
    explorer = GALLERY[name].make(4)
    others = [c for c in explorer.controls.values() if hasattr(c, "max")]
    for control in others:
        if control is not explorer.controls["step"]:
            control.value = control.max
    explorer.controls["step"].value = explorer.way[1]["step"]
    before = dict(explorer.settings)
    explorer.go(by)
    moved = {key for key, x in explorer.settings.items() if x != before[key]}
    assert moved == {"step"}


def test_the_lists_of_the_gallery_are_what_its_explorers_have():
    built = {name: exhibit.example for name, exhibit in GALLERY.items()}
    assert a_few({name: kinds(explorer) for name, explorer in built.items()}) == A_FEW
    assert [name for name, explorer in built.items() if typed(explorer)] == TYPED
    assert {name for name, explorer in built.items() if explorer.inputs} == {*EDITED}
    texts = {name: sentences(explorer) for name, explorer in built.items()}
    assert {name: some for name, some in texts.items() if some} == SENTENCES


def test_what_an_exhibit_learns_is_learned_once(monkeypatch):
    exhibit = GALLERY["depth_training"]
    shown = exhibit.make(4).text()
    monkeypatch.setattr(depth_training, "learn_steps", None)
    assert exhibit.make(4).text() == shown


def test_the_numbers_of_a_slider_rise():
    sliders = {
        (name, key): [*control.options]
        for name, exhibit in GALLERY.items()
        for key, control in exhibit.example.controls.items()
        if hasattr(control, "options") and is_slider(control)
    }
    assert sliders
    assert [at for at, some in sliders.items() if some != sorted({*some})] == []


def test_every_tile_has_one_of_the_shades_that_there_are():
    tiles = {
        (name, drawing.name): exhibit.example.values[drawing.name]
        for name, exhibit in GALLERY.items()
        for drawing in exhibit.example.drawings
        if drawing.kind == "tiles"
    }
    assert tiles
    for where, (*_, shades) in ((where, x.T) for where, x in tiles.items()):
        assert set(shades) <= {*range(plots.STEPS + 1)}, where


def test_every_explorer_is_exported_and_in_the_gallery():
    assert set(makers()) == set(GALLERY) - set(KINDS) - set(STATES)
    offered = {name for name, x in vars(explorers).items() if callable(x)}
    assert offered == {"Explorer", "quiz", *makers()}


@pytest.mark.parametrize("name", MOVED)
def test_what_a_gallery_moves_is_there_and_can_go_two_steps_down(name):
    exhibit = GALLERY[name]
    explorer = exhibit.make(8)
    assert exhibit.moves in {*explorer.controls, *explorer.inputs}
    before = explorer.text()
    exhibit.move(explorer, 1)
    assert explorer.text() != before
    exhibit.move(explorer, 0)
    assert explorer.text() == before


@pytest.mark.parametrize("name", GALLERY)
def test_what_is_written_into_the_values_does_not_reach_the_next_explorer(name):
    first = GALLERY[name].make(8)
    expected = first.text()
    for array in first.values.values():
        array[...] = 0.5
    assert GALLERY[name].make(8).text() == expected


@pytest.mark.parametrize("name", [name for name in MOVED if name in A_FEW])
def test_50_moves_leave_no_memory_behind(name):
    exhibit = GALLERY[name]
    explorer = exhibit.make(8)

    def moved(times):
        for turn in range(times):
            exhibit.move(explorer, 1 + turn % 2)
        gc.collect()
        # Python remembers up to 4,096 names that were looked for in classes.
        sys._clear_type_cache()
        return tracemalloc.get_traced_memory()[0]

    gc.freeze()  # what was there before need not be looked through
    tracemalloc.start()
    try:
        after = moved(25)  # what is replaced now was there before anyone counted
        for _ in range(2):  # Python itself may enlarge its table of names, but once
            before, after = after, moved(50)
            if after - before <= KEPT:
                break
    finally:
        tracemalloc.stop()
        gc.unfreeze()
    assert after - before <= KEPT
