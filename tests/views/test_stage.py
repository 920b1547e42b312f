"""What every view stands on: a kernel that may be gone, an explanation, keys, tools."""

import pytest
from gallery import A_FEW, GALLERY
from playwright.sync_api import expect
from views.page import account

from course import explorers
from explorable import Axis, Explorer, Sheet
from explorable.controls import switch, whole
from explorable.drawings.bars import Bars

Q = [[1.0, 0], [0, -1], [1, 1]]
AGAIN = "run this cell again"
# JupyterLab's manager of widgets: it knows the kernel, and forgets one that has gone.
MANAGER = """() => {
    const gone = new Set();
    const disposed = { connect: (f) => gone.add(f), disconnect: (f) => gone.delete(f) };
    window.manager = { kernel: { disposed } };
    window.shutDown = () => {
        for (const f of gone) f();
        window.manager.kernel = null;
    };
}"""
# A kernel that was started again, or a notebook that was saved with its widgets: they
# have their state and no connection, which their layout tells.
UNWIRE = """() => {
    const { draw } = bare;
    bare.draw = async (trees, widgets, ...others) => {
        for (const { state } of widgets) state.layout = { comm_live: false };
        bare.draw = draw;
        return draw(trees, widgets, ...others);
    };
}"""
# The page has told every observer made so far what is in sight.
TOLD = """() => new Promise((tell) => {
    new IntersectionObserver(tell).observe(document.body);
})"""
# What the notebook would hear of the keys that are pressed in an explorer.
LISTEN = """() => {
    window.strayed = [];
    document.addEventListener("keydown", ({ key }) => window.strayed.push(key));
}"""


@pytest.fixture
def bench(page):
    made = explorers.attention_bench(Q, Q, Q, ["AI", "is", "powerful"])
    page.draw(made)
    yield made
    page.page.set_viewport_size({"width": 1280, "height": 2000})
    page.reload()


def tool(page, name, nth=0):
    return page.page.get_by_role("button", name=name).nth(nth)


# ── a kernel that is gone ───────────────────────────────────────────────────────
@pytest.fixture
def shut_down(bench, page):
    page.draw()
    page.page.evaluate(MANAGER)
    page.draw(bench)
    expect(page.find(".tl-message")).to_be_empty()
    page.page.evaluate("window.shutDown()")
    return bench


@pytest.fixture
def unwired(bench, page):
    page.page.evaluate(UNWIRE)
    page.draw(bench)
    return bench


def test_a_kernel_that_was_shut_down_is_named_at_once(shut_down, page):
    expect(page.find(".tl-message")).to_contain_text(AGAIN)


def test_a_picture_without_a_connection_says_so_before_it_is_touched(unwired, page):
    expect(page.find(".tl-message")).to_contain_text(AGAIN)


@pytest.mark.parametrize("gone", ["shut_down", "unwired"])
@pytest.mark.parametrize("name", ["Copy numbers", "Save picture"])
def test_a_tool_says_that_nobody_answers(name, gone, page, request):
    request.getfixturevalue(gone)
    tool(page, name).click()
    expect(page.find(".tl-said")).to_contain_text(AGAIN)


@pytest.mark.parametrize("gone", ["shut_down", "unwired"])
def test_an_edit_that_nobody_hears_says_so_and_leaves_its_box_free(gone, page, request):
    bench = request.getfixturevalue(gone)
    cell = page.cell("Q", 0, 0)
    page.type_into(cell, "7")
    expect(cell.locator(".tl-fault")).to_contain_text(AGAIN)
    expect(cell.locator("input")).to_be_editable()
    page.press("Escape")
    expect(cell.locator("input")).to_have_count(0)
    assert bench.inputs["Q"][0, 0] == 1
    page.cell("weights", 0, 0).click()  # and a pin is the page's own affair
    expect(page.cell("weights", 0, 0)).to_contain_class("tl-pinned")
    expect(page.find(".tl-message")).to_contain_text(AGAIN)


