"""From key press to changed picture: the explorer, interact with matplotlib, nothing.

All three sit in one notebook of one real JupyterLab, and take turns, so that a busy
moment of the machine hits them alike. Only ratios of their medians are judged: to the
floor, below which no explorer is; and of what each adds to it, to what interact adds.
"""

import statistics

import pytest
from gallery import GALLERY, MOVED, SETUP
from lab.shown import Shown
from playwright.sync_api import Locator, Page

ROUNDS = {8: 24, 32: 24}
PICTURES = {8: 8, 32: 3}  # of these rounds with interact: it takes seconds at 32
WARM_UP = 2
# The twin computes and draws, and tells the page nothing: it pays for no view.
# Its picture is the one that a reader would draw: `imshow` with a number in each cell.
INTERACT = """
import ipywidgets as W
import matplotlib.pyplot as plt
%matplotlib inline
twin = {build}
for view in twin.views.values():
    view.close()
def picture(value):
    if {moves!r} not in twin.controls:
        twin.edit({moves!r}, 0, 0, value)
    tables = {{name: x for name, x in twin.values.items() if min(x.shape) > 1}}
    figure, axes = plt.subplots(figsize=(6, 6))
    values = next(reversed(tables.values()), twin.values[twin.drawings[0].name])
    axes.imshow(values)
    for (row, column), x in np.ndenumerate(values):
        axes.text(column, row, f"{{x:.2f}}", ha="center", va="center")
    plt.show()
moved = twin.controls.get({moves!r}) or W.FloatSlider(value=1.0, min=0.1, step=0.1)
moved.add_class("with-interact")
W.interact(picture, value=moved).widget.out.add_class("interact-output")
"""
FLOOR = """
import anywidget, traitlets as T
class Echo(anywidget.AnyWidget):
    _esm = '''export default { render({ model, el }) {
        el.className = "echo";
        const draw = () => { el.textContent = String(model.get("value")); };
        model.on("change:value", draw);
        draw();
    } };'''
    value = T.Float(1.0).tag(sync=True)
echo = Echo()
slider = W.FloatSlider(value=1.0, min=0.1, max=5.0, step=0.1)
slider.add_class("for-floor")
slider.observe(lambda change: setattr(echo, "value", change.new), "value")
W.VBox([slider, echo])
"""
# The clock runs in the page: from the key's arrival to the frame after the last change,
# since the views of one explorer change one after another.
WATCH = """([target, image]) => {
    const seen = [...document.querySelectorAll(target)];
    const before = image && seen[0].querySelector("img");
    window.arrival = new Promise((done, fail) => {
        let changes = 0;
        const soon = requestAnimationFrame;
        const frame = (then) => soon(() => soon(then));
        const settle = (turn) => frame(() => {
            const elapsed = performance.now() - window.pressed;
            setTimeout(() => {
                if (turn !== changes) return;
                watcher.disconnect();
                done(elapsed);
            }, 120);
        });
        const watcher = new MutationObserver(async () => {
            if (image) {
                const picture = seen[0].querySelector("img");
                if (!picture || picture === before) return;
                await picture.decode();
            }
            settle(++changes);
        });
        const what = { childList: true, subtree: true, characterData: true };
        if (!image) what.attributeFilter = ["class", "d", "style", "width", "x", "y"];
        for (const node of seen) watcher.observe(node, what);
        setTimeout(() => fail(Error(`no new picture in ${target}`)), 60_000);
    });
    addEventListener("keydown", () => { window.pressed = performance.now(); },
        { capture: true, once: true });
}"""
WATCHED = {
    "explorer": (".tl-picture", False),
    "interact": (".interact-output", True),
    "floor": (".echo", False),
}


def once(page: Page, handle: Locator, way: str, key: str) -> float:
    """Milliseconds from one key to its picture."""
    handle.focus()
    page.evaluate(WATCH, list(WATCHED[way]))
    page.keyboard.press(key)
    elapsed = page.evaluate("window.arrival")
    page.wait_for_timeout(60)  # let whatever trails behind settle
    return elapsed


def measure(explorer: Shown, size: int) -> dict[str, float]:
    """Milliseconds from key to picture: the median of each way, taking turns."""
    page, keys = explorer.page, explorer.exhibit.keys
    left_right = ("ArrowLeft", "ArrowRight")
    others = {
        "interact": page.locator(".with-interact .noUi-handle"),
        "floor": page.locator(".for-floor .noUi-handle"),
    }
    times: dict[str, list[float]] = {way: [] for way in WATCHED}
    for turn in range(ROUNDS[size] + WARM_UP):
        explorer_takes = once(page, explorer.handle(), "explorer", keys[turn % 2])
        times["explorer"].append(explorer_takes)
        for way, handle in others.items():
            if way == "interact" and turn >= PICTURES[size] + WARM_UP:
                continue
            times[way].append(once(page, handle, way, left_right[turn % 2]))
    return {way: statistics.median(took[WARM_UP:]) for way, took in times.items()}


@pytest.mark.parametrize("size", [8, 32])
@pytest.mark.parametrize("name", MOVED)
def test_the_explorer_answers_as_fast_as_the_kernel_lets_it(
    name, size, lab, open_notebook
):
    exhibit = GALLERY[name]
    if size > 8 and exhibit.largest <= 8:
        pytest.skip(f"{name} has no size above {exhibit.largest}")
    twin = INTERACT.format(build=exhibit.expression(), moves=exhibit.moves)
    cells = [SETUP, exhibit.cell(size), twin, FLOOR]
    page = open_notebook(lab.add(f"speed-{name}-{size}.ipynb", cells))
    page.emulate_media(reduced_motion="no-preference")  # as for most readers
    page.locator(".echo").wait_for()
    page.locator(".interact-output img").first.wait_for()
    median = measure(Shown(page, exhibit), size)
    n, to, floor = exhibit.size(size), median["explorer"], median["floor"]
    said = " · ".join(f"{way} {took:.1f} ms" for way, took in median.items())
    over = " · ".join(f"÷ {w} {to / median[w]:.3f}" for w in ("interact", "floor"))
    print(f"\n{name} {n}×{n}: {said} · {over}")
    assert to <= 1.5 * floor
    assert to - floor <= (median["interact"] - floor) / 5
