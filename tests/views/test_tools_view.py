"""Copy numbers, save picture and size, in a page."""

import pytest
from playwright.sync_api import expect

from course import explorers

Q = [[1.0, 0], [0, -1], [1, 1]]
# Both a page that may not write to the clipboard, and one that has none.
REFUSE = "{ writeText: () => Promise.reject(new Error('no')) }"
GONE = "undefined"
HIDE = """() => Object.defineProperty(
    navigator, "clipboard", { configurable: true, value: %s })"""


def drawn(page):
    made = explorers.attention_bench(Q, Q, Q, ["AI", "is", "<b>powerful</b>"])
    page.draw(made, explorers.softmax_bench(Q))
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    return made


@pytest.fixture
def bench(page):
    made = drawn(page)
    yield made
    page.reload()


def tool(page, name, nth=0):
    page.settle()
    return page.page.get_by_role("button", name=name).nth(nth)


def letters(page):
    """How tall the letters of both explorers stand, in pixels."""
    size = "all => all.map(node => parseFloat(getComputedStyle(node).fontSize))"
    return page.find(".tl").evaluate_all(size)


def test_the_numbers_are_copied_by_keyboard_as_they_now_stand(bench, page):
    page.type_into(page.cell("Q", 0, 0), "7.5")
    tool(page, "Copy numbers").focus()
    page.press("Enter")
    expect(page.find(".tl-said").first).to_have_text("Copied")
    assert "7.50" in bench.text()
    assert page.page.evaluate("navigator.clipboard.readText()") == bench.numbers()


@pytest.mark.parametrize("fault", [REFUSE, GONE])
def test_a_page_without_a_clipboard_shows_the_numbers_selected(bench, page, fault):
    page.page.evaluate(HIDE % fault)
    tool(page, "Copy numbers").click()
    shown = page.find(".tl-shown").first
    expect(shown).to_be_focused()
    expect(shown).to_have_value(bench.numbers())
    length = "node => node.selectionEnd - node.selectionStart"
    assert shown.evaluate(length) == len(bench.numbers())
    tool(page, "Save picture").click()
    expect(shown).to_be_hidden()


def test_the_picture_is_saved_as_a_file(bench, page):
    with page.page.expect_download() as download:
        tool(page, "Save picture", 1).click()
        page.settle()
    assert download.value.suggested_filename == "softmax_bench.svg"
    text = download.value.path().read_text(encoding="utf-8")
    assert text.lstrip().startswith("<?xml")
    expect(page.find(".tl-said").nth(1)).to_have_text("Saved as softmax_bench.svg")


def test_a_picture_that_cannot_be_made_says_what_failed(bench, page, monkeypatch):
    def fail():
        raise MemoryError("too large")

    monkeypatch.setattr(bench, "picture", fail)
    tool(page, "Save picture").click()
    expect(page.find(".tl-said").first).to_have_text(
        "This failed: MemoryError: too large"
    )


@pytest.mark.parametrize(
    "name", ["Copy numbers", "Save picture", "Cover", "Full screen"]
)
def test_a_tool_is_an_icon_that_says_its_name_when_it_is_pointed_at(name, bench, page):
    button = tool(page, name)
    assert button.get_attribute("title").startswith(name)
    expect(button.locator("svg")).to_be_visible()
    expect(button.locator(":scope > :not(svg)")).to_have_class("tl-unseen")


def test_one_press_enlarges_every_explorer_and_the_next_page_remembers(bench, page):
    normal = letters(page)
    for _ in range(3):
        tool(page, "Larger pictures").click()
    expect(tool(page, "Larger pictures", 1)).to_be_disabled()
    assert letters(page) == [2 * x for x in normal]
    page.reload()
    page.draw(bench, bench)
    assert letters(page) == [2 * x for x in normal]
    for _ in range(4):
        tool(page, "Smaller pictures", 1).click()
    expect(tool(page, "Smaller pictures")).to_be_disabled()
    assert max(letters(page)) < min(normal)
    page.page.evaluate("localStorage.clear()")


def test_a_kernel_that_is_silent_is_named_and_may_still_answer(clocked_page):
    page = clocked_page
    drawn(page)
    page.page.clock.install()
    page.page.evaluate(
        """() => {
            const { kernel } = window;
            const busy = new Promise((done) => { window.wake = done; });
            window.kernel = async (...said) => { await busy; await kernel(...said); };
        }"""
    )
    page.page.get_by_role("button", name="Copy numbers").first.click()
    said = page.page.locator(".tl-said").first
    page.page.clock.run_for(4000)
    expect(said).to_have_text("Working…")
    page.page.clock.run_for(1100)
    expect(said).to_have_text("The kernel is busy or has stopped.")
    page.page.evaluate("window.wake()")
    expect(said).to_have_text("Copied")


def test_a_kernel_that_is_gone_says_so_above_the_picture(bench, page):
    page.page.evaluate(
        "id => bare.model(id).fire('comm_live_update')", bench.view.comm.comm_id
    )
    expect(page.find(".tl-message").first).to_contain_text("run this cell again")
    expect(page.find(".tl-message").nth(1)).to_be_empty()
