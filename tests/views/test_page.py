"""The ground that view tests stand on: two sides that talk, and no fault unseen."""

import anywidget
import ipywidgets as W
import pytest
import traitlets as T
from gallery import GALLERY
from playwright.sync_api import expect

from course import explorers

SCRIPT = """
function render({ model, el }) {
  const button = document.createElement("button");
  const text = () => `${model.get("n")}: ${model.get("data").byteLength}`;
  const draw = () => { button.textContent = text(); };
  button.onclick = () => { model.set("n", model.get("n") + 1); model.save_changes(); };
  button.onkeydown = ({ key }) => model.send({ key });
  model.on("change:n change:data", draw);
  model.on("msg:custom", ({ said }) => button.append(said));
  el.append(button);
  draw();
  return () => { window.left = (window.left ?? 0) + 1; };
}
export default { render };
"""


class Counter(anywidget.AnyWidget):
    _esm = SCRIPT
    n = T.Int(1).tag(sync=True)
    data = T.Bytes(b"").tag(sync=True)


def test_what_either_side_says_reaches_the_other(page):
    widget = Counter()
    page.draw(W.VBox([W.IntSlider(), W.HBox([widget])]))
    assert page.texts("button") == ["1: 0"]
    widget.n, widget.data = 5, b"abc"
    assert page.texts("button") == ["5: 3"]
    page.find("button").click()
    page.settle()
    assert widget.n == 6
    widget.on_msg(lambda _, content, __: widget.send({"said": f" {content['key']}!"}))
    page.press("x")
    assert page.texts("button") == ["6: 3 x!"]


def test_what_a_widget_said_before_another_was_drawn_is_still_heard(page):
    before = Counter()
    page.draw(before)
    press = "document.querySelector('button').click()"
    page.page.evaluate(f"void setTimeout(() => {press})")
    page.draw(Counter())
    page.settle()
    assert before.n == 2


def test_a_widget_that_is_hidden_joins_late_or_is_drawn_twice_is_shown_so(page):
    first, second = Counter(), Counter()
    box = W.VBox([first])
    page.page.evaluate("window.left = 0")
    page.draw(box, box)
    expect(page.find("button")).to_have_count(2)
    page.find("button").first.evaluate("node => { node.mine = 1; }")
    first.layout.display = "none"
    box.children = [first, second]
    mine = page.find("button").evaluate_all("all => all.map(b => Boolean(b.mine))")
    assert mine == [True, False, False, False]
    visible = page.find("button").evaluate_all(
        "all => all.map(b => b.checkVisibility())"
    )
    assert visible == [False, True, False, True]
    page.draw()
    assert page.page.evaluate("window.left") == 4


FAULTS = {
    "console.error('boom')": "console error: boom",
    "setTimeout(() => { throw Error('bang') })": "page error: bang",
    "setTimeout(() => Promise.reject(Error('lost')))": "page error: lost",
    "fetch('https://example.org/x').catch(() => 0)": "left loopback: https://example",
    "fetch('http://192.0.2.1/').catch(() => 0)": "left loopback: http://192.0.2.1/",
    "{ new Image().src = 'http://a.org/i.png' }": "left loopback: http://a.org/i.png",
    "{ new WebSocket('wss://example.org/') }": "left loopback: wss://example.org/",
    "{ window.open('http://example.org/') }": "left loopback: http://example.org/",
}


@pytest.mark.parametrize("script", FAULTS)
def test_a_fault_in_the_page_is_caught(page, bare, script):
    _, faults = bare
    page.page.evaluate(script)
    for _ in range(200):
        if any(noted.startswith(FAULTS[script]) for noted in faults):
            break
        page.page.wait_for_timeout(25)
    else:
        raise AssertionError(f"{FAULTS[script]!r} went unseen, only: {faults}")
    for other in page.page.context.pages[1:]:
        other.close()
    faults.clear()


def test_what_python_raises_for_the_page_is_a_fault(page, bare):
    _, faults = bare
    widget = Counter()
    page.draw(widget)
    page.page.evaluate("id => void bare.model(id).send({})", widget.comm.comm_id)
    page.page.evaluate("void window.kernel('nobody', { method: 'update' })")
    page.page.wait_for_timeout(50)
    assert any("nobody" in noted for noted in faults), faults
    faults.clear()


# Move each sheet to the end, where it wins over its equals: what then looks otherwise.
OTHERWISE = """() => {
    const what = ["color", "background", "border", "outline", "outline-offset", "font",
        "padding", "margin", "display", "position", "z-index", "text-align", "opacity"];
    const nodes = [...document.querySelectorAll(".tl-explorer *")];
    const looks = () => nodes.map((node) => {
        const style = getComputedStyle(node);
        return what.map((name) => `${name}: ${style.getPropertyValue(name)}`);
    });
    const first = looks();
    const sheets = [...document.head.querySelectorAll("style:not([id])")];
    return sheets.flatMap((sheet) => {
        document.head.append(sheet);
        return looks().flatMap((look, n) => look.filter((x, k) => x !== first[n][k])
            .map((x) => `${nodes[n].className}: ${x}`));
    });
}"""
KINDS = [
    "mask_lab",
    "mixing_bench",
    "word_order",
    "add_and_norm",
    "positional_encoding",
]


def test_it_does_not_matter_which_explorer_brings_its_sheet_last(page):
    page.draw(*(GALLERY[name].make(2) for name in KINDS), explorers.quiz("masks"))
    page.find(".tl [tabindex='0']").last.focus()
    assert page.page.evaluate(OTHERWISE) == []
