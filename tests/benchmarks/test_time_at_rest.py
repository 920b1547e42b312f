"""From running an explorer's cell to its picture, numbers and widgets: Python's part.

Once in a fresh process, as a reader's first cell of the kind, and then again and again
in one process. At 64 a side the picture is saved as well. What is judged is the time of
this process, which on an idle machine is the time that passes: others do not count.
"""

import pathlib
import statistics
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from gallery import GALLERY

from explorable.plots import as_svg

ROOT = pathlib.Path(__file__).parents[2]
MOST = {8: 250, 32: 800, 64: 2000}  # ms
ROUNDS = 5
CLOCKS = time.process_time, time.perf_counter
FRESH = """
import sys
sys.path[:0] = ["tests", "."]
from benchmarks.test_time_at_rest import shown
from gallery import GALLERY
import matplotlib.backends.backend_svg, PIL.Image
print(shown(GALLERY[{name!r}], {size})[0])
"""


def timed(run):
    """The milliseconds of this process that a call takes, and those that pass."""
    start = time.process_time(), time.perf_counter()
    run()
    return tuple(1000 * (now() - then) for now, then in zip(CLOCKS, start, strict=True))


def shown(exhibit, size):
    """How long an explorer takes from its cell to what the page is sent."""
    return timed(lambda: exhibit.make(size)._repr_mimebundle_())


def medians(run, rounds):
    return map(statistics.median, zip(*(run() for _ in range(rounds)), strict=True))


def shown_first(name, size):
    """The same in a fresh process that has imported the library."""
    script = FRESH.format(name=name, size=size)
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return float(done.stdout)


@pytest.mark.parametrize("size", [8, 32])
@pytest.mark.parametrize("name", GALLERY)
def test_an_explorer_shows_soon_after_its_cell_is_run(name, size):
    exhibit = GALLERY[name]
    first = shown_first(name, size)
    own, passed = medians(lambda: shown(exhibit, size), ROUNDS)
    print(
        f"{name:20} {exhibit.size(size):3}: {own:4.0f} ms (first {first:5.0f}), "
        f"{passed:4.0f} ms passed",
        flush=True,
    )
    assert own <= MOST[size]


@pytest.mark.parametrize("name", [n for n in GALLERY if GALLERY[n].largest == 32])
def test_64_a_side_show_and_are_saved_in_two_seconds(name):
    exhibit = replace(GALLERY[name], largest=64)
    try:
        explorer = exhibit.make(64)
    except ValueError:
        pytest.skip(f"{name} admits fewer")
    own, passed = medians(lambda: shown(exhibit, 64), 3)
    save, _ = timed(lambda: as_svg(explorer.picture()))
    print(
        f"{name:20}  64: {own:4.0f} ms, {passed:4.0f} ms passed; saved in {save:4.0f}",
        flush=True,
    )
    assert max(own, save) <= MOST[64]
