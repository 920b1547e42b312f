"""The figures: drawn by the scripts beside them, legible, and said in words."""

import json
import pathlib
import re
import runpy
from xml.etree import ElementTree

import numpy as np
import pytest

from explorable import plots

ROOT = pathlib.Path(__file__).parents[2]
FIGURES = ROOT / "figures"
FILM = FIGURES / "attention_film.py"  # takes a browser: see tests/views/test_film.py
SCRIPTS = sorted({*FIGURES.glob("*.py")} - {FILM})
KEPT = sorted(FIGURES.rglob("*.svg"))
DRAWN = [path for path in KEPT if path.parent == FIGURES]
PARTS = sorted((FIGURES / "architecture").iterdir())  # of architecture.svg
SHOWN = re.compile(
    r"!\[([^\]]*)\]\(\.\./figures/[^)]+\)|(<img[^>]*\.\./figures/[^>]*>)"
)
START = ROOT / "notebooks" / "00_start_here.ipynb"
COLUMN, SMALLEST = 900, 13  # pixels: a notebook's column, and a letter in it
SVG = "{http://www.w3.org/2000/svg}"


def name_of(path):
    return path.name


def test_every_figure_is_what_the_scripts_draw(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(FIGURES)
    for script in SCRIPTS:
        monkeypatch.setattr("sys.argv", [str(script), str(tmp_path)])
        runpy.run_path(str(script), run_name="__main__")
    new = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    names = [path.relative_to(FIGURES) for path in KEPT]
    assert [path.relative_to(tmp_path) for path in new] == names
    for name in names:
        same = (FIGURES / name).read_bytes() == (tmp_path / name).read_bytes()
        assert same, f"{name} is out of date: run `make figures`"


@pytest.mark.parametrize("path", DRAWN, ids=name_of)
def test_a_drawn_figure_says_in_words_what_it_shows(path):
    root = ElementTree.parse(path).getroot()
    title, description = (root.findtext(f"{SVG}{part}") for part in ("title", "desc"))
    assert root.get("role") == "img"
    assert len(title) > 20
    assert len(description) > 150


@pytest.mark.parametrize("path", DRAWN, ids=name_of)
def test_a_drawn_figure_is_legible_in_a_column_and_has_its_own_paper(path):
    root = ElementTree.parse(path).getroot()
    width, height = float(root.get("width")), float(root.get("height"))
    scale = min(1, COLUMN / width)
    sizes = [float(x.get("font-size")) for x in root.iter() if x.get("font-size")]
    paper = next(root.iterfind(f"{SVG}rect")).attrib
    assert min(sizes) * scale >= SMALLEST
    assert height * scale <= 1000
    assert paper["fill"] == "#FFFFFF"
    assert [float(paper[side]) for side in ("width", "height")] == [
        width - 1,
        height - 1,
    ]


@pytest.mark.parametrize("path", DRAWN, ids=name_of)
def test_no_word_of_a_drawn_figure_leaves_its_paper(path):
    root = ElementTree.parse(path).getroot()
    for part in root.iter(f"{SVG}text"):
        words, size = "".join(part.itertext()), float(part.get("font-size"))
        code = "monospace" in part.get("font-family", "")
        long = size * (0.61 * len(words) if code else plots.width(words))
        start = {"start": 0, "middle": long / 2, "end": long}[part.get("text-anchor")]
        left = float(part.get("x")) - start
        assert left >= 8, words
        assert left + long <= float(root.get("width")) - 8, words


def test_the_parts_of_the_architecture_cover_it_once():
    whole, *parts = (
        [int(n) for n in ElementTree.parse(path).getroot().get("viewBox").split()]
        for path in (FIGURES / "architecture.svg", *PARTS)
    )
    covered = np.zeros((whole[3], whole[2]), dtype=int)
    for x, y, width, height in parts:
        covered[y : y + height, x : x + width] += 1
    assert (covered == 1).all()


def test_each_part_of_the_architecture_leads_to_the_notebook_that_it_names(monkeypatch):
    monkeypatch.syspath_prepend(FIGURES)
    parts = runpy.run_path(str(FIGURES / "architecture.py"))["PARTS"]
    start = json.loads(START.read_text(encoding="utf-8"))["cells"]
    text = "".join("".join(cell["source"]) for cell in start)
    shown = re.findall(r'(?:<a href="(\d\d)_\w+\.ipynb">)?<img [^>]*/(\w+)\.svg"', text)
    assert {name: number for number, name in shown} == {
        name: number for name, (_, number, *_) in parts.items()
    }


def test_a_part_of_the_architecture_says_which_it_is():
    titles = [ElementTree.parse(p).getroot().findtext(f"{SVG}title") for p in PARTS]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=name_of
)
def test_a_notebook_says_in_words_what_a_figure_shows(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    for cell in cells:
        for alt, tag in SHOWN.findall("".join(cell["source"])):
            said = alt or re.search(r'alt="([^"]*)"|$', tag)[1]
            least = 10 if "/architecture/" in tag else 40
            assert len(said or "") > least, f"{alt or tag} is too short"
