"""axe-core finds nothing to object to in any view, on a light page and a dark one.

What JupyterLab adds, the controls, is looked at in tests/lab.
"""

from importlib.resources import files

import pytest
from gallery import GALLERY

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
RUN = """async () => {
    const { violations } = await axe.run(
        { include: [[".tl-explorer"]] }, { resultTypes: ["violations"] });
    return violations.flatMap(({ id, help, nodes }) => nodes.map((node) =>
        `${id}: ${help}: ${node.html.slice(0, 200)} · ${node.any[0]?.message ?? ""}`));
}"""


def objections(page):
    if not page.page.evaluate("Boolean(window.axe)"):
        page.page.evaluate(AXE)
    return page.page.evaluate(RUN)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", GALLERY)
def test_axe_finds_no_violation_in_any_explorer(name, dark, page):
    explorer = GALLERY[name].make(8)
    page.theme(dark)
    page.draw(explorer)
    assert objections(page) == []
    page.find("[tabindex='0']").last.focus()  # what is in view is lit, its cell pinned
    page.press("Space")
    assert objections(page) == []


def test_axe_sees_a_fault(page):
    page.draw(GALLERY["softmax_bench"].make(3))
    page.find("td[role=gridcell]").first.evaluate("td => { td.style.color = '#ccc'; }")
    [said] = objections(page)
    assert said.startswith("color-contrast")
