"""The first cell of the course says what a machine lacks."""

import importlib.metadata

import pytest

from transformer_lib.checks import environment


def test_a_machine_that_was_set_up_lacks_nothing():
    assert environment.faults() == []


@pytest.mark.parametrize(
    ("name", "here"),
    [("torch", None), ("torch", "1.13.1"), ("anywidget", None), ("numpy", "1.26.4")],
)
def test_a_package_that_is_missing_or_too_old_is_named_with_its_remedy(
    name, here, monkeypatch
):
    def version(asked):
        if asked == name and here is None:
            raise importlib.metadata.PackageNotFoundError(asked)
        return here if asked == name else importlib.metadata.version(asked)

    monkeypatch.setattr(environment, "version", version)
    [said, remedy] = environment.faults()
    assert said.startswith(f"{name} must be ")
    assert said.endswith(f"and here is {here or 'none'}.")
    assert "make lab" in remedy


def test_a_python_outside_the_range_is_named(monkeypatch):
    monkeypatch.setattr(environment.sys, "version_info", (3, 9, 1))
    [said, _] = environment.faults()
    assert said == "Python must be >=3.11, <3.14, and here is 3.9.1."
