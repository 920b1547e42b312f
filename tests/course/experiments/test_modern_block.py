"""From the block of 2017 to that of today: what changes, and what a run measures."""

from dataclasses import fields
from itertools import pairwise

import pytest

from course.data.dictionary import sample
from course.experiments.modern_block import (
    BESIDE,
    BLOCKS,
    CHANGES,
    FIRST,
    LOW_RATE,
    POST_NORM_PEAK,
    RECIPE,
    cost,
    run,
    sizes,
    small,
)
from course.models import dictionary
from course.models.dictionary import SIZES


def difference(a, b):
    return {f.name for f in fields(a) if getattr(a, f.name) != getattr(b, f.name)}


def test_each_block_changes_what_it_says_and_nothing_else():
    names = [*CHANGES]
    for before, after in pairwise(names):
        assert difference(sizes(before), sizes(after)) == {*CHANGES[after]}
    for name, (start, changes) in BESIDE.items():
        assert difference(sizes(start), sizes(name)) == {*changes}
    assert difference(SIZES, sizes("learned positions")) == set()


@pytest.mark.parametrize("block", BLOCKS)
def test_the_parameters_are_those_of_the_model(block):
    model = small(block).untrained()
    assert sum(p.numel() for p in model.parameters()) == cost(block).parameters


def test_a_gate_costs_no_more_than_a_thousandth_of_the_parameters():
    plain, gated = (cost(block).parameters for block in ("RMSNorm", "SwiGLU"))
    assert 0 < gated - plain < plain / 1000


def test_post_norm_and_one_control_have_the_low_rate_and_nothing_else_has():
    low = {block for block in BLOCKS if small(block).recipe.peak == POST_NORM_PEAK}
    assert low == {FIRST, "post-norm to the end", LOW_RATE}
    assert {small(block).recipe.peak for block in {*BLOCKS} - low} == {RECIPE.peak}


def test_an_unknown_block_is_refused_by_name():
    with pytest.raises(ValueError, match="block must be one of"):
        sizes("2027")


def test_a_run_is_measured_and_its_seed_decides_it(monkeypatch):
    monkeypatch.setattr(dictionary, "everything", sample)
    dictionary.learned.cache_clear()
    try:
        first, second = (run("window of 16", steps=3, seed=1) for _ in range(2))
        other = run("window of 16", steps=3, seed=2)
    finally:
        dictionary.learned.cache_clear()
    assert first["tokens per second"] > 0
    assert len(first["losses"]) == 3
    assert first["bits per character"] == second["bits per character"]
    assert first["losses"] == second["losses"] != other["losses"]
