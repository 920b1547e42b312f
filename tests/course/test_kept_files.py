"""The files that the course keeps are small, and one that is broken is named."""

import pytest
import torch
from safetensors.torch import save

from course.experiments import copying, word_order
from course.models.multi_head import next_word
from course.trained import CHECKPOINTS

BROKEN = {
    "empty": b"",
    "cut in half": (CHECKPOINTS / "jobs.safetensors").read_bytes()[:9000],
    "words that are no JSON": save({"weight": torch.ones(2)}, {"made": "{"}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_other_kept_results_name_their_broken_file_too(name, tmp_path):
    for file in ("order_who_comes_first.safetensors", "copying.json"):
        (tmp_path / file).write_bytes(BROKEN[name])
    calls = {
        "order": lambda: word_order.load_results("who comes first", tmp_path),
        "order_": lambda: word_order.load_reader("who comes first", "none", tmp_path),
        "copying": lambda: copying.load_results(tmp_path),
    }
    for start, call in calls.items():
        with pytest.raises(ValueError, match=r"^path must ") as said:
            call()
        assert str(tmp_path / start) in str(said.value)


def test_other_kept_results_that_are_missing_are_named(tmp_path):
    for call in (
        lambda: word_order.load_results("who comes first", tmp_path),
        lambda: word_order.load_reader("who comes first", "none", tmp_path),
        lambda: copying.load_results(tmp_path),
        lambda: next_word.load_heads("taught", tmp_path),
    ):
        with pytest.raises(
            FileNotFoundError, match=r"^path must be a checkpoint, got "
        ) as said:
            call()
        assert str(tmp_path) in str(said.value)


def test_what_the_course_keeps_is_small():
    for file in CHECKPOINTS.iterdir():
        assert file.stat().st_size < 2_000_000
