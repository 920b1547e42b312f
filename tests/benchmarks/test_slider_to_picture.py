"""From key press to changed picture: the explorer, interact with matplotlib, nothing.

All three sit in one notebook of one real JupyterLab, and take turns, so that a busy
moment of the machine hits them alike. Only ratios of their medians are judged.
"""

import statistics

import pytest
from browser.explorer_page import ExplorerPage
from playwright.sync_api import Page

ROUNDS = {8: 30, 32: 6}
SETUP = """
import numpy as np, ipywidgets as W, matplotlib.pyplot as plt, warnings
import anywidget, traitlets as T
from IPython.display import display
from transformer_lib import explorers
from transformer_lib.explorers.attention_bench import attention_steps, bench_panels
from transformer_lib.explorers.still import draw_panels
%matplotlib inline
r = np.random.default_rng(0)
Q, K, V = (r.normal(size=(SIZE, 8)) for _ in range(3))
words = [f"w{n}" for n in range(SIZE)]
"""
EXPLORER = "explorers.attention_bench(Q, K, V, words)"
INTERACT = """
def picture(temperature=1.0):
    steps = attention_steps(Q, K, V, temperature=temperature)
    settings = {"scale": True, "temperature": temperature, "mask": "none"}
    figure = draw_panels(bench_panels(steps, words, words, **settings), steps)
    display(figure)
slider = W.FloatSlider(value=1.0, min=0.1, max=5.0, step=0.1)
slider.add_class("with-interact")
W.interact(picture, temperature=slider);
"""
FLOOR = """
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
# The clock runs in the page: from the key's arrival to the frame after the change.
WATCH = """(what) => {
    const [target, image] = what;
    const seen = document.querySelector(target);
    window.arrival = new Promise((done) => {
        const settle = () => requestAnimationFrame(() => requestAnimationFrame(
            () => done(performance.now() - window.pressed)));
        const watcher = new MutationObserver(async () => {
            if (image) {
                const picture = seen.querySelector("img");
                if (!picture) return;
                await picture.decode();
            }
            watcher.disconnect();
            settle();
        });
        watcher.observe(seen, { childList: true, subtree: true, characterData: true });
    });
    addEventListener("keydown", () => { window.pressed = performance.now(); },
        { capture: true, once: true });
}"""
WAYS = {
    "explorer": (".tl-picture", False),
    "interact": (".interact-output", True),
    "floor": (".echo", False),
}


def handle_of(page: Page, way: str):
    if way == "explorer":
        return ExplorerPage(page).slider("temperature")
    name = ".with-interact" if way == "interact" else ".for-floor"
    return page.locator(f"{name} .noUi-handle")


def measure(page: Page, rounds: int) -> dict[str, float]:
    """Milliseconds from key to picture: the median of each way, taking turns."""
    handles = {way: handle_of(page, way) for way in WAYS}
    page.locator(".with-interact ~ * , .widget-interact .widget-output").last.evaluate(
        "node => node.classList.add('interact-output')"
    )
    times: dict[str, list[float]] = {way: [] for way in WAYS}
    for turn in range(rounds + 2):
        for way, watched in WAYS.items():
            handles[way].focus()
            page.evaluate(WATCH, list(watched))
            page.keyboard.press("ArrowRight" if turn < rounds / 2 else "ArrowLeft")
            elapsed = page.evaluate("window.arrival")
            page.wait_for_timeout(60)  # let whatever trails behind settle
            if turn >= 2:
                times[way].append(elapsed)
    return {way: statistics.median(taken) for way, taken in times.items()}


@pytest.mark.parametrize("size", [8, 32])
def test_the_explorer_answers_as_fast_as_the_kernel_lets_it(size, lab, open_notebook):
    setup = f"SIZE = {size}\n{SETUP}"
    cells = [setup, EXPLORER, INTERACT, FLOOR]
    page = open_notebook(lab.add(f"speed-{size}.ipynb", cells))
    page.locator(".echo").wait_for()
    page.locator(".widget-interact img").first.wait_for()
    median = measure(page, ROUNDS[size])
    print(f"\nkey press to changed picture, {size}×{size}, medians of {ROUNDS[size]}")
    for way, milliseconds in median.items():
        print(f"  {way:9} {milliseconds:7.1f} ms")
    print(f"  explorer ÷ interact {median['explorer'] / median['interact']:.3f}")
    print(f"  explorer ÷ floor    {median['explorer'] / median['floor']:.2f}")
    assert median["explorer"] <= median["interact"] / 5
    assert median["explorer"] <= 2 * median["floor"]
