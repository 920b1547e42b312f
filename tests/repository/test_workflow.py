"""The workflow of who forks the course: the commands of README and INSTALL.md."""

import pathlib
import re
import tomllib

import pytest
import yaml
from packaging.specifiers import SpecifierSet

ROOT = pathlib.Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
INSTALL = (ROOT / "INSTALL.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOW = ROOT / ".github" / "workflows" / "test.yml"
JOBS = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]
SPAN = SpecifierSet(PROJECT["project"]["requires-python"])
PYTHONS = [f"3.{minor}" for minor in range(50) if f"3.{minor}" in SPAN]


def commands(job):
    """Every line that a job runs, with the names of its matrix filled in."""
    lines = "\n".join(step.get("run", "") for step in JOBS[job]["steps"])
    filled = [lines.replace("${{ matrix.course }}", here) for here in courses(job)]
    return "\n".join(filled or [lines])


def courses(job):
    matrix = JOBS[job]["strategy"]["matrix"]
    return [one["course"] for one in matrix.get("include", []) if "course" in one]


@pytest.mark.parametrize("job", JOBS)
def test_every_job_runs_on_every_python_that_the_package_takes(job):
    assert JOBS[job]["strategy"]["matrix"]["python"] == PYTHONS


@pytest.mark.parametrize(
    "text", [README, INSTALL, MAKEFILE], ids=["README", "INSTALL", "Makefile"]
)
def test_the_pythons_that_are_named_are_those_that_the_package_takes(text):
    [named] = re.findall(r"Python ((?:3\.\d+, )+3\.\d+ or 3\.\d+)", text)
    assert re.findall(r"3\.\d+", named) == PYTHONS


def test_linux_runs_both_commands_of_the_readme_and_the_others_those_without_make():
    [both] = re.findall(r"```\n(make lab .*\nmake test .*)\n```", README)
    for line in both.splitlines():
        assert " ".join(line.split()[:2]) in commands("linux")
    assert "make " not in commands("elsewhere")
    _, _, without = INSTALL.partition("## Without make")
    lines = re.findall(r"^\.venv\\Scripts\\python (.*)$", without, re.MULTILINE)
    assert len(lines) == 2
    for system in ("Scripts", "bin"):
        for line in lines:
            assert f".venv/{system}/python {line}" in commands("elsewhere")


def test_who_has_no_browser_runs_all_tests_that_need_none():
    """Only these folders ask for a page, so that nothing else is left out."""
    left_out = set(re.findall(r"--ignore=(\S+)", commands("elsewhere")))
    assert left_out == {"tests/benchmarks", "tests/lab", "tests/views"}
    asked = re.compile(r"def test_\w+\([^)]*\b(page|browser|desk|open_notebook)\b")
    asks = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        source = path.read_text(encoding="utf-8")
        own = re.findall(r"^def (\w+)\(", source, re.MULTILINE)  # a page of its own
        if set(asked.findall(source)) - set(own):
            asks.add(path.relative_to(ROOT).parts[1])
    assert asks <= {"benchmarks", "lab", "views"}


def test_whoever_forks_the_course_learns_that_the_workflow_was_not_run():
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    [said] = re.findall(r"(?s)`\.github/workflows/test\.yml` .*?\n\n", guide)
    assert "has not been run" in said
