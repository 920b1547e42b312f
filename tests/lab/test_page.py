"""The page of a notebook as `make lab` opens it: its style sheet, before it is run."""

import pytest
from lab.test_notebooks import NOTEBOOKS, OPEN, START

UNFOLDED = """async () => {
    const { commands, shell } = window.jupyterapp;
    for (const what of ["expand-all-headings", "show-all-cell-code"])
        await commands.execute(`notebook:${what}`);
    const { node } = shell.currentWidget;
    for (const fold of node.querySelectorAll("details")) fold.open = true;
    await new Promise(requestAnimationFrame);
}"""
SCROLL_SIDEWAYS = """() => {
    const { node } = window.jupyterapp.shell.currentWidget;
    const scrolls = (one) => one.clientWidth && one.scrollWidth > one.clientWidth + 1
        && /auto|scroll/.test(getComputedStyle(one).overflowX)
        && one.tagName !== "MJX-CONTAINER";  // a wide formula moves alone
    return [...node.querySelectorAll("*")].filter(scrolls)
        .map((one) => one.textContent.trim().slice(0, 60));
}"""
LETTERS_A_LINE = """() => {
    const { node } = window.jupyterapp.shell.currentWidget;
    return [...node.querySelectorAll(".jp-MarkdownOutput > p")]
        .filter((one) => !one.querySelector("mjx-container, img, code"))
        .filter((one) => one.clientHeight && one.textContent.length > 200)
        .map((one) => {
            const line = parseFloat(getComputedStyle(one).lineHeight);
            return one.textContent.length / Math.round(one.clientHeight / line);
        });
}"""
LOOK = """(word) => {
    const { node } = window.jupyterapp.shell.currentWidget;
    const quotes = [...node.querySelectorAll("blockquote")];
    const style = getComputedStyle(quotes.find((one) => one.textContent.trim()
        .startsWith(word)));
    return [style.borderLeftWidth, style.borderLeftColor, style.backgroundColor];
}"""

# The picture that stands where the film is, as its file was served.
SHOWN = """async () => {
    const { node } = window.jupyterapp.shell.currentWidget;
    const film = node.querySelector("img[src*='/attention.webp']");
    const { content } = getComputedStyle(film);
    const answer = await fetch(content.match(/url\\("(.*)"\\)/)?.[1] ?? film.src);
    return answer.headers.get("content-type");
}"""

# Which of the faces that the text asks for have come.
FACES = """async () => {
    const { node } = window.jupyterapp.shell.currentWidget;
    const text = node.querySelector(".jp-MarkdownOutput p");
    const asked = ["", "bold ", "italic "].map((how) => `${how}15px Inter`);
    const found = await Promise.all(asked.map((face) => document.fonts.load(face)));
    return [getComputedStyle(text).fontFamily, ...found.map((faces) => faces.length)];
}"""
NARROW = 760  # what JupyterLab's list of files leaves of a window of 1,024 pixels
WIDE = ("00", "03", "14")  # with a map, hidden outputs, wide tables and long code
WORDS = ("Predict", "Careful", "The cat sat")
BORDER = "4px"
FOLDED = ".jp-MarkdownHeadingCollapsed:visible"


@pytest.fixture
def opened(open_notebook):
    """Give a function that opens a notebook by its number, in a narrow window."""

    def open_one(number):
        page = open_notebook(START, run=False, width=NARROW, keep=True)
        page.evaluate(OPEN, next(name for name in NOTEBOOKS if name.startswith(number)))
        return page

    return open_one


def test_the_text_has_the_typeface_of_the_explorers(opened):
    family, *faces = opened("01").evaluate(FACES)
    assert family.startswith("Inter")
    assert faces == [1, 1, 1]


@pytest.mark.parametrize("number", WIDE)
def test_nothing_scrolls_sideways_even_when_all_is_unfolded(number, opened):
    page = opened(number)
    page.evaluate(UNFOLDED)
    assert page.evaluate(SCROLL_SIDEWAYS) == []


def test_lines_of_text_have_about_75_letters_at_most(opened):
    letters = opened("01").evaluate(LETTERS_A_LINE)
    assert letters
    assert max(letters) < 75


def test_a_task_a_warning_and_a_quotation_look_different(opened):
    page = opened("01")
    task, warning, other = (page.evaluate(LOOK, word) for word in WORDS)
    assert task[0] == warning[0] == BORDER != other[0]
    assert task[1] != warning[1]
    assert task[2] != warning[2]


def test_a_folded_section_is_one_line(opened):
    page = opened("01")
    title, button = (
        page.locator(f"{FOLDED} {what}").first for what in ("h3", "> button")
    )
    beside, below = title.bounding_box(), button.bounding_box()
    assert beside["x"] + beside["width"] <= below["x"]
    assert (
        abs(beside["y"] + beside["height"] / 2 - below["y"] - below["height"] / 2) < 8
    )


def test_whoever_asks_for_less_motion_sees_the_still_of_the_film(opened):
    page = opened("00")
    shown = {}
    for motion in ("reduce", "no-preference"):
        page.emulate_media(reduced_motion=motion)
        shown[motion] = page.evaluate(SHOWN)
    assert shown == {"reduce": "image/png", "no-preference": "image/webp"}
