"""softmax_bench, mixing_bench and scale_lab in a page: what they refuse and explain."""

import re

from playwright.sync_api import expect
from views.page import account

from course import explorers

SCORES = [[3.0, 1, 0], [2, 4, 1], [1, 3, 5]]
PARTS = [[0.1, 0.3, 0.6], [0.2, 0.5, 0.3], [0.4, 0.4, 0.2]]
V = [[1.0, 2], [3, 4], [5, 6]]


def test_softmax_refuses_a_score_whose_power_overflows(page):
    bench = explorers.softmax_bench(SCORES)
    page.draw(bench)
    page.type_into(page.cell("scores", 0, 0), "1000")
    fault = page.cell("scores", 0, 0).locator(".tl-fault")
    expect(fault).to_contain_text("at most 700, got 1000")
    page.press("Escape")
    assert page.shown() == account(bench)


def test_a_control_that_is_refused_keeps_the_last_good_picture(page):
    bench = explorers.softmax_bench(SCORES)
    page.draw(bench)
    page.type_into(page.cell("scores", 0, 0), "600")
    before = page.shown()["numbers"]
    bench.controls["multiply"].value = bench.controls["multiply"].max
    expect(page.find(".tl-message")).to_contain_text("exp of a score must stay finite")
    assert page.shown()["numbers"] == before
    bench.reset()
    expect(page.find(".tl-message")).to_be_empty()
    assert page.shown() == account(bench)


def test_mixing_follows_an_edit_and_refuses_a_negative_part(page):
    bench = explorers.mixing_bench(PARTS, V)
    page.draw(bench)
    page.type_into(page.cell("parts", 0, 2), "6")
    assert bench.values["parts"][0, 2] == 6
    assert page.shown() == account(bench)
    page.type_into(page.cell("parts", 1, 1), "-1")
    fault = page.cell("parts", 1, 1).locator(".tl-fault")
    expect(fault).to_contain_text("must not be negative, got -1")


def test_the_scale_lab_shows_both_ways_and_points_out_its_d_k(page):
    lab = explorers.scale_lab()
    page.draw(lab)
    assert page.shown() == account(lab)
    about = page.find(".tl-about").nth(1)
    expect(about).to_have_text("top weight at d_k = 16")  # once it said that twice
    lab.controls["d_k"].value = 1024
    assert page.shown() == account(lab)
    expect(page.find(".tl-chart")).to_contain_text("d_k = 1,024")
    expect(about).to_have_text("top weight at d_k = 1,024")  # and stayed there
    page.find(".tl-chart").focus()
    page.press("End")
    said = re.compile(r"d_k 1,024: divided 0\.36, undivided 0\.97")
    expect(page.find(".tl-chart")).to_have_attribute("aria-valuetext", said)


def test_projections_outlines_the_chosen_pair(page):
    X = [[1.0, 0], [0, 1], [1, 1]]
    lab = explorers.projections(
        X, X[:2], X[1:], [[1.0], [2]], ["AI", "is", "it"], (2, 0)
    )
    page.draw(lab)
    for query, key in ((2, 0), (0, 1)):
        for control, word in (("query", query), ("key", key)):
            lab.controls[control].value = lab.controls[control].options[word]
        assert page.shown() == account(lab)
        for name, row in (("Q", query), ("K", key)):
            cells = page.find(f'[data-panel="{name}"].tl-outlined')
            expect(cells).to_have_count(lab.values[name].shape[1])
            expect(cells.first).to_have_attribute("data-row", str(row))
        expect(page.find('[data-panel="scores"].tl-outlined')).to_have_count(1)
        # No value takes part in a score.
        expect(page.find('[data-panel="V"].tl-outlined')).to_have_count(0)
