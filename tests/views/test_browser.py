"""Finding a browser: which one is taken, what is fetched, and what is said of none."""

import subprocess
from types import SimpleNamespace

import browser as finder
import pytest
from playwright.sync_api import Error


class Machine:
    """A machine on which only the programs in `starts` exist and start."""

    def __init__(self, monkeypatch, *starts):
        self.starts, self.ran, self.brings = set(starts), [], {}
        self.chromium = self
        monkeypatch.delenv("CHROMIUM", raising=False)
        monkeypatch.setattr(finder.shutil, "which", lambda program: program)
        monkeypatch.setattr(finder.subprocess, "run", self.run)
        monkeypatch.setattr(finder, "starts", lambda: bool(finder.launch(self)))

    def launch(self, executable_path, args):
        if executable_path not in self.starts:
            raise Error("it does not start")
        return executable_path or "Playwright's own"

    def run(self, command, **settings):
        assert settings["stdin"] == subprocess.DEVNULL  # nobody answers a prompt
        self.ran.append(" ".join(command))
        if self.brings.get("raises"):
            raise self.brings["raises"]
        self.starts |= self.brings.get(command[-1], set())


@pytest.fixture
def machine(monkeypatch):
    return Machine(monkeypatch)


def test_the_variable_comes_first_and_names_the_only_one(machine, monkeypatch):
    machine.starts = {"/mine", "chromium"}
    monkeypatch.setenv("CHROMIUM", "/mine")
    assert finder.launch(machine) == "/mine"
    monkeypatch.setenv("CHROMIUM", "/gone")
    assert finder.launch(machine) is None


def test_the_machines_own_comes_before_playwrights(machine):
    machine.starts = {None}
    assert finder.launch(machine) == "Playwright's own"
    machine.starts = {None, "google-chrome"}  # those before it are there, but stubs
    assert finder.launch(machine) == "google-chrome"


def test_nothing_is_fetched_where_one_starts(machine):
    machine.starts = {"chromium"}
    assert finder.main() == 0
    assert machine.ran == []


def test_playwright_is_asked_first_and_then_the_system(machine):
    machine.brings = {"chromium-headless-shell": {"chromium-headless-shell"}}
    assert finder.main() == 0
    playwright, update, install = machine.ran
    assert playwright.endswith("playwright install --only-shell chromium")
    assert update == "apt-get update"
    assert install.endswith("chromium-headless-shell")


@pytest.mark.parametrize(
    "error", [FileNotFoundError("no apt-get"), subprocess.TimeoutExpired("apt-get", 1)]
)
def test_a_command_that_is_missing_or_hangs_is_passed_over(machine, error):
    machine.brings = {"raises": error}
    finder.main()
    assert len(machine.ran) == len(finder.FETCH)


def answer(monkeypatch, said):
    """Be root at a terminal, who answers so; a question is noted in what is printed."""

    def asked(prompt):
        print(prompt)
        return said

    monkeypatch.setattr(finder.sys, "stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("builtins.input", asked)


@pytest.fixture
def root(machine, monkeypatch):
    """A machine with apt, and no Chromium, whose owner makes the test."""
    monkeypatch.setattr(finder, "is_root", lambda: True)
    monkeypatch.delenv("CI", raising=False)
    machine.brings = {"chromium-headless-shell": {"chromium-headless-shell"}}
    return machine


@pytest.mark.parametrize("said", ["y", " YES", "", "n", "what?"])
def test_root_is_asked_before_apt_installs(root, monkeypatch, capsys, said):
    answer(monkeypatch, said)
    assert finder.main() == 0
    agreed = said.strip().lower() in ("y", "yes")
    assert any("apt-get" in command for command in root.ran) is agreed
    before, question, after = capsys.readouterr().out.partition("Install it? [y/N]")
    assert question
    assert "chromium-headless-shell" in before
    assert "make test CHROMIUM=/path/to/chromium" in before
    assert "Install it?" not in after  # once, however many commands there are


def test_where_nobody_can_answer_root_is_told_and_not_asked(root, monkeypatch, capsys):
    monkeypatch.setattr(finder.sys, "stdin", SimpleNamespace(isatty=lambda: False))
    assert finder.main() == 0
    told, command, _ = capsys.readouterr().out.partition("apt-get update")
    assert command
    assert "CHROMIUM=/path/to/chromium" in told


def test_ci_is_told_and_goes_on_without_asking(root, monkeypatch, capsys):
    answer(monkeypatch, "n")
    monkeypatch.setenv("CI", "true")
    assert finder.main() == 0
    said = capsys.readouterr().out
    assert "CHROMIUM=/path/to/chromium" in said
    assert "[y/N]" not in said
    assert root.ran[-1].endswith("chromium-headless-shell")


def test_who_is_not_root_is_not_asked(root, monkeypatch, capsys):
    monkeypatch.setattr(finder, "is_root", lambda: False)
    answer(monkeypatch, "n")
    finder.main()
    assert "[y/N]" not in capsys.readouterr().out


@pytest.mark.parametrize(("ci", "code"), [("true", 1), ("", 0)])
def test_nothing_is_fetched_for_one_that_was_named(root, monkeypatch, capsys, ci, code):
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv("CHROMIUM", "/gone")
    assert finder.main() == code
    assert root.ran == []
    assert "CHROMIUM=/gone does not start." in capsys.readouterr().out


@pytest.mark.parametrize(("ci", "code"), [("true", 1), ("", 0)])
def test_none_at_all_fails_in_ci_and_is_said_elsewhere(
    machine, monkeypatch, capsys, ci, code
):
    monkeypatch.setenv("CI", ci)
    assert finder.main() == code
    assert "No Chromium" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("url", "leaves"),
    [
        ("http://127.0.0.1:8888/lab", False),
        ("ws://localhost:8888/api", False),
        ("data:image/png;base64,AAAA", False),
        ("blob:http://127.0.0.1:8888/1", False),
        ("about:blank", False),
        ("https://example.org", True),
        ("http://127.0.0.1.example.org", True),
        ("https://cdn.example.org/?next=127.0.0.1", True),
        ("wss://example.org", True),
    ],
)
def test_only_loopback_is_home(url, leaves):
    assert finder.leaves_loopback(url) == leaves
