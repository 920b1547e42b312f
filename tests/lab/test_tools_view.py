"""Copy numbers, save picture and size, in real JupyterLab."""

import pytest
from lab.explorer_page import ExplorerPage
from lab.lab import run_all_cells, show_notebook
from playwright.sync_api import expect

from transformer_lib import explorers

Q = [[1.0, 0], [0, -1], [1, 1]]
TOKENS = ["AI", "is", "<b>powerful</b>"]
CELLS = [
    "from transformer_lib import explorers",
    f"explorers.attention_bench({Q}, {Q}, {Q}, {TOKENS})",
    f"explorers.softmax_bench({Q})",
]
CLIPBOARD = "navigator.clipboard.readText()"
# Both a page that may not write to the clipboard, and one that has none.
REFUSE = "{ writeText: () => Promise.reject(new Error('no')) }"
GONE = "undefined"
HIDE = """() => Object.defineProperty(
    navigator, "clipboard", { configurable: true, value: %s })"""
BRING_BACK = "() => { delete navigator.clipboard; }"


@pytest.fixture
def page(lab, open_notebook):
    page = open_notebook(lab.add("tools.ipynb", CELLS), keep=True)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for nth in (0, 1):
        ExplorerPage(page, nth).press("Reset")
    return page


def tool(page, name, nth=0):
    return page.locator(".tl-tools").nth(nth).get_by_role("button", name=name)


def said(page, nth=0):
    return page.locator(".tl-said").nth(nth)


def letters(page):
    """How tall the letters of both explorers stand, in pixels."""
    size = "all => all.map(node => parseFloat(getComputedStyle(node).fontSize))"
    return page.locator(".tl").evaluate_all(size)


def test_the_numbers_are_copied_by_keyboard_as_they_now_stand(page):
    bench = ExplorerPage(page)
    bench.type_into(bench.cell("Q", 0, 0), "7.5")
    expect(bench.cell("Q", 0, 0)).to_have_text("7.50")
    tool(page, "Copy numbers").focus()
    page.keyboard.press("Enter")
    expect(said(page)).to_have_text("Copied")
    changed = [[7.5, 0], *Q[1:]]
    twin = explorers.attention_bench(changed, Q, Q, TOKENS)
    assert page.evaluate(CLIPBOARD) == twin.text()


@pytest.mark.parametrize("fault", [REFUSE, GONE])
def test_a_page_without_a_clipboard_shows_the_numbers_selected(page, fault):
    page.evaluate(HIDE % fault)
    tool(page, "Copy numbers").click()
    shown = page.locator(".tl-shown").first
    expect(shown).to_be_focused()
    expect(shown).to_have_value(explorers.attention_bench(Q, Q, Q, TOKENS).text())
    length = "node => node.selectionEnd - node.selectionStart"
    assert shown.evaluate(length) == len(shown.input_value())
    tool(page, "Save picture").click()
    expect(shown).to_be_hidden()
    page.evaluate(BRING_BACK)


def test_the_picture_is_saved_as_a_file(page):
    with page.expect_download() as download:
        tool(page, "Save picture", 1).click()
    assert download.value.suggested_filename == "softmax_bench.svg"
    text = download.value.path().read_text(encoding="utf-8")
    assert text.lstrip().startswith("<?xml")
    expect(said(page, 1)).to_have_text("Saved as softmax_bench.svg")


def test_one_press_enlarges_every_explorer_and_the_next_page_remembers(lab, page):
    normal = letters(page)
    for _ in range(3):
        tool(page, "Larger pictures").click()
    expect(tool(page, "Larger pictures", 1)).to_be_disabled()
    assert letters(page) == [2 * x for x in normal]
    page.on("dialog", lambda dialog: dialog.accept())  # leave, though it is not saved
    show_notebook(page, lab, "tools.ipynb")
    run_all_cells(page)
    ExplorerPage(page, 1)
    assert letters(page) == [2 * x for x in normal]
    for _ in range(4):
        tool(page, "Smaller pictures", 1).click()
    expect(tool(page, "Smaller pictures")).to_be_disabled()
    assert max(letters(page)) < min(normal)


def test_a_kernel_that_is_silent_is_named_and_may_still_answer(page):
    page.evaluate(
        """() => {
            const { sessionContext } = window.jupyterapp.shell.currentWidget;
            const code = "import time; time.sleep(7)";
            sessionContext.session.kernel.requestExecute({ code });
        }"""
    )
    tool(page, "Copy numbers").click()
    expect(said(page)).to_have_text("The kernel is busy or has stopped.", timeout=9000)
    expect(said(page)).to_have_text("Copied", timeout=30_000)
