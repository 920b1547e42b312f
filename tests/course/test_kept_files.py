"""The files that the course keeps are small, and one that is broken is named."""

from dataclasses import replace

import pytest
import torch
from safetensors.torch import save

from course.experiments import copying
from course.trained import CHECKPOINTS

BROKEN = {
    "empty": b"",
    "cut in half": (CHECKPOINTS / "jobs.safetensors").read_bytes()[:9000],
    "words that are no JSON": save({"weight": torch.ones(2)}, {"made": "{"}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_results_that_are_broken_name_their_file(name, tmp_path):
    (tmp_path / "copying.json").write_bytes(BROKEN[name])
    with pytest.raises(ValueError, match=r"^path must be a checkpoint, got ") as said:
        replace(copying.EXPERIMENT, folder=tmp_path).results()
    assert str(tmp_path / "copying.json") in str(said.value)


def test_what_the_course_keeps_is_small():
    for file in CHECKPOINTS.iterdir():
        assert file.stat().st_size <= 4_000_000
