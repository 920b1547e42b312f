"""Find a Chromium for the browser tests, or fetch one: prints its path.

    python tests/lab/chromium.py

It looks, in this order, at the CHROMIUM variable, at the programs of the machine, at
Playwright's own browser (fetched if need be), and at the system's package manager
where that needs no password. Only this script fetches; the tests only look.
"""

import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Iterable

PROGRAMS = (
    "chromium-headless-shell",  # the same engine without its windows
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
PLAYWRIGHT = (sys.executable, "-m", "playwright", "install", "--no-shell", "chromium")
APT = ("apt-get", "install", "-y", "--no-install-recommends")
PATIENCE = 300  # seconds for one command
TRIED = (
    "CHROMIUM (not set)",
    "a program named " + ", ".join(PROGRAMS[:6]),
    "Playwright's own (python -m playwright install chromium)",
    "the system's package manager (apt-get, as root only)",
)


def find_chromium(install: bool) -> pathlib.Path | None:
    """Give the path of a Chromium that starts; fetch one only if `install`.

    Raises:
        FileNotFoundError: CHROMIUM is set and names no browser that starts.
    """
    named = os.environ.get("CHROMIUM")
    if named:
        found = first_that_starts([named])
        if found is None:
            raise FileNotFoundError(f"CHROMIUM names no browser that starts: {named}")
        return found
    found = first_that_starts(PROGRAMS) or first_that_starts(playwrights_own())
    if found or not install:
        return found
    return from_playwright() or from_the_system()


def first_that_starts(programs: Iterable[str]) -> pathlib.Path | None:
    """A program may be there and not start: a stub, or a library short."""
    for program in programs:
        path = shutil.which(program)
        if path and succeeds(path, "--version", patience=30):
            return pathlib.Path(path)
    return None


def playwrights_own() -> list[str]:
    """Say where Playwright keeps, or would keep, its own Chromium."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return []
    with sync_playwright() as playwright:
        return [playwright.chromium.executable_path]


def from_playwright() -> pathlib.Path | None:
    print("No Chromium here yet: asking Playwright for its own…", flush=True)
    succeeds(*PLAYWRIGHT)
    return first_that_starts(playwrights_own())


def from_the_system() -> pathlib.Path | None:
    if not (is_root() and shutil.which("apt-get")):
        return None
    print("Asking the system's package manager for Chromium…", flush=True)
    succeeds("apt-get", "update")
    for package in PROGRAMS[:2]:
        if succeeds(*APT, package) and (found := first_that_starts(PROGRAMS)):
            return found
    return None


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def succeeds(*command: str, patience: float = PATIENCE) -> bool:
    """Run a command in silence, without a prompt and within its time."""
    quiet = {
        "DEBIAN_FRONTEND": "noninteractive",
        "PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": "10000",
    }
    try:
        done = subprocess.run(
            command,
            env={**quiet, **os.environ},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=patience,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def main() -> int:
    try:
        found = find_chromium(install=True)
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 1
    if found:
        print(found)
        return 0
    tried = "".join(f"\n  - {place}" for place in TRIED)
    if os.environ.get("CI") == "true":
        print(f"No Chromium, and CI=true forbids to skip. Tried:{tried}")
        return 1
    print(f"No Chromium: the browser tests will be skipped. Tried:{tried}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
