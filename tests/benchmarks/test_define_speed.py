"""define and fill: a whole definition in 300 ms, and a step in 50, on one core."""

import statistics
import time

import pytest
import torch

from course import explorers
from course.data.dictionary import sample

MOST, A_STEP = 300, 50  # ms
WORDS = [entry.words[0] for entry in sample().held_out if len(entry.words[0]) <= 30][
    :30
]


@pytest.fixture(autouse=True)
def _one_core():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def timed(act):
    """How many milliseconds of work something takes Python."""
    start = time.process_time()
    act()
    return 1000 * (time.process_time() - start)


def most_of(took):
    """The time that 95 of 100 stay below: a busy machine has its moments."""
    return sorted(took)[int(0.95 * len(took))]


def said(what, took):
    middle, most = statistics.median(took), max(took)
    print(f"\n{what}: {middle:.0f} ms, at most {most:.0f} ms, {len(took)} times")


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_definition_and_each_of_its_steps_come_soon(temperature):
    explorer = explorers.define("glorpitis", temperature=temperature)
    word = explorer.controls["word"]
    wholes, steps, clicks = [], [], []
    for typed in WORDS:
        explorer.controls["step"].value = 1
        wholes.append(timed(lambda typed=typed: setattr(word, "value", typed)))
        steps.extend(timed(lambda: explorer.go(1)) for _ in explorer.way[1:])
        explorer.controls["step"].value = 1
        clicks.append(timed(lambda: explorer.choose("next", 2)))
    for what, took in {"word": wholes, "step": steps, "click": clicks}.items():
        said(f"temperature {temperature}, a {what}", took)
    assert most_of(wholes) <= MOST
    assert most_of(clicks) <= MOST
    assert most_of(steps) <= A_STEP


def test_a_hidden_word_is_guessed_soon():
    explorer = explorers.fill("samovar", hidden=1)
    hidden = explorer.controls["hidden"]
    took = [
        timed(lambda n=n: setattr(hidden, "value", n)) for n in range(2, hidden.max + 1)
    ]
    said("a hidden word", took)
    assert most_of(took) <= A_STEP
