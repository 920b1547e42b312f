"""The film of an explorer that opens the README: made again, and compared."""

import json
import pathlib
import runpy

import numpy as np
import pytest
from PIL import Image, ImageChops, ImageSequence

FIGURES = pathlib.Path(__file__).parents[2] / "figures"
KEPT, STILL = FIGURES / "attention.webp", FIGURES / "attention.png"


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(FIGURES / "attention_film.py"))


def far_apart(a, b):
    """Return the largest difference, from 0 to 1, of squares that blur the letters."""
    difference = ImageChops.difference(a.reduce(24), b.reduce(24))
    return np.asarray(difference).max() / 255


def test_the_film_is_what_the_explorer_shows(browser, script):
    """Exactly in its numbers, and as nearly as another Chromium draws the same page."""
    falling = list(script["states"](browser))
    film = Image.open(KEPT)
    told = json.loads(film.info["xmp"])
    frames = [frame.convert("RGB") for frame in ImageSequence.Iterator(film)]
    again = script["in_order"](falling)
    assert told == [numbers for _, numbers in again], "run `make figures`"
    pictures = [*zip(frames, again, strict=True), (Image.open(STILL), falling[0])]
    assert {kept.size for kept, _ in pictures} == {new.size for _, (new, _) in pictures}
    differences = [far_apart(kept, new) for kept, (new, _) in pictures]
    assert max(differences) < 0.12, "run `make figures`"


def test_the_film_is_light_and_takes_five_seconds():
    film = Image.open(KEPT)
    took = 0
    for frame in ImageSequence.Iterator(film):
        frame.load()
        took += frame.info["duration"]
    assert KEPT.stat().st_size < 500_000
    assert 4_500 <= took <= 5_500
    assert film.info["loop"] == 0  # for ever