def test_a_tool_that_waits_hears_that_the_kernel_is_shut_down(bench, page):
    page.draw()
    page.page.evaluate(MANAGER)
    page.draw(bench)
    page.page.evaluate("() => { window.kernel = () => new Promise(() => {}); }")
    tool(page, "Copy numbers").click()
    expect(page.page.locator(".tl-said")).to_have_text("Working…")
    page.page.evaluate("window.shutDown()")
    expect(page.page.locator(".tl-said")).to_contain_text(AGAIN)


# ── a kernel that is slow ───────────────────────────────────────────────────────
def test_a_tool_says_working_as_long_as_the_kernel_is_at_it(clocked_page):
    """It said that the kernel was busy or had stopped, and delivered later."""
    page = clocked_page
    bench = explorers.attention_bench(Q, Q, Q)
    page.draw(bench)
    tools = bench._tools.comm.comm_id
    page.page.clock.install()
    page.page.evaluate(
        """id => {
            bare.model(id).send = (content) => {
                if (content.type === "picture") window.asked = content;
            };
        }""",
        tools,
    )
    answer = """([id, more]) => bare.hear([[id, { method: "custom",
        content: { ...more, turn: window.asked.turn } }]])"""
    tool(page, "Save picture").click()
    page.page.evaluate(answer, [tools, {"type": "working"}])
    said = page.page.locator(".tl-said")
    for _ in range(4):
        page.page.clock.run_for(5000)
        expect(said).to_have_text("Working…")
    svg = {"type": "picture", "svg": "<svg/>", "name": "bench"}
    page.page.evaluate(answer, [tools, svg])
    expect(said).to_have_text("Saved as bench.svg")


def test_python_says_that_it_works_before_it_makes_a_picture(bench):
    said = []
    bench._tools.send = said.append
    bench._tools._answer(None, {"type": "numbers", "turn": 1}, None)
    assert [(s["type"], s["turn"]) for s in said] == [("working", 1), ("numbers", 1)]


# The kernel hears what it is told, one after another, when it is bidden to.
SLOW = """() => {
    const { kernel } = window;
    const told = [];
    window.kernel = (...said) => new Promise((done) => told.push([said, done]));
    window.hearOne = async () => {
        const [said, done] = told.shift();
        done(await kernel(...said));
        await new Promise(requestAnimationFrame);
    };
}"""


def test_clicks_that_come_faster_than_answers_all_count(page):
    """A click after the answer to the first of two undid what the second had done."""
    lab = explorers.mask_lab([[1, 2, 0], [0, 1, 3], [2, 0, 1]], Q)
    page.draw(lab)
    name = next(p["name"] for p in lab.view.panels if p["toggles"])
    cell = page.cell(name, 0, 1)
    before = cell.inner_text()
    page.page.evaluate(SLOW)
    for step in ("click", "click", "hear", "click", "hear", "hear"):
        if step == "click":
            cell.evaluate("td => td.click()")
        else:
            page.page.evaluate("window.hearOne()")
    assert {before, cell.inner_text()} == {"True", "False"}
    page.reload()


def test_why_a_number_was_refused_is_said_where_cells_are_explained(page, bench):
    """It once hung below its cell, over others, and was cut at the panel's edge."""
    page.cell("Q", 2, 1).click()
    page.press("x")
    page.press("Enter")
    about = page.find(".tl-about").first
    expect(about).to_have_text("⚠ " + page.find(".tl-fault").text_content())
    assert page.find(".tl-fault").bounding_box()["width"] < 2  # it is read aloud only
    page.cell("K", 0, 0).hover()
    expect(about).to_contain_text("Still 1")
    page.press("Escape")
    expect(about).not_to_contain_text("Still")


# ── keys that stray ─────────────────────────────────────────────────────────────
CONTROLS = ["Copy numbers", "Save picture", "Larger pictures", "Reverse"]


@pytest.mark.parametrize("name", CONTROLS)
def test_no_key_after_a_control_acts_on_the_notebook(name, page):
    page.page.evaluate(LISTEN)
    page.draw(explorers.word_order("one two three", [0, 1, 2]))
    tool(page, name).click()
    page.press("x", "d", "0", "ArrowDown", "Delete", "Enter")
    assert page.page.evaluate("window.strayed") == []
    page.page.keyboard.press("Control+s")
    assert "s" in page.page.evaluate("window.strayed")
    page.page.evaluate("localStorage.clear()")  # the page remembers its size
    page.reload()


