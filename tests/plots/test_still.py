"""The picture at rest: the same numbers, shades and places as on the page."""

import base64
import pathlib
import runpy
from itertools import pairwise

import matplotlib.image
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.text import Text

from transformer_lib import explorers, plots

FIGURES = pathlib.Path(__file__).parents[2] / "figures"
Q = K = np.array([[1.0, 0], [0, 1], [1, 1]])
V = np.array([[1.0, 2], [3, 4], [5, 6]])
TOKENS = ["AI", "is", "powerful"]
RANDOM = np.random.default_rng(0).normal(size=(3, 32, 8))
EXPLORERS = {
    "bench": lambda: explorers.attention_bench(Q, -K, V, TOKENS),
    "large bench": lambda: explorers.attention_bench(*RANDOM),
    "one number": lambda: explorers.attention_bench([[1.0]], [[1.0]], [[1.0]]),
    "zeros": lambda: explorers.attention_bench([[0.0]], [[0.0]], [[0.0]], ["$x^$"]),
    "softmax": lambda: explorers.softmax_bench([[3.0, -1, 0], [2, 4, 1]]),
    "mixing": lambda: explorers.mixing_bench([[0.5, 0.5], [1, 0]], [[1.0], [2]]),
    "scale": explorers.scale_lab,
}


@pytest.fixture
def bench():
    return explorers.attention_bench(Q, K, V, TOKENS)


@pytest.fixture(params=EXPLORERS)
def explorer(request):
    return EXPLORERS[request.param]()


def drawn(explorer):
    """Each panel's name, what the page is told of it, and its Axes in the picture."""
    frames = explorer.view.panels
    axes = explorer.picture().axes
    return [
        (frame["name"], {**frame, **explorer.view.live[frame["name"]]}, ax)
        for frame, ax in zip(frames, axes, strict=True)
    ]


def cells(ax):
    """By (row, column): the square that stands there, and its number if it has one."""
    texts = {t.get_position(): t for t in ax.texts if type(t) is Text}
    squares = {(int(p.get_y()), int(p.get_x())): p for p in ax.patches}
    return {(r, c): (p, texts.get((c + 0.5, r + 0.5))) for (r, c), p in squares.items()}


def test_an_explorer_leaves_a_picture_and_its_numbers(explorer):
    bundle = explorer._repr_mimebundle_()
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert len(bundle["image/png"]) < 1_000_000


def test_every_cell_of_the_picture_bears_its_number_and_its_shade(explorer):
    for name, panel, ax in drawn(explorer):
        values, found = explorer.values[name], cells(ax)
        assert len(found) == values.size == len(ax.patches)
        for at, value in np.ndenumerate(values):
            square, text = found[at]
            negative = panel["palette"] == "scores" and value < 0
            hue = "negative" if negative else panel["palette"]
            paper, ink = plots.shade(hue, plots.step_of(value, panel["limit"]))
            assert to_hex(square.get_facecolor()).upper() == paper, (name, at)
            if panel["size"] == "tiny":
                assert text is None
            else:
                assert text.get_text() == plots.number(value, panel["digits"])
                assert text.get_color() == ink


def test_masked_cells_are_hatched_without_a_number(bench):
    bench.controls["mask"].value = "causal"
    future = np.triu(np.ones((3, 3), bool), 1)
    for name, _, ax in drawn(bench):
        masked = future if name in ("scaled", "weights") else np.zeros((9, 9), bool)
        for at, (square, text) in cells(ax).items():
            assert (square.get_hatch() is not None) == (text is None) == masked[at]


def test_panels_of_one_group_stand_in_one_row_and_none_on_another(bench):
    places = {name: ax.get_position() for name, _, ax in drawn(bench)}
    above = 1.0
    for names in bench.view.groups:
        boxes = [places[name] for name in names]
        tops = [box.y1 for box in boxes]
        assert tops == pytest.approx([tops[0]] * len(tops))
        assert all(a.x1 < b.x0 for a, b in pairwise(boxes))
        assert tops[0] < above
        above = min(box.y0 for box in boxes)
    assert above > 0


def test_the_picture_carries_titles_steps_formulas_and_notes(bench):
    words = [text.get_text() for text in bench.picture().texts]
    for name, panel, ax in drawn(bench):
        step = f"{panel['step']}  " if panel["step"] else ""
        assert step + panel["title"] in words, name
        assert panel["formula"] in [text.get_text() for text in ax.texts]
        assert panel["note"] in words
    assert [w for w in words if w[:1].isdigit()] == [
        "1  scores",
        "2  scaled",
        "3  weights",
        "4  output",
    ]


def test_the_text_at_rest_holds_the_numbers_of_every_panel(bench):
    text = bench.text()
    assert "scale: on · temperature: 1.0 · mask: none" in text
    for number in ("0.4011", "0.1978", "0.2483", "0.5035", "3.4067", "4.5105"):
        assert number in text


def test_masked_cells_read_hidden_in_the_text(bench):
    bench.controls["mask"].value = "causal"
    assert bench.text().count("hidden") == 2 * 3


def test_a_word_that_the_font_lacks_is_drawn_without_a_warning():
    explorers.attention_bench([[1]], [[1]], [[1]], ["注意"])._repr_mimebundle_()


# ── the figures that are kept ───────────────────────────────────────────────────
@pytest.fixture(params=sorted(FIGURES.glob("*.py")), ids=lambda script: script.stem)
def redrawn(request, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", [str(request.param), str(tmp_path)])
    runpy.run_path(str(request.param), run_name="__main__")
    return sorted(tmp_path.iterdir())


def test_a_figure_is_what_its_script_draws(redrawn):
    assert redrawn
    for new in redrawn:
        kept = FIGURES / new.name
        if new.suffix == ".svg":
            assert kept.read_text(encoding="utf-8") == new.read_text(encoding="utf-8")
        else:
            a, b = matplotlib.image.imread(kept), matplotlib.image.imread(new)
            assert a.shape == b.shape
            assert np.abs(a - b).mean() < 0.002


def test_every_figure_has_a_script():
    pictures = {p.stem for p in FIGURES.iterdir() if p.suffix in (".png", ".svg")}
    scripts = tuple(p.stem for p in FIGURES.glob("*.py"))
    assert all(picture.startswith(scripts) for picture in pictures)
