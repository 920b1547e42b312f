"""axe-core finds nothing to object to in any explorer, on a light page and a dark one.

It looks at the explorers' own output alone: the rest of the page is JupyterLab's.
"""

from importlib.resources import files

import pytest
from gallery import GALLERY, SETUP

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
CELLS = [SETUP, *(e.cell(8) for e in GALLERY.values())]
RUN = """async () => {
    const { violations } = await axe.run(
        { include: [[".tl-explorer"]] }, { resultTypes: ["violations"] });
    return violations.flatMap(({ id, help, nodes }) => nodes.map((node) =>
        `${id}: ${help}: ${node.html.slice(0, 200)} · ${node.any[0]?.message ?? ""}`));
}"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_no_violation_in_any_explorer(dark, lab, open_notebook):
    page = open_notebook(lab.add("axe.ipynb", CELLS), dark=dark, keep=True)
    for nth in range(len(GALLERY)):
        page.locator(".tl-explorer").nth(nth).scroll_into_view_if_needed()
    page.locator(".tl-explorer .tl td").last.wait_for()
    page.evaluate(AXE)
    found = page.evaluate(RUN)
    assert not found, "\n".join(found)
