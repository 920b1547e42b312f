"""find_the_bug: the bench at which programs are questioned."""

import numpy as np
import pytest

from course import explorers
from course.bugs.cases import CASES, COUNTS
from course.bugs.instruments import INSTRUMENTS
from course.bugs.program import FLOOR
from course.experiments import find_the_bug as experiment
from course.explorers.bugs.find_the_bug import (
    LAYERS,
    LINES,
    NOBODY,
    SAYS,
    SMALL,
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
    assert drawn(bench, "shown").measure == SAYS["leak detector"]
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


def test_what_is_as_in_the_healthy_program_is_pale():
    bench = explorers.find_the_bug([4])
    loss, padded, match = bench.values["answer"]
    assert loss[0] == pytest.approx(loss[1], abs=0.05)
    assert padded[0] < 0.5 < padded[1]
    assert match[0] < match[1] == 1
    assert drawn(bench, "shown").faint == [True, False, False]


def test_a_loss_that_falls_too_far_is_seen_to_fall_beside_the_healthy_one():
    bench = explorers.find_the_bug([1])
    this, healthy, lowest = bench.values["shown"].T
    assert {*lowest} == {FLOOR}
    assert this[0] > 2 < healthy[0]
    assert this[-1] < 0.1 < 0.7 < healthy[-1]
    assert "exact match 0.00, healthy 1.00" in drawn(bench, "shown").formula
    note = drawn(bench, "shown").note
    assert note == "It continues cab to “cabbbbbbbbbb”; healthy: “cabcabcabcab”"


def test_it_says_of_each_instrument_whether_it_rings():
    rings = experiment.rings()
    for place, name in enumerate(INSTRUMENTS):
        bench = explorers.find_the_bug([4])
        bench.controls["ask"].value = name
        heard = "it rings" if rings[place, [*CASES].index(4)] else "it finds nothing"
        assert drawn(bench, "shown").note == f"{name}: {heard}"


def test_attention_weights_that_are_a_symptom_are_shown_with_it_alone():
    bench = explorers.find_the_bug([7])
    assert np.allclose(bench.values["weights"], experiment.symptom(7).matrix)
    bench.controls["ask"].value = "first loss"
    assert "weights" not in bench.values


@pytest.mark.parametrize("case", CASES)
def test_bars_stay_on_their_scale_but_for_counts_and_layers(case):
    bench = explorers.find_the_bug([case])
    for ask in SAYS:
        bench.controls["ask"].value = ask
        shown = drawn(bench, "shown")
        if shown.kind == "curves":
            continue
        low, high = shown.scale
        for label, *numbers in zip(shown.labels, bench.values["shown"], strict=True):
            for x in np.ravel(numbers)[np.isfinite(np.ravel(numbers))]:
                is_beyond = not low - SMALL <= x <= high
                assert not is_beyond or ask == LAYERS or label.startswith(COUNTS)


def test_layer_by_layer_the_first_tensor_that_differs_is_seen():
    """Differences grow later on: a scale that held them would hide the first one."""
    bench = explorers.find_the_bug([7])
    bench.controls["ask"].value = LAYERS
    shown = drawn(bench, "shown")
    first = next(n for n, x in enumerate(bench.values["shown"][:, 0]) if x > 0.005)
    assert shown.labels[first] == "weights"
    assert bench.values["shown"][first, 0] >= 0.5 * shown.scale[1]
    assert shown.faint[:first] == [True] * first


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
