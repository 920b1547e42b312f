"""The README of the explorers: its example runs, and has the forty lines it claims."""

import pathlib
import re

import explorable

README = pathlib.Path(explorable.__file__).with_name("README.md").read_text("utf-8")


def test_the_example_runs_follows_its_slider_and_has_forty_lines():
    [code] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len([line for line in code.splitlines() if line.strip()]) <= 40
    *lines, last = code.strip().splitlines()
    scope = {}
    exec("\n".join(lines), scope)
    lab = eval(last, scope)
    assert lab.values["y"].tolist() == [[1, 0, 0.5], [0, 2, 0]]
    lab.controls["bias"].value = 1.0
    assert lab.values["y"].tolist() == [[2, 0, 1.5], [1, 3, 0]]
    lab.edit("x", 0, 0, -9.0)
    assert lab.values["y"][0, 0] == 0
