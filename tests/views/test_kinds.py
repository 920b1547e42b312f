"""A kind of drawing stands in one folder, and is found there: none is listed."""

import importlib
import os
import sys
import textwrap

import pytest
from gallery import explorer_of
from kinds import folders, kinds

from course import explorers
from explorable import drawings, plots
from explorable.views import STATIC

# A kind of its own: dots in a row, as large as their numbers.
PYTHON = '''
from dataclasses import dataclass

from explorable.drawing import Drawing, StaticDrawing


@dataclass(frozen=True, kw_only=True)
class Dots(Drawing):
    """Its array is (1, N)."""

    labels: tuple[str, ...]
    kind = "dots"
    still = ("labels",)

    def table(self, arrays):
        return [["", *self.labels], ["size", *self.said(arrays[self.name][0])]]

    def at_rest(self, arrays):
        def draw(area):
            for n, label in enumerate(self.labels):
                area.word(f"{label}!", n + 0.5, 0.5)

        N = len(self.labels)
        return StaticDrawing(self, (N, 1), ((0, N), (1, 0)), draw, (0, 0, 0, 0))
'''
PAGE = """
    import { make } from "SHARED/dom.js";
    import { makeView } from "SHARED/view.js";

    const dotsKind = (view) => ({
      build({ name, labels }, { foot }) {
        const row = { "data-panel": name, "data-row": 0 };
        const dots = labels.map((text, column) => (
          make("button", "tl-dot", text, { ...row, "data-column": column })));
        foot.before(...dots);
        return { dots };
      },
      update({ name, dots }) {
        dots.forEach((dot, n) => { dot.style.width = `${view.tables[name].at[n]}em`; });
      },
      explain({ labels }, place) {
        const label = place ? labels[place.column] : "";
        return { sentence: "{label}", names: { label }, hint: "" };
      },
      step: () => null,
    });

    export default { render: (context) => makeView(context, dotsKind) };
"""


@pytest.fixture
def dots(tmp_path, monkeypatch):
    """Another folder beside the kinds of the library, as long as a test runs."""
    home = tmp_path / "dots"
    home.mkdir()
    shared = os.path.relpath(STATIC / "shared", home)
    (home / "__init__.py").write_text(PYTHON)
    (home / "dots_view.js").write_text(textwrap.dedent(PAGE).replace("SHARED", shared))
    (home / "dots_view.css").write_text(".tl-dot { height: 40px; }")
    monkeypatch.setattr(drawings, "__path__", [*drawings.__path__, str(tmp_path)])
    importlib.invalidate_caches()
    yield importlib.import_module(f"{drawings.__name__}.dots").Dots
    del sys.modules[f"{drawings.__name__}.dots"]


def test_a_kind_made_in_another_folder_is_found_drawn_at_rest_and_as_text(dots, page):
    assert dots in kinds()["dots"]
    dot = dots(name="x", title="three sizes", labels=("a", "b", "c"))
    explorer = explorer_of(lambda: {"x": [[2, 4.5, 6]]}, lambda _: [dot])
    page.draw(explorer)
    drawn = page.find(".tl-dot")
    assert drawn.all_text_contents() == ["a", "b", "c"]
    page.lay_out()
    assert len({box.bounding_box()["width"] for box in drawn.all()}) == 3
    height = "node => parseFloat(getComputedStyle(node).height)"
    own = drawn.first.evaluate(height)  # of its own style, where the page is enlarged
    assert own == pytest.approx(40, abs=0.01)
    drawn.nth(1).hover()
    assert page.texts(".tl-about") == ["b"]
    said = [word.text for word in plots.said(explorer.picture())]
    assert {"three sizes", "a!", "b!", "c!"} <= {*said}
    assert "4.50" in explorer.text()
    assert "4.50" in explorer.numbers()


@pytest.mark.parametrize("name", folders())
def test_what_draws_a_kind_stands_in_its_folder(name):
    assert folders()[name].joinpath(f"{name}_view.js").exists()
    assert [*folders()[name].glob("*.css")]
    for drawing in kinds().get(name, []):
        assert drawing.kind == name
        assert drawing.folder() == folders()[name]


@pytest.mark.parametrize("name", kinds())
def test_the_toolkit_and_plots_know_no_kind_but_the_matrix_that_a_table_is(name):
    files = [f for f in STATIC.parent.rglob("*") if f.suffix in (".py", ".js")]
    files = [f for f in files if "drawings" not in f.parts]
    knows = {f.name for f in files if f"drawings.{name}" in f.read_text("utf-8")}
    assert knows == ({"sheet.py"} if name == "matrix" else set())


def test_an_explorer_of_every_kind_has_one_view_for_each_band_and_kind():
    lab = explorers.positional_encoding(8, 8)
    assert {kind for _, kind in lab.views} == {d.kind for d in lab.drawings}
    for (_, kind), view in lab.views.items():
        assert type(view).__name__ == f"{kind.title()}View"
