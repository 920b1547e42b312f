"""The search for a browser: its order, what it may fetch, and what it says."""

import os
import pathlib
import sys

import pytest
from lab import chromium


class Machine:
    """A machine on which only the programs in `starts` exist and start."""

    def __init__(self):
        self.starts = set()
        self.own = "/playwright/chrome"
        self.commands = []
        self.brings = {}  # the last word of a command → the program it installs

    def which(self, program):
        known = self.starts | {"apt-get"}
        return program if program in known else None

    def succeeds(self, *command, patience=None):
        self.commands.append(command)
        if command[-1] == "--version":
            return command[0] in self.starts
        self.starts.update(self.brings.get(command[0], ()))
        return True

    @property
    def fetched_by(self):
        return [c[0] for c in self.commands if c[-1] != "--version"]


@pytest.fixture
def machine(monkeypatch):
    made = Machine()
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(chromium.shutil, "which", made.which)
    monkeypatch.setattr(chromium, "succeeds", made.succeeds)
    monkeypatch.setattr(chromium, "playwrights_own", lambda: [made.own])
    monkeypatch.setattr(chromium, "is_root", lambda: True)
    return made


def test_the_variable_comes_before_the_machines_programs(machine, monkeypatch):
    machine.starts = {"/mine/chrome", "chromium"}
    monkeypatch.setenv("CHROMIUM", "/mine/chrome")
    assert chromium.find_chromium(install=False) == pathlib.Path("/mine/chrome")


def test_a_variable_that_names_no_browser_is_an_error_and_not_a_search(
    machine, monkeypatch, capsys
):
    machine.starts = {"chromium"}
    monkeypatch.setenv("CHROMIUM", "/gone/chrome")
    with pytest.raises(FileNotFoundError, match="/gone/chrome"):
        chromium.find_chromium(install=False)
    assert chromium.main() == 1
    assert (
        "CHROMIUM names no browser that starts: /gone/chrome" in capsys.readouterr().err
    )


@pytest.mark.parametrize("program", chromium.PROGRAMS)
def test_a_program_of_the_machine_is_taken(machine, program):
    machine.starts = {program, machine.own}
    assert chromium.find_chromium(install=True) == pathlib.Path(program)
    assert machine.fetched_by == []


def test_a_program_that_does_not_start_is_passed_over(machine, monkeypatch):
    machine.starts = {"google-chrome"}
    monkeypatch.setattr(chromium.shutil, "which", lambda program: program)
    assert chromium.find_chromium(install=False) == pathlib.Path("google-chrome")


def test_playwrights_own_serves_where_the_machine_has_none(machine):
    machine.starts = {machine.own}
    assert chromium.find_chromium(install=True) == pathlib.Path(machine.own)
    assert machine.fetched_by == []


def test_the_tests_only_look(machine):
    assert chromium.find_chromium(install=False) is None
    assert machine.fetched_by == []


def test_playwright_is_asked_before_the_system(machine):
    machine.brings = {sys.executable: {machine.own}, "apt-get": {"chromium"}}
    assert chromium.find_chromium(install=True) == pathlib.Path(machine.own)
    assert machine.fetched_by == [sys.executable]


@pytest.mark.parametrize("package", chromium.PROGRAMS[:2])
def test_the_system_is_asked_last_and_for_the_quicker_one_first(machine, package):
    machine.brings = {"apt-get": {package}}
    assert chromium.find_chromium(install=True) == pathlib.Path(package)
    assert machine.fetched_by == [sys.executable, "apt-get", "apt-get"]


def test_a_system_without_the_quicker_one_is_asked_for_the_other(machine, monkeypatch):
    def succeeds(*command, patience=None):
        machine.commands.append(command)
        if command[-1] == "chromium":
            machine.starts.add("chromium")
        return command[-1] == "chromium" or command[0] in machine.starts

    monkeypatch.setattr(chromium, "succeeds", succeeds)
    assert chromium.find_chromium(install=True) == pathlib.Path("chromium")
    asked = [c[-1] for c in machine.commands if c[0] == "apt-get"]
    assert asked == ["update", *chromium.PROGRAMS[:2]]


def test_the_system_is_asked_by_root_alone(machine, monkeypatch):
    machine.brings = {"apt-get": {"chromium"}}
    monkeypatch.setattr(chromium, "is_root", lambda: False)
    assert chromium.find_chromium(install=True) is None
    assert machine.fetched_by == [sys.executable]


@pytest.mark.parametrize(("ci", "code"), [("true", 1), ("", 0), (None, 0)])
def test_a_missing_browser_fails_in_ci_and_is_announced_elsewhere(
    machine, monkeypatch, capsys, ci, code
):
    if ci is not None:
        monkeypatch.setenv("CI", ci)
    assert chromium.main() == code
    said = capsys.readouterr().out
    assert all(place in said for place in chromium.TRIED)
    assert ("skipped" in said) == (code == 0)


def test_the_path_is_all_that_is_printed_when_there_is_one(machine, capsys):
    machine.starts = {"chromium"}
    assert chromium.main() == 0
    assert capsys.readouterr().out == "chromium\n"


def test_a_command_that_fails_hangs_or_is_not_there_does_not_succeed():
    assert chromium.succeeds(sys.executable, "-c", "pass")
    assert not chromium.succeeds(sys.executable, "-c", "raise SystemExit(3)")
    sleep = "import time; time.sleep(60)"
    assert not chromium.succeeds(sys.executable, "-c", sleep, patience=0.2)
    assert not chromium.succeeds("/no/such/program")


def test_a_command_is_given_no_answer_to_a_prompt():
    reads, writes = os.pipe()
    os.write(writes, b"yes\n")
    kept = os.dup(0)
    os.dup2(reads, 0)
    try:
        assert not chromium.succeeds(sys.executable, "-c", "input()", patience=20)
    finally:
        os.dup2(kept, 0)
        for end in (reads, writes, kept):
            os.close(end)
