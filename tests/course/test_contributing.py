"""The examples of CONTRIBUTING.md: a small model and an experiment, run as written."""

import re
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

GUIDE = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text("utf-8")


@pytest.fixture(scope="module")
def example():
    """What the examples define, each in a module of its own, as they are saved."""
    found = {}
    codes = re.findall(r"^```python\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)
    with pytest.MonkeyPatch.context() as patch:
        for room, code in zip(("models", "experiments"), codes, strict=False):
            assert len([line for line in code.splitlines() if line.strip()]) <= 35
            module = ModuleType(f"course.{room}.counting")
            patch.setitem(sys.modules, module.__name__, module)
            exec(code, vars(module))
            found |= vars(module)
    return found


def test_the_model_of_the_example_learns_and_is_read_again(example, tmp_path):
    model = example["MODEL"]
    model.make(tmp_path)
    batch = example["draw_batch"](example["torch"].Generator(), 4)
    again = model.trained(folder=tmp_path)
    assert example["loss"](again, batch).item() < 0.1
    other = replace(model, recipe=replace(model.recipe, peak=0.01))
    with pytest.raises(ValueError, match=r"recipe\.peak must be 0\.01, got 0\.02"):
        other.trained(folder=tmp_path)


def test_the_experiment_of_the_example_shows_that_more_steps_help(example, tmp_path):
    experiment = replace(example["EXPERIMENT"], folder=tmp_path)
    experiment.write()
    few, many = experiment.table("loss", steps=[20, 60])
    assert len(few) == 3
    assert many.max() < few.min()
