"""5,000 moves of each explorer leave neither the kernel nor the page any larger."""

import pytest
from gallery import GALLERY, MOVED, SETUP
from lab.shown import Shown
from playwright.sync_api import Page

MOVES, WARM_UP, AT_ONCE = 5000, 500, 50
GROWTH = 1.05
KERNEL = "import gc, psutil; gc.collect(); print(psutil.Process().memory_info().rss)"
ASK_KERNEL = """async (code) => {
    const panel = window.jupyterapp.shell.currentWidget;
    const future = panel.sessionContext.session.kernel.requestExecute({ code });
    let said = "";
    future.onIOPub = ({ header, content }) => {
        if (header.msg_type === "stream") said += content.text;
    };
    await future.done;
    return said;
}"""


def sizes(page: Page) -> dict[str, float]:
    """Bytes in the kernel, bytes and nodes in the page, after collecting garbage."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable")
    for _ in range(3):
        devtools.send("HeapProfiler.collectGarbage")
        page.wait_for_timeout(200)
    found = {
        m["name"]: m["value"]
        for m in devtools.send("Performance.getMetrics")["metrics"]
    }
    devtools.detach()
    kernel = float(page.evaluate(ASK_KERNEL, KERNEL))
    heap, nodes = found["JSHeapUsedSize"], found["Nodes"]
    return {"kernel bytes": kernel, "page bytes": heap, "page nodes": nodes}


def move(shown: Shown, times: int) -> None:
    """Press the explorer's two keys in turn; now and then the kernel catches up."""
    for start in range(0, times, AT_ONCE):
        shown.handle()
        for turn in range(start, start + AT_ONCE):
            shown.page.keyboard.press(shown.exhibit.keys[turn % 2])
        shown.page.evaluate(ASK_KERNEL, "")  # answered when all that came before is


@pytest.mark.parametrize("name", MOVED)
def test_5000_moves_leave_no_memory_behind(name, lab, open_notebook):
    exhibit = GALLERY[name]
    page = open_notebook(lab.add(f"memory-{name}.ipynb", [SETUP, exhibit.cell(8)]))
    shown = Shown(page, exhibit)
    move(shown, WARM_UP)
    before = sizes(page)
    move(shown, MOVES)
    after = sizes(page)
    said = [f"{what} {x:.0f} → {after[what]:.0f}" for what, x in before.items()]
    print(f"\n{name}: {' · '.join(said)}")
    for what, x in before.items():
        assert after[what] <= GROWTH * x, what
