"""find_the_bug: the bench at which programs are questioned."""

import numpy as np
import pytest

from course import explorers
from course.bugs.cases import CASES
from course.explorers.bugs.find_the_bug import (
    LINES,
    NOBODY,
    SAYS,
    SYMPTOM,
    find_the_bug_sheet,
    title,
)


def drawn(explorer, name):
    return next(d for d in explorer.drawings if d.name == name)


def lines(explorer, name):
    return [line for _, line in drawn(explorer, name).faces]


def test_it_begins_with_the_symptom_and_names_four_suspects():
    bench = explorers.find_the_bug([1, 2, 3])
    assert bench.settings["ask"] == SYMPTOM
    assert bench.settings["accuse"] == NOBODY
    assert bench.values["answer"][-1].tolist() == [0, 1]  # exact match
    assert lines(bench, "suspects") == [*CASES[1].suspects]


def test_a_click_on_an_instrument_asks_it():
    bench = explorers.find_the_bug([1, 2, 3])
    assert lines(bench, "instruments") == [*SAYS]
    bench.choose("instruments", [*SAYS].index("leak detector"))
    assert bench.settings["ask"] == "leak detector"
    assert drawn(bench, "answer").note == SAYS["leak detector"]
    shades = bench.values["instruments"][:, 2]
    assert [name for name, shade in zip(SAYS, shades, strict=True) if shade] == [
        "leak detector"
    ]


def test_a_click_accuses_a_suspect_and_shows_what_there_is_to_say():
    bench = explorers.find_the_bug([1, 2, 3])
    bench.choose("suspects", 0)
    assert bench.settings["accuse"] == "the mask"
    assert lines(bench, "suspects")[0] == "the mask ✗"
    assert drawn(bench, "verdict").title == "the mask: not guilty"
    assert " ".join(lines(bench, "verdict")) == CASES[1].suspects["the mask"]
    bench.choose("suspects", [*CASES[1].suspects].index(CASES[1].culprit))
    assert f"{CASES[1].culprit} ✓" in lines(bench, "suspects")


def test_another_case_has_other_suspects_and_nobody_is_accused():
    bench = explorers.find_the_bug([1, 4])
    bench.controls["accuse"].value = "memorizing"
    assert drawn(bench, "verdict").title == "memorizing: not guilty"
    bench.controls["case"].value = title(CASES[4])
    assert bench.controls["accuse"].options == (NOBODY, *CASES[4].suspects)
    assert bench.settings["accuse"] == NOBODY
    bench.controls["accuse"].value = CASES[4].culprit
    assert drawn(bench, "verdict").title == "the loss: guilty"
    bench.reset()
    assert bench.settings["case"] == title(CASES[1])
    assert bench.controls["accuse"].options == (NOBODY, *CASES[1].suspects)


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.title)
def test_every_answer_and_every_suspect_fits(case):
    names = {title(case): case.number}
    asked = [(ask, NOBODY) for ask in SAYS]
    accused = [(SYMPTOM, name) for name in case.suspects]  # whatever is asked
    for ask, accuse in asked + accused:
        s = find_the_bug_sheet(case=title(case), ask=ask, accuse=accuse, names=names)
        assert s.arrays["answer"].shape[1] == 2
        assert not np.isnan(s.arrays["answer"]).any()
        assert len(s.arrays["verdict"]) <= LINES


def test_what_is_far_from_the_healthy_program_is_framed():
    bench = explorers.find_the_bug([1])
    (loss, lowest, match), framed = (
        bench.values["answer"],
        drawn(bench, "answer").outlined,
    )
    assert loss[0] < 0.1 < loss[1]
    assert lowest[0] == lowest[1]
    assert match.tolist() == [0, 1]
    assert np.array(framed).tolist() == [[True, False], [False, False], [True, False]]


def test_nobody_is_found_guilty_before_the_reader_accuses():
    for number in CASES:
        assert "guilty" not in explorers.find_the_bug([number]).text()


@pytest.mark.parametrize(
    ("cases", "case", "message"),
    [
        ([], 0, r"cases must be some of 1 to 12, got \[\]"),
        ([1, 13], 0, r"cases must be some of 1 to 12, got \[1, 13\]"),
        ([1, 2], 3, r"case must be one of \[1, 2\], got 3"),
    ],
)
def test_a_case_that_does_not_exist_is_refused(cases, case, message):
    with pytest.raises(ValueError, match=message):
        explorers.find_the_bug(cases, case)
