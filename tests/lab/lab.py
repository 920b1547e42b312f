"""A real JupyterLab on loopback, and one notebook at a time in a real Chromium.

The fixtures that tests use are in `tests/conftest.py`: `lab`, `browser`, `faults` and
`open_notebook`.
"""

import contextlib
import json
import os
import pathlib
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import nbformat
from browser import HOST, watch
from playwright.sync_api import Browser, Page

ROOT = pathlib.Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PATIENCE = 120  # seconds, for whatever a busy machine may take long over

THEME = """async (theme) => {
    const app = window.jupyterapp;
    await app.restored;
    await app.commands.execute('apputils:change-theme', { theme });
    await app.shell.currentWidget.context.ready;
}"""
KERNEL = """async () => {
    const { sessionContext } = window.jupyterapp.shell.currentWidget;
    await sessionContext.ready;
    await sessionContext.session.kernel.info;
}"""
# What JupyterLab asks a kernel of its own accord, the debugger last and twice, has been
# answered. A kernel that goes before that makes an error of each question.
ANSWERED = """() => {
    const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
    const began = document.querySelector(".jp-DebuggerBugButton[aria-disabled=false]");
    return began && kernel._futures.size === 0;
}"""
SETTLED = """async () => {
    const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
    // What is asked is answered in turn, but a widget holds its newest move back until
    // the kernel has answered the one before: then there is more to be answered.
    const waits = ({ msg }) => msg.header.msg_type === "comm_msg";
    do await kernel.requestKernelInfo();
    while ([...kernel._futures.values()].some(waits));
    await new Promise(requestAnimationFrame);
}"""
RUN_ALL = "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"
CELL_ERRORS = """() => window.jupyterapp.shell.currentWidget.context.model.toJSON()
    .cells.flatMap((cell, i) => (cell.outputs ?? [])
        .filter((out) => out.output_type === 'error')
        .map((out) => `cell ${i}: ${out.ename}: ${out.evalue}`))"""


@dataclass(frozen=True)
class Lab:
    """Where a running JupyterLab answers, and the folder that it serves."""

    url: str
    token: str
    folder: pathlib.Path
    added: dict[str, list[str]] = field(default_factory=dict)

    def address(self, name: str) -> str:
        return f"{self.url}/doc/tree/notebooks/{name}?token={self.token}&reset"

    def ask(self, path: str, method: str = "GET") -> bytes:
        """Call the server's own interface, by no proxy."""
        request = urllib.request.Request(
            f"{self.url}/api/{path}",
            method=method,
            headers={"Authorization": f"token {self.token}"},
        )
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(request, timeout=PATIENCE) as answer:
            return answer.read()

    def stop_kernels(self) -> None:
        for kernel in json.loads(self.ask("kernels")):
            self.ask(f"kernels/{kernel['id']}", "DELETE")

    def add(self, name: str, cells: Iterable[str]) -> str:
        """Put a notebook of these code cells among the course's; give its name.

        One that is there is left alone: JupyterLab would find that the file has
        changed, and ask in a dialog, which takes the focus, what is to become of it.
        """
        if self.added.get(name) != list(cells):
            self.added[name] = list(cells)
            write_notebook(self.folder / "notebooks" / name, self.added[name])
        return name


def write_notebook(path: pathlib.Path, cells: Iterable[str]) -> None:
    """Write a notebook of code cells that has not been run."""
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in cells],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    nbformat.write(notebook, path)


@contextlib.contextmanager
def running_lab(root: pathlib.Path, ours: bool = True) -> Iterator[Lab]:
    """Serve a copy of the course, with its own settings or with none at all."""
    for name in ("notebooks", "figures", "lab_settings", "explorable/static/fonts"):
        shutil.copytree(ROOT / name, root / "served" / name)
    lab = Lab(f"http://{HOST}:{free_port()}", secrets.token_hex(16), root / "served")
    with open(root / "log", "w") as log:
        server = subprocess.Popen(
            command(lab, ours),
            cwd=lab.folder,
            env=environment(root),
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_until_it_answers(lab, server, root / "log")
        yield lab
    finally:
        server.terminate()
        try:
            server.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def command(lab: Lab, ours: bool) -> list[str]:
    """Start JupyterLab, with the Makefile's own flags or as others do."""
    [flags] = re.findall(r"^LAB_FLAGS := ((?:.*\\\n)*.*)$", MAKEFILE, re.MULTILINE)
    return [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        *(flags.replace("\\\n", " ").split() if ours else [f"--ip={HOST}"]),
        f"--port={urlsplit(lab.url).port}",
        "--ServerApp.port_retries=0",
        "--KernelManager.shutdown_wait_time=0.2",  # nothing here has to finish
        f"--IdentityProvider.token={lab.token}",
        "--expose-app-in-browser",
    ]


def environment(root: pathlib.Path) -> dict[str, str]:
    folders = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    return {**os.environ, **{name: str(root / at) for name, at in folders.items()}}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def wait_until_it_answers(
    lab: Lab, server: subprocess.Popen[bytes], log: pathlib.Path
) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(OSError):
            lab.ask("status")
            return
        time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text(encoding='utf-8')}")


def watched_page(
    browser: Browser, faults: list[str], width: int = 1280, height: int = 900
) -> Page:
    """Open an empty page that notes every error and every request that leaves."""
    context = browser.new_context(
        viewport={"width": width, "height": height},
        service_workers="block",
        reduced_motion="reduce",  # a test of motion asks for it
    )
    context.set_default_timeout(PATIENCE * 1000)
    watch(context, faults)
    return context.new_page()


def switch_theme(page: Page, dark: bool) -> None:
    """Bring the open page into JupyterLab's dark theme, or its light one."""
    page.evaluate(THEME, "JupyterLab Dark" if dark else "JupyterLab Light")
    light = str(not dark).lower()
    page.locator(f"body[data-jp-theme-light='{light}']").wait_for(state="attached")


def show_notebook(page: Page, lab: Lab, name: str, dark: bool = False) -> None:
    """Open a notebook of `lab` in one of the themes."""
    page.goto(lab.address(name))
    page.locator(".jp-Notebook").wait_for()
    page.wait_for_function("window.jupyterapp")
    switch_theme(page, dark)


def settle(page: Page) -> None:
    """Wait until the kernel has answered whatever the page has asked it so far."""
    page.evaluate(SETTLED)


def wait_for_kernel(page: Page) -> None:
    """Wait until the kernel may go, or its notebook be closed, without an error."""
    page.evaluate(KERNEL)
    page.wait_for_function(ANSWERED)


def run_all_cells(page: Page) -> list[str]:
    """Run the open notebook from top to bottom; give the errors of its cells."""
    page.evaluate(KERNEL)
    page.evaluate(RUN_ALL)
    return page.evaluate(CELL_ERRORS)
