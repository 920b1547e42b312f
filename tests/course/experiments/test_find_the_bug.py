"""What was kept of the twelve programs, and what a reader's function changes."""

import numpy as np
import pytest

from course.bugs.cases import CASES
from course.bugs.instruments import INSTRUMENTS
from course.experiments import find_the_bug

HEALTHY = CASES[5].function("mended")


@pytest.mark.parametrize("case", CASES)
def test_the_symptom_is_kept_with_the_bug_and_without_it_it_is_gone(case):
    gone = CASES[case].gone
    for seed in find_the_bug.SEEDS:
        ill, healthy = (
            find_the_bug.EXPERIMENT.results(case=case, version=version, seed=seed)
            for version in find_the_bug.VERSIONS
        )
        assert (gone(ill[0]["numbers"]), gone(healthy[0]["numbers"])) == (False, True)


def test_what_was_kept_is_what_a_run_gives():
    fresh = find_the_bug.run(5, "planted", 0)
    kept = find_the_bug.kept(5)
    assert fresh["texts"] == kept["texts"]
    assert fresh["numbers"] == pytest.approx(kept["numbers"], abs=0.05)
    assert {*fresh["answers"]} == {*kept["answers"]} == {*INSTRUMENTS}


def test_a_rerun_compares_with_the_symptom_and_says_whether_it_is_gone():
    def my_case_5(new, cached):
        return HEALTHY(new, cached)

    found = find_the_bug.rerun(my_case_5)
    assert found.gone
    head, columns, *rows = repr(found).splitlines()
    assert head == "The symptom is gone."
    assert columns.split() == ["before", "now"]
    assert rows[1].split()[-2:] == ["0.00", "1.00"]
    assert "The symptom is gone." in found._repr_html_()


@pytest.mark.parametrize("name", ["my_case", "my_case_13", "double"])
def test_a_rerun_takes_the_function_of_a_case_alone(name):
    def function(x):
        return x

    function.__name__ = name
    with pytest.raises(ValueError, match=rf"as in rerun\(my_case_1\), got '{name}'"):
        find_the_bug.rerun(function)


def test_a_symptom_is_written_as_a_list():
    lines = str(find_the_bug.symptom(8)).splitlines()
    found = [line.split("  ")[-1].strip() for line in lines]
    assert found == ["2.42", "250", "not finite", "1"]


def test_every_bug_rings_at_least_one_instrument_and_none_rings_for_all():
    rings = find_the_bug.rings()
    assert rings.shape == (len(INSTRUMENTS), len(CASES))
    assert rings.any(axis=0).all()
    assert not rings.all(axis=1).any()
    silent = [
        name for name, row in zip(INSTRUMENTS, rings, strict=True) if not row.any()
    ]
    assert silent == ["gradient check"]


def test_numbers_over_seeds_are_infinite_where_a_loss_is():
    found = find_the_bug.over_seeds(8, "planted", "loss, ε = 0.1")
    assert np.isinf(found).all()
    assert len(found) == len(find_the_bug.SEEDS)
