"""What browser tests and benchmarks share: a JupyterLab, a Chromium, a notebook open.

Playwright and the browser are only looked for by the tests that ask for them.
"""

import gc
import os
import pathlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from xdist.scheduler import LoadScopeScheduling

# The tests run side by side, and small tensors gain nothing by a second thread. torch
# reads this when it is imported, here and in the kernels of notebooks.
os.environ["OMP_NUM_THREADS"] = "1"
LAB = "tests/lab/"
NOTEBOOK = ".ipynb"
VIEWS = "tests/views/"
ORACLE = "tests/library/pretrained/"
OPEN = ExitStack()  # what is closed when all tests have run


def pytest_configure() -> None:
    """Let nbval write out no message of a kernel for a log that nobody keeps.

    It would lay out every picture and every widget's state in lines of 80 letters.
    """
    if "nbval.kernel" in sys.modules:
        sys.modules["nbval.kernel"].pformat = lambda message: message


class TogetherByFile(LoadScopeScheduling):
    """Gives a worker whole files of tests, and all that share a JupyterLab at once.

    A file's tests share what is slow to make: a page, a kernel, a trained model. What
    is compared with `transformers`, which takes seconds to import, stays together too.
    """

    def _split_scope(self, nodeid: str) -> str:
        for together in (LAB, ORACLE):
            if nodeid.startswith(together):
                return together
        return nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)  # `-p no:xdist` runs them one after the other
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> TogetherByFile:
    config.option.loadscopereorder = False  # the order given below stands
    return TogetherByFile(config, log)


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Only what runs in a real JupyterLab is tried once more when it fails.

    It is then reported as RERUN: a race, in a test or in a page, to be looked for.
    What one worker keeps together begins first: the largest, then the notebooks, then
    the files of views, some of which take minutes. Small files at the end leave no
    worker without work while the other one finishes a long file.
    """
    repeats = config.pluginmanager.hasplugin("rerunfailures")  # `-p no:` does not
    for item in items:
        if item.nodeid.startswith(LAB):
            if repeats:
                item.add_marker(pytest.mark.flaky(reruns=1))
        elif NOTEBOOK in item.nodeid:  # nbval leaves sockets open
            item.add_marker(pytest.mark.filterwarnings("default"))
    first = (LAB, NOTEBOOK, VIEWS)
    items.sort(key=lambda item: [part not in item.nodeid for part in first])


def pytest_collection_finish(session: pytest.Session) -> None:
    """Prepare for the tests that were found: kernels for those that start some.

    From here on, the garbage collector passes over all that was imported so far.
    """
    if any(NOTEBOOK in item.nodeid or LAB in item.nodeid for item in session.items):
        kernels_start_at_once()
    gc.collect()
    gc.freeze()


def kernels_start_at_once() -> None:
    """Fork the kernels of notebooks, where that can be done: see `kernels`."""
    if sys.platform == "linux":
        from kernels import forked_kernels

        folder = OPEN.enter_context(tempfile.TemporaryDirectory())
        found = OPEN.enter_context(forked_kernels(pathlib.Path(folder)))
        others = os.environ.get("JUPYTER_PATH", "")
        os.environ["JUPYTER_PATH"] = f"{found}{os.pathsep}{others}"


def pytest_sessionfinish() -> None:
    OPEN.close()


def pytest_runtest_logfinish() -> None:
    """Close the widgets and figures that a test made, which nobody else closes.

    Thousands of them would slow down every search through them, and the collector.
    """
    if "ipywidgets" in sys.modules:
        sys.modules["ipywidgets"].Widget.close_all()
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say why a test was tried once more: pytest tells no more than its name."""
    for report in terminalreporter.getreports("rerun"):
        terminalreporter.section(f"tried once more: {report.nodeid}")
        terminalreporter.write_line(report.longreprtext)


@pytest.fixture
def body(monkeypatch) -> Callable:
    """`body(drawing, arrays)`: what a drawing at rest consists of, without its heading.

    Its words, and its boxes: each (x, y, width, height) with its style.
    """
    import numpy as np
    from matplotlib.figure import Figure

    from explorable import plots

    boxes: list = []

    def keep(area, some, **style) -> None:
        boxes.extend((tuple(map(float, one)), style) for one in np.asarray(some))

    monkeypatch.setattr(plots.Area, "boxes", keep)

    def drawn(drawing, arrays) -> tuple[list, list]:
        still = drawing.at_rest(arrays)
        boxes.clear()
        area = plots.Area(Figure(), *still.ends, (0, 0, *still.size))
        still.draw(area)
        return plots.said(area.on), [*boxes]

    return drawn


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """A running JupyterLab that serves a copy of the course: see `lab.lab.Lab`."""
    from lab.lab import running_lab

    with running_lab(tmp_path_factory.mktemp("lab")) as started:
        yield started


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium; where there is none, CI fails and others skip."""
    from browser import launch
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=60_000)
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        if chromium is None and os.environ.get("CI") == "true":
            pytest.fail(
                "no Chromium for the browser tests, and CI=true forbids to skip"
            )
        if chromium is None:
            pytest.skip("no Chromium: python tests/browser.py fetches one")
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def desk(lab, browser):
    """The one notebook that is open at a time: see `lab.desk.Desk`."""
    from lab.desk import Desk

    desk = Desk(lab, browser)
    yield desk
    desk.clear()


@pytest.fixture
def faults(desk, request) -> Iterator[list[str]]:
    """What went wrong in the browser: if anything is left here, the test fails.

    A test that is tried once more, and is then reported as R, has a clear desk.
    """
    if getattr(request.node, "execution_count", 1) > 1:
        desk.clear()
    desk.faults.clear()
    yield desk.faults
    noted = list(dict.fromkeys(desk.faults))
    noted += [f"a dialog: {asked}" for asked in desk.dialogs()]
    if noted:
        desk.clear()
    assert not noted, "in the browser:\n" + "\n".join(noted)


@pytest.fixture
def open_notebook(desk, faults) -> Callable:
    """`open_notebook(name, dark=False, width=1280, run=True, keep=False)`: the page.

    With `keep`, a notebook that an earlier test left open is taken as it stands.
    """
    return desk.open
