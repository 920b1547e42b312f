"""`make` sets the course up once, where it stands, whoever else does so at the time.

Each test has a course of its own, with the real Makefile and a stand-in for pip that
does what pip does to `.venv` here, and for JupyterLab one that says what it was given.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import time

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PACKAGES = sysconfig.get_path("purelib")
PARTS = ("Makefile", "pyproject.toml", "requirements.txt", "lab_settings")
CHECK = "course/environment.py"
AGAIN = "Setting up the course"
# pip's traces: how long it takes, the way to the library, and the library's needs.
PIP = """
import os, pathlib, sysconfig, time
log = pathlib.Path(os.environ["LOG"])
def note(what):
    with log.open("a") as file:
        file.write(f"{what}\\n")
note("begins")
time.sleep(float(os.environ.get("PIP_TAKES", 0)))
packages = pathlib.Path(sysconfig.get_path("purelib"))
(packages / "transformer_lib.pth").write_text(os.getcwd())
(packages / "transformer_lib-0.1.0.dist-info").mkdir(exist_ok=True)
(packages / "transformer_lib-0.1.0.dist-info/METADATA").write_text(
    "Metadata-Version: 2.1\\nName: transformer_lib\\nVersion: 0.1.0\\n"
    "Requires-Python: >=3.11\\nRequires-Dist: packaging >=24\\n"
)
note("ends")
"""
LAB = """
import importlib.util, os, sys
sys.path.remove(os.getcwd())
print("library:", importlib.util.find_spec("transformer_lib").origin)
print("home:", os.environ["HOME"])
print("compiled:", "never" if sys.dont_write_bytecode else "once")
"""
PYTHON = """#!/bin/sh
[ "$2" = venv ] || exec "{python}" "$@"
"{python}" "$@" --without-pip || exit
for packages in .venv/lib/python*/site-packages; do cp -R "{tools}/." "$packages"; done
"""

pytestmark = pytest.mark.skipif(not shutil.which("make"), reason="there is no make")


@pytest.fixture
def course(tmp_path):
    """A course that is not set up yet, in a folder whose name has a space."""
    course, tools = tmp_path / "a course", tmp_path / "tools"
    for name in (*PARTS, CHECK):
        (course / name).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, course / name)
    (course / "transformer_lib").mkdir()
    (course / "transformer_lib" / "__init__.py").touch()
    tools.mkdir()
    (tools / "pip.py").write_text(PIP)
    (tools / "jupyterlab.py").write_text(LAB)
    (tools / "others.pth").write_text(PACKAGES)
    python = tmp_path / "python"
    python.write_text(PYTHON.format(python=sys.executable, tools=tools))
    python.chmod(0o755)
    (tmp_path / "home").mkdir()
    return course


def begin(course, **variables):
    """Start `make lab` in a course, as from a fresh terminal."""
    made = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "PYTHONPATH")
    env = {name: value for name, value in os.environ.items() if name not in made}
    env |= {"HOME": str(course.parent / "home"), "LOG": str(course.parent / "log")}
    command = ["make", "lab", f"PYTHON={course.parent / 'python'}"]
    return subprocess.Popen(
        command,
        cwd=course,
        env=env | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def make_lab(course, **variables):
    process = begin(course, **variables)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0, said
    return said


def pip_calls(course):
    log = course.parent / "log"
    return log.read_text().split() if log.exists() else []


def reads_its_own_library(course, said):
    return f"library: {course / 'transformer_lib' / '__init__.py'}" in said


def test_the_first_start_sets_up_and_the_second_only_starts(course):
    assert AGAIN in make_lab(course)
    said = make_lab(course)
    assert AGAIN not in said
    assert pip_calls(course) == ["begins", "ends"]
    assert reads_its_own_library(course, said)


def test_two_commands_at_once_set_up_once_and_both_start(course):
    both = [begin(course, PIP_TAKES="1") for _ in range(2)]
    said = [process.communicate(timeout=60)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert pip_calls(course) == ["begins", "ends"]
    assert all(reads_its_own_library(course, one) for one in said)


def test_a_set_up_that_was_killed_holds_nobody_up(course):
    process = begin(course, PIP_TAKES="60")
    while not pip_calls(course):
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert reads_its_own_library(course, make_lab(course))
    assert pip_calls(course) == ["begins", "begins", "ends"]


def test_a_course_that_was_renamed_reads_its_own_library_at_once(course):
    make_lab(course)
    moved = course.rename(course.parent / "the same course")
    assert reads_its_own_library(moved, make_lab(moved))
    assert pip_calls(course) == ["begins", "ends"]  # so it needs no network either


def test_a_course_that_was_copied_reads_its_own_library_and_not_the_originals(course):
    make_lab(course)
    copy = shutil.copytree(course, course.parent / "my copy", symlinks=True)
    assert reads_its_own_library(copy, make_lab(copy))
    assert reads_its_own_library(course, make_lab(course))


@pytest.mark.parametrize("original", ["moved", "copied"])
def test_a_course_that_pip_alone_set_up_is_set_up_again_where_it_stands(
    original, course
):
    make_lab(course)
    [way] = course.glob(".venv/lib/*/site-packages/transformer_lib.pth")
    way.write_text(str(course))  # as pip leaves it
    other = shutil.copytree(course, course.parent / "elsewhere", symlinks=True)
    if original == "moved":
        shutil.rmtree(course)
    said = make_lab(other)
    assert "the folder was moved or copied" in said
    assert AGAIN in said
    assert reads_its_own_library(other, said)
    assert AGAIN not in make_lab(other)


def test_what_is_missing_is_named_and_set_up_again(course):
    make_lab(course)
    [about] = course.glob(".venv/lib/*/site-packages/*.dist-info")
    needs = about / "METADATA"
    needs.write_text(needs.read_text() + "Requires-Dist: not-here >=2\n")
    said = make_lab(course)
    assert "not-here must be >=2, and here is none." in said
    assert AGAIN in said


def test_an_unfit_python_is_named_with_what_to_do(course):
    (course.parent / "python").write_text("#!/bin/sh\nexit 1\n")
    process = begin(course)
    said, _ = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "The course needs Python 3.11, 3.12 or 3.13" in said
    assert "Name one: make lab PYTHON=" in said
    assert not pip_calls(course)


@pytest.mark.parametrize("program", ["nbconvert", "jupyter_server"])
def test_what_a_saved_page_shows_is_set_where_jupyter_reads_it(program, course):
    make_lab(course)
    own = {"HOME": str(course.parent / "home"), "PATH": os.environ["PATH"]}
    asked = [course / ".venv/bin/python", "-m", program, "--show-config-json"]
    run = subprocess.run(asked, cwd=course, env=own, capture_output=True, text=True)
    settings = json.loads((ROOT / "lab_settings/html.json").read_text("utf-8"))
    read = json.loads(run.stdout)
    assert {name: read.get(name) for name in settings} == settings


def test_modules_are_compiled_once_also_where_a_machine_asks_for_no_such_files(course):
    assert "compiled: once" in make_lab(course, PYTHONDONTWRITEBYTECODE="1")


# ── the home folder ───────────────────────────────────────────────────────────
def test_jupyter_keeps_its_files_at_home(course):
    said = make_lab(course)
    assert f"home: {course.parent / 'home'}\n" in said
    assert "may not write" not in said


@pytest.mark.parametrize("closed", [".", ".jupyter", ".local/share/jupyter/runtime"])
def test_where_jupyter_may_not_write_at_home_it_writes_into_the_course(closed, course):
    home = course.parent / "home"
    home.rmdir()
    (home / closed).parent.mkdir(parents=True, exist_ok=True)
    (home / closed).touch()  # no folder: not even root may write into it
    said = make_lab(course)
    assert f"home: {course / '.venv' / 'home'}\n" in said
    assert f"Jupyter may not write to your home folder ({closed})" in said


def test_nothing_is_started_by_a_script_that_knows_its_place():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert set(re.findall(r"\$\(BIN\)/([\w-]+)", makefile)) == {"python"}
