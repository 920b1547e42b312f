"""A headless Chromium for the tests: the machine's own, or Playwright's.

    python tests/browser.py    # fetches one where there is none

Only this command fetches; the tests only look. CHROMIUM names one to take instead, and
then nothing is fetched.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Playwright,
    sync_playwright,
)

HOST = "127.0.0.1"
PROGRAMS = ("chromium-headless-shell", "chromium", "google-chrome", "microsoft-edge")
# Nothing but loopback has an address, so nothing can leave even if it goes unseen.
FLAGS = (
    f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {HOST}",
    "--no-proxy-server",
)
APT = ("apt-get", "install", "-y", "--no-install-recommends")
FETCH = (
    (sys.executable, "-m", "playwright", "install", "--only-shell", "chromium"),
    ("apt-get", "update"),
    (*APT, "chromium-headless-shell"),
    (*APT, "chromium"),
)


def launch(playwright: Playwright) -> Browser | None:
    """Start the first that does: the one named, the machine's, Playwright's own."""
    named = os.environ.get("CHROMIUM")
    for program in [named] if named else [*PROGRAMS, None]:
        path = program and shutil.which(program)
        if program is None or path:
            try:
                return playwright.chromium.launch(executable_path=path, args=FLAGS)
            except Error:  # a stub, a library missing, or none that Playwright fetched
                continue
    return None


def starts() -> bool:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        if browser:
            print(f"Chromium {browser.version}")
            browser.close()
        return browser is not None


def run(command: Sequence[str]) -> None:
    """Run a command in silence, without a prompt; what it fetched must then start."""
    quiet = {
        "DEBIAN_FRONTEND": "noninteractive",
        "PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": "10000",
    }
    none = subprocess.DEVNULL
    env = {**quiet, **os.environ}
    print(*command, flush=True)
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(
            command, env=env, stdin=none, stdout=none, timeout=300, check=False
        )


def may_install() -> bool:
    """Tell root what apt would install on the machine, and ask whoever can answer."""
    print(
        "No Chromium starts here. You are root, and apt-get can install one for all of"
        " this machine: chromium-headless-shell, or else chromium.\n"
        "To take one that you have: make test CHROMIUM=/path/to/chromium",
        flush=True,
    )
    if in_ci() or not sys.stdin.isatty():
        return True
    return input("Install it? [y/N] ").strip().lower() in ("y", "yes")


def in_ci() -> bool:
    return os.environ.get("CI") == "true"


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def fetch() -> bool:
    """Run what may bring a Chromium, until one starts."""
    asked = not is_root()  # anyone else apt refuses
    for command in FETCH:
        if command[0] == "apt-get" and not asked:
            asked = True
            if not may_install():
                return False
        run(command)
        if starts():
            return True
    return False


def main() -> int:
    named = os.environ.get("CHROMIUM")
    if starts() or (not named and fetch()):
        return 0
    print(
        f"CHROMIUM={named} does not start."
        if named
        else "No Chromium starts here, and none was fetched: set CHROMIUM to one."
    )
    return 1 if in_ci() else 0


# ── what goes wrong in a page ─────────────────────────────────────────────────
def leaves_loopback(url: str) -> bool:
    """Tell whether a request goes elsewhere; data: and blob: have no host."""
    return urlsplit(url).hostname not in (None, HOST, "localhost")


def watch(context: BrowserContext, faults: list[str]) -> None:
    """Note what goes wrong in any page of `context`, and what would have left."""

    def note_url(url: str) -> None:
        if leaves_loopback(url):
            faults.append(f"left loopback: {url}")

    def note_console(message: ConsoleMessage) -> None:
        if message.type == "error":
            faults.append(f"console error: {message.text}")

    def watch_page(page: Page) -> None:
        page.on("websocket", lambda socket: note_url(socket.url))

    context.on("request", lambda request: note_url(request.url))
    context.on("console", note_console)
    context.on("weberror", lambda error: faults.append(f"page error: {error.error}"))
    context.on("page", watch_page)


if __name__ == "__main__":
    sys.exit(main())
