"""axe-core finds nothing to object to in any view, on a light page and a dark one.

What JupyterLab adds, the controls, is looked at in tests/lab.
"""

from importlib.resources import files

import pytest
from gallery import GALLERY

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
# Of cells that look the same, the contrast of one is enough: each takes a millisecond.
CONTRAST = """() => axe.configure({ rules: [
    { id: "color-contrast", selector: "*:not([data-again], [data-again] *)" }] })"""
RUN = """async (where) => {
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
    const { violations } = await axe.run({ include }, { resultTypes: ["violations"] });
    return violations.flatMap(({ id, help, nodes }) => nodes.map((node) =>
        `${id}: ${help}: ${node.html.slice(0, 200)} · ${node.any[0]?.message ?? ""}`));
}"""


#: All that another place in view changes, which is then pinned.
LIT = [".tl-foot", ".tl-now", ".tl-pinned", ".tl-operand", ".tl-also", "[tabindex='0']"]


def objections(page, *where):
    if not page.page.evaluate("Boolean(window.axe)"):
        page.page.evaluate(AXE)
        page.page.evaluate(CONTRAST)
    return page.page.evaluate(RUN, where or [".tl-explorer"])


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", GALLERY)
def test_axe_finds_no_violation_in_any_explorer(name, dark, page):
    explorer = GALLERY[name].make(8)
    page.theme(dark)
    page.draw(explorer)
    assert objections(page) == []
    page.find("[tabindex='0']").last.focus()  # what is in view is lit, its cell pinned
    page.press("Space")
    assert objections(page, *LIT) == []


@pytest.mark.parametrize("where", [[], LIT], ids=["anywhere", "in what is lit"])
def test_axe_sees_a_fault(where, page):
    page.draw(GALLERY["softmax_bench"].make(3))
    cell = page.find("td[role=gridcell]").first
    cell.evaluate("td => { td.style.color = '#ccc'; }")
    cell.focus()
    [said] = objections(page, *where)
    assert said.startswith("color-contrast")
