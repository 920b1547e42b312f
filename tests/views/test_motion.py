"""A change eases and keeps no other one waiting; some readers ask for no motion."""

import pytest
from gallery import GALLERY
from views.page import account

FRAMES = """async () => {
    for (let n = 0; n < 3; n += 1) await new Promise(requestAnimationFrame);
}"""
#: Of each kind: the explorer, a control and its next value, what eases, in which style.
EASED = {
    "cells": (
        "softmax_bench",
        "multiply",
        2.0,
        "td[data-panel=moved]",
        "background-color",
    ),
    "bars": ("add_and_norm", "shift", 2.0, ".tl-fill", "width"),
    "ribbons": ("coreference", "cut", "to its noun", ".tl-links path", "stroke-width"),
    "curves": ("positional_encoding", "base", 10, ".tl-curve path", "d"),
    "tiles": ("split_lab", "step", "transpose", ".tl-tile", "left"),
}
STYLES = """([css, name]) => [...document.querySelectorAll(css)].map(
    (node) => getComputedStyle(node).getPropertyValue(name))"""
# What is seen in the middle of all motion and after it, and how many changes move.
SEEN = f"""(what) => {{
    const styles = {STYLES};
    const moving = document.getAnimations();
    for (const one of moving) one.currentTime = 100;
    const midway = styles(what);
    for (const one of moving) one.finish();
    return [midway, styles(what), moving.length];
}}"""
# How each part that may ease looks, when all have come to rest.
RESTED = """async () => {
    await new Promise(requestAnimationFrame);
    await Promise.all(document.getAnimations().map((one) => one.finished));
    const names = ["background-color", "width", "stroke-width", "opacity"];
    return [...document.querySelectorAll("td[data-panel], .tl-fill, path")].map(
        (node) => names.map((name) => getComputedStyle(node).getPropertyValue(name)
            .replace(/(\\.\\d)\\d+px/, "$1px")));
}"""
# Milliseconds until the last motion ends. Times are sums of binary fractions: a
# motion of 200 ms can report 200.00000000000355.
LATEST = """() => Math.round(Math.max(0, ...document.getAnimations().map(
    (one) => one.effect.getComputedTiming().endTime - one.currentTime)))"""


@pytest.fixture
def moving(page):
    page.page.emulate_media(reduced_motion="no-preference")
    yield page
    page.page.emulate_media(reduced_motion="reduce")


def seen(page, kind):
    """Move a control: what is seen before, midway and in the end; how many move."""
    name, control, value, *what = EASED[kind]
    explorer = GALLERY[name].make(4)
    page.draw(explorer)
    page.page.evaluate(FRAMES)
    before = page.page.evaluate(STYLES, what)
    explorer.controls[control].value = value
    return before, *page.page.evaluate(SEEN, what)


@pytest.mark.parametrize("kind", EASED)
def test_a_change_is_seen_on_its_way(kind, moving):
    before, midway, last, count = seen(moving, kind)
    assert count
    assert any(b not in (a, c) for a, b, c in zip(before, midway, last, strict=True))


@pytest.mark.parametrize("kind", EASED)
def test_a_change_is_there_at_once_for_a_reader_who_asks_for_less_motion(kind, page):
    before, midway, last, count = seen(page, kind)
    assert count == 0
    assert midway == last != before


def test_a_table_of_many_cells_changes_at_once(moving):
    exhibit = GALLERY["softmax_bench"]
    explorer = exhibit.make(16)
    moving.draw(explorer)
    moving.page.evaluate(FRAMES)
    exhibit.move(explorer, 1)
    assert moving.page.evaluate("document.getAnimations().length") == 0


@pytest.mark.parametrize("name", ["add_and_norm", "softmax_bench", "word_order"])
def test_the_last_of_fast_moves_is_written_at_once_and_seen_after_one_motion(
    name, moving
):
    """A move goes on from where the last one has come to; none waits for another."""
    exhibit = GALLERY[name]
    explorer = exhibit.make(4)
    moving.draw(explorer)
    moving.lay_out()
    for steps in [1, 2, 3, 4, 0, 3]:
        exhibit.move(explorer, steps)
        moving.page.evaluate("new Promise(requestAnimationFrame)")
    assert moving.shown() == account(explorer)
    assert 0 < moving.page.evaluate(LATEST) <= 200
    moving.lay_out()
    eased = moving.page.evaluate(RESTED)
    moving.draw(explorer)
    moving.lay_out()
    assert moving.page.evaluate(RESTED) == eased
