"""What holds for all dataclasses of the three packages."""

import dataclasses
import importlib
import pkgutil

import pytest

import course
import explorable
import transformer_lib

GROW = {"Training", "Way", "Writing"}


@pytest.mark.parametrize("package", [transformer_lib, explorable, course])
def test_a_dataclass_is_frozen_unless_it_grows(package):
    """So it can be hashed, and whoever is given one cannot change it for others."""
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if found.name.endswith("__main__"):
            continue
        for name, one in vars(importlib.import_module(found.name)).items():
            if dataclasses.is_dataclass(one) and one.__module__ == found.name:
                assert one.__dataclass_params__.frozen != (name in GROW), name
