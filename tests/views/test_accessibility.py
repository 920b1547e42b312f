"""axe-core finds nothing to object to in any view, on a light page and a dark one.

What JupyterLab adds, the controls, is looked at in tests/lab.
"""

from importlib.resources import files

import numpy as np
import pytest
from gallery import A_FEW, GALLERY, explorer_of

from explorable.drawings.matrix import Matrix
from explorable.plots import lettering

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
# Of cells that look the same one is enough: each takes a millisecond. In another theme
# only the colors are others.
RUN = """async ([where, only]) => {
    const there = where.filter((css) => document.querySelector(css));
    const all = there.map((css) => `${css} td[role=gridcell], td[role=gridcell]${css}`);
    const looks = new Set();
    for (const td of document.querySelectorAll(all)) {
        const { className } = td.closest(".tl-panel");
        const look = `${className} ${td.className} ${td.style.cssText} ${td.tight}`;
        td.toggleAttribute("data-again", looks.has(look));
        looks.add(look);
    }
    const include = there.map((css) => [css]);
    const exclude = [["td[data-again]"]];
    const asked = { resultTypes: ["violations"] };
    if (only.length) asked.runOnly = only;
    const { violations } = await axe.run({ include, exclude }, asked);
    return violations.flatMap(({ id, help, nodes }) => nodes.map((node) =>
        `${id}: ${help}: ${node.html.slice(0, 200)} · ${node.any[0]?.message ?? ""}`));
}"""


def objections(page, *where, only=()):
    """What axe's rules, or only these, find in all that is shown or in a part of it."""
    if not page.page.evaluate("Boolean(window.axe)"):
        page.page.evaluate(AXE)
    return page.page.evaluate(RUN, [where or [".tl-explorer"], list(only)])


@pytest.mark.parametrize("name", GALLERY)
def test_axe_finds_no_violation_in_any_explorer(name, page):
    page.draw(GALLERY[name].make(8 if name in A_FEW else 4))
    light_up(page)
    assert objections(page) == []


@pytest.mark.parametrize("name", A_FEW)
def test_axe_finds_all_contrasts_strong_enough_in_the_dark(name, page):
    page.theme(dark=True)
    page.draw(GALLERY[name].make(4))
    light_up(page)
    assert objections(page, only=["color-contrast"]) == []


#: Texts with indices and powers, and some that only look as if they had any.
INDEXED = ["W_Q", "√d_k = 4", "base^(2i/d_model)", "2^n + 1", "10^(-3) m", "x_12"]
NOT_INDEXED = [
    "self_attention.scores",
    "^_^",
    "$x^$",
    "my_word",
    "a_",
    "_b",
    "snake_a_b",
]


@pytest.mark.parametrize("text", INDEXED + NOT_INDEXED)
def test_an_index_is_set_as_one_and_still_found_and_read(text, page):
    """The sign before it is not seen, but it is there: d_k is no word "dk"."""
    look = {"rows": ["a"], "columns": ["b"]}
    drawing = Matrix(name="x", title=text, **look)
    page.draw(explorer_of(lambda: {"x": np.ones((1, 1))}, lambda _: [drawing]))
    title = page.find("figcaption b").first
    assert title.text_content() == text
    assert page.page.evaluate("text => window.find(text)", text)
    seen = [piece for piece in lettering.pieces(text) if piece.text]
    small = "".join(piece.text for piece in seen if piece.at)
    tops = title.locator(":scope > .tl-index").all_text_contents()
    assert "".join(tops).replace("_", "") == small
    assert bool(tops) is (text in INDEXED)


def light_up(page):
    """Go to a place, which lights up, and pin it."""
    page.find("[tabindex='0']").last.focus()
    page.press("Space")


@pytest.mark.parametrize("where", [[], [".tl-now"]], ids=["anywhere", "in what is lit"])
def test_axe_sees_a_fault(where, page):
    page.draw(GALLERY["softmax_bench"].make(3))
    cell = page.find("td[role=gridcell]").first
    cell.evaluate("td => { td.style.color = '#ccc'; }")
    cell.focus()
    [said] = objections(page, *where)
    assert said.startswith("color-contrast")