def test_no_key_in_a_control_of_ipywidgets_acts_on_the_notebook(bench, page):
    page.page.evaluate(LISTEN)
    page.page.evaluate(TOLD)  # an explorer keeps its keys from then on
    page.page.evaluate(
        """() => {
            const button = document.createElement("button");
            document.querySelector(".tl-explorer").prepend(button);
            button.focus();
        }"""
    )
    page.press("x", "Enter")
    assert page.page.evaluate("window.strayed") == []
    page.page.keyboard.press("Shift+Enter")
    assert "Enter" in page.page.evaluate("window.strayed")


# A host that asks before anybody else which keys are its own, as Notebook 7 does; what
# is marked it leaves alone.
ASK_FIRST = """() => {
    window.taken = [];
    document.addEventListener("keydown", (event) => {
        const marked = event.target.closest("[data-lm-suppress-shortcuts]");
        if (!marked) window.taken.push(event.key);
    }, { capture: true });
}"""
# A slider's handle, which ipywidgets makes and a bare page has not.
HANDLE = """() => {
    const handle = document.createElement("div");
    Object.assign(handle, { className: "noUi-handle", tabIndex: 0 });
    document.querySelector(".tl-explorer").prepend(handle);
}"""
PRESSED = """(nodes, keys) => nodes.forEach((node) => keys.forEach((key) =>
    node.dispatchEvent(
        new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }))))"""
FOCUSABLE = ".tl-explorer :is(button, select, input, textarea, [tabindex])"
OURS = ["ArrowRight", "ArrowUp", "ArrowDown", "Home", "PageDown", "x"]


@pytest.mark.parametrize("name", A_FEW)
def test_a_host_that_asks_first_for_a_key_gets_none_of_an_explorer(name, page):
    page.page.evaluate(ASK_FIRST)
    page.draw(GALLERY[name].make(4))
    page.page.evaluate(TOLD)
    page.page.evaluate(HANDLE)
    page.find(FOCUSABLE).evaluate_all(PRESSED, OURS)
    assert page.page.evaluate("window.taken") == []
    page.reload()


def test_a_host_that_asks_first_gets_what_is_its_own_also_after_a_key_of_ours(
    bench, page
):
    page.page.evaluate(ASK_FIRST)
    page.cell("Q", 0, 0).focus()
    page.press("ArrowRight", "Control+s", "ArrowLeft", "Shift+Enter", "Escape")
    taken = ["Control", "s", "Enter", "Escape"]
    assert page.page.evaluate("window.taken") == taken


def test_the_numbers_to_be_copied_by_hand_close_on_escape(bench, page):
    page.page.evaluate(LISTEN)
    page.page.evaluate(
        """() => Object.defineProperty(
            navigator, "clipboard", { configurable: true, value: undefined })"""
    )
    tool(page, "Copy numbers").click()
    expect(page.find(".tl-shown")).to_be_focused()
    page.press("x", "d")
    assert page.page.evaluate("window.strayed") == []
    page.press("Escape")
    expect(page.find(".tl-shown")).to_be_hidden()
    expect(tool(page, "Copy numbers")).to_be_focused()


# ── where a refusal is said ─────────────────────────────────────────────────────
def test_a_refusal_is_said_in_the_first_view_that_is_in_sight(page):
    def sheet(*, table, n):
        if n > 5:
            raise ValueError("n must be at most 5")
        s = Sheet()
        if table:
            s.show(s.leaf("x", Axis("row", ("a",)), "column", [[1.0]]))
        s.draw(Bars(name="bars", labels=["a"]), [[0.5]])
        return s

    controls = {"table": switch("table", True), "n": whole("n", 1, 1, 9)}
    explorer = Explorer("lab", sheet, controls)
    page.draw(explorer)
    explorer.controls["table"].value = False
    explorer.controls["n"].value = 7
    expect(page.find(".tl-message")).to_have_text("n must be at most 5")
    expect(page.find(".tl-message")).to_be_visible()
    explorer.controls["table"].value = True
    explorer.controls["n"].value = 8
    expect(page.find(".tl-message")).to_have_text("n must be at most 5")
    assert page.shown() == account(explorer)
