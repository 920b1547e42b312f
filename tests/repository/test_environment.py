"""The first cell of the course says what a machine lacks."""

import importlib.metadata
import pathlib
from importlib.machinery import ModuleSpec

import pytest

import transformer_lib
from course import environment


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


def course_in(folder):
    """A folder with what a course has: notebooks, and the library beside them."""
    (folder / "transformer_lib").mkdir(parents=True)
    (folder / "transformer_lib" / "__init__.py").touch()
    (folder / "notebooks").mkdir()
    return folder


def test_a_library_that_is_not_the_one_beside_the_notebook_is_named(
    tmp_path, monkeypatch
):
    copy = course_in(tmp_path / "my copy")
    monkeypatch.chdir(copy / "notebooks")
    used = pathlib.Path(transformer_lib.__file__).parents[1]
    [said, remedy] = environment.faults()
    assert said.startswith(f"The course stands in {copy}, but its library comes from")
    assert f" {used}: the folder was moved or copied." in said
    assert "make lab" in remedy


def test_a_library_that_has_gone_from_where_it_was_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(course_in(tmp_path / "new"))
    gone = tmp_path / "old" / "transformer_lib" / "__init__.py"
    spec = ModuleSpec("transformer_lib", None, origin=str(gone))
    monkeypatch.setattr(environment, "find_spec", lambda _: spec)
    assert f"comes from {tmp_path / 'old'}: " in environment.faults()[0]
    monkeypatch.setattr(environment, "find_spec", lambda _: None)
    assert "comes from nowhere: " in environment.faults()[0]


@pytest.mark.parametrize("name", ["course", "a link to it", "away from any course"])
def test_the_library_beside_the_notebook_is_no_fault(name, tmp_path, monkeypatch):
    folder = tmp_path / name
    if name == "a link to it":
        folder.symlink_to(pathlib.Path(transformer_lib.__file__).parents[1])
    elif name == "course":
        origin = course_in(folder) / "transformer_lib" / "__init__.py"
        spec = ModuleSpec("transformer_lib", None, origin=str(origin))
        monkeypatch.setattr(environment, "find_spec", lambda _: spec)
    else:
        folder.mkdir()
    monkeypatch.chdir(folder)
    assert environment.faults() == []


def test_a_python_without_the_course_is_named(monkeypatch):
    def version(_):
        raise importlib.metadata.PackageNotFoundError

    monkeypatch.setattr(environment, "version", version)
    [said, remedy] = environment.faults()
    assert said == "transformer_lib is not set up in this Python."
    assert "make lab" in remedy
