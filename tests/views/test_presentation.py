"""In front of a class: every explorer fits a screen, fills it, and can be covered."""

import re

import pytest
from gallery import A_FEW, GALLERY
from playwright.sync_api import expect
from views.test_accessibility import objections
from views.test_flow import faults_of_lines

from course import explorers

SCREENS = [(1280, 720), (1400, 900), (1920, 1080)]
SCREEN, PROJECTOR = (1280, 900), (1920, 1080)
# What JupyterLab leaves of a screen of 1400 × 900 and of 1024 × 768, less the controls,
# which a bare page has not.
OUTPUT, SMALL = (1248, 700), (870, 580)
# The sizes of all letters that are seen, as they stand on the screen: those of an SVG
# grow with it. An index is measured by the letter that it belongs to.
LETTERS = """root => {
    const sizes = {};
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const node = walk.currentNode.parentElement;
        const { color, fontSize, visibility } = getComputedStyle(node);
        const seen = node.checkVisibility() && visibility !== "hidden";
        if (!walk.currentNode.textContent.trim() || !seen) continue;
        if (color === "rgba(0, 0, 0, 0)") continue;
        if (node.closest(".tl-unseen, option, .tl-index")) continue;
        const { a, b } = node.ownerSVGElement ? node.getScreenCTM() : { a: 1, b: 0 };
        const grown = node.ownerSVGElement ? Math.hypot(a, b) : node.currentCSSZoom;
        const size = Math.round(100 * grown * parseFloat(fontSize)) / 100;
        sizes[size] ??= `${node.tagName}.${node.className.baseVal ?? node.className}`;
    }
    return sizes;
}"""
# What is wider or higher than its place, and by how much.
OVERFLOWING = """root => [root, ...root.querySelectorAll("*")].flatMap((node) => {
    const x = node.scrollWidth - node.clientWidth;
    const y = node.scrollHeight - node.clientHeight;
    const { overflowX, overflowY } = getComputedStyle(node);
    if (node.closest(".tl-aside")) return []; // a long sum may need its bar
    const holds = node === root || node.matches(".tl-panels");
    const wide = x > 1 && (holds || /auto|scroll/.test(overflowX));
    const high = y > 1 && (node === root || /auto|scroll/.test(overflowY));
    return wide || high ? [`${node.className}: ${x} ${y}`] : [];
})"""
# What a reader would call a fault of a head, a chart or a label: a panel's title that
# is larger than the explorer's, a task without a line of its own, a subtitle in the ink
# of a title, a chart that leaves its panel empty, the name of an axis far from its
# numbers, an index that is written as d_k, and a number that rounds to 0 in the ink of
# the others.
FAULTS = """root => {
    const all = (css, of = root) => [...of.querySelectorAll(css)];
    const seen = (css) => all(css).filter((n) => n.checkVisibility());
    const box = (node) => node.getBoundingClientRect();
    const faults = [];
    const size = (n) => n.currentCSSZoom * parseFloat(getComputedStyle(n).fontSize);
    const ink = (n) => getComputedStyle(n).color;
    const [title, task] = seen(".tl-title, .tl-title + .tl-quiet");
    if (box(task).width < box(task.closest(".tl-head")).width - 1)
        faults.push(`${task.textContent}: has no line of its own`);
    for (const head of seen("figcaption b").filter((n) => size(n) > size(title)))
        faults.push(`larger than the title: ${head.textContent}`);
    for (const head of seen("figcaption > .tl-quiet"))
        if (ink(head) !== ink(task))
            faults.push(`a subtitle in full ink: ${head.textContent}`);
    for (const chart of seen(".tl-plot, .tl-bar-frame")) {
        const panel = chart.closest(".tl-panel");
        const share = box(chart).width / box(panel).width;
        if (share < 0.9) faults.push(`${share} of its panel`);
        const home = panel.closest(".tl-picture"); // of the charts of one kind
        const beside = all(".tl-panel", home).filter((n) =>
            box(n).top < box(panel).bottom && box(n).bottom > box(panel).top);
        const right = Math.max(...beside.map((n) => box(n).right));
        const far = Math.round(box(home).right - right);
        if (far > 30) faults.push(`${far} px are free beside it`);
    }
    for (const chart of seen(".tl-plot")) {
        const [[x, y], xs, ys] = [".tl-axes-named", ".tl-xs", ".tl-ys"].map((css) =>
            [...chart.querySelector(css).children]);
        const near = 12 * chart.currentCSSZoom;
        const left = Math.min(...ys.map((n) => box(n).left));
        const foot = Math.max(...xs.map((n) => box(n).bottom));
        if (y.textContent && left - box(y).right > near) faults.push("y: far");
        if (x.textContent && box(x).top - foot > near) faults.push("x: far");
    }
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const node = walk.currentNode.parentElement;
        const { fontSize } = getComputedStyle(node);
        const plain = node.checkVisibility() && parseFloat(fontSize);
        const text = walk.currentNode.textContent;
        const index = /(?<![\\p{L}_])\\p{L}_(?:\\p{L}|\\d|model|ff)(?![\\p{L}_])|\\^/u;
        if (plain && index.test(text)) faults.push(`plain: ${text}`);
    }
    for (const node of seen(".tl-index")) {
        const [own, around] = [node, node.parentElement].map((n) =>
            parseFloat(getComputedStyle(n).fontSize));
        if (own < 0.7 * around) faults.push(`a small index: ${node.textContent}`);
    }
    const inks = seen(".tl-panel td > span, .tl-bar b, .tl-weight, .tl-node small");
    for (const node of inks.filter((n) => /^0(\\.0+)?$/.test(n.textContent))) {
        const probe = document.createElement("i");
        probe.style.color = "var(--quiet)";
        node.parentElement.append(probe);
        const { color } = getComputedStyle(node);
        const pale = [getComputedStyle(probe).color, "rgba(0, 0, 0, 0)"];
        probe.remove();
        const framed = node.closest(".tl-outlined"); // the picture is about it
        if (framed && color === pale[0]) faults.push("a framed 0, pale");
        if (framed || pale.includes(color)) continue;
        faults.push(`in full ink: ${node.textContent}`);
    }
    return faults;
}"""
# Texts of tables that touch: a number and the edge of its cell, a label of a row and
# the frame or the outline beside it, the labels of two columns, and an operator of an
# explanation and what follows it, or the box on either side.
TOUCHING = """root => {
    const all = (css, of = root) => [...of.querySelectorAll(css)];
    const box = (node) => node.getBoundingClientRect();
    const faults = [];
    const inside = (node) => {
        const range = document.createRange();
        range.selectNodeContents(node);
        return range.getBoundingClientRect();
    };
    /** @param least is in px at 100 %, and half a pixel is rounding. */
    const apart = (what, node, gap, least) => {
        if (gap / node.currentCSSZoom < least - 0.5)
            faults.push(`${what} ${node.textContent}: ${gap.toFixed(1)}`);
    };
    for (const td of all(".tl td > span").map((span) => span.parentElement)) {
        if (!td.checkVisibility() || !td.textContent.trim()) continue;
        const [text, cell] = [inside(td.firstChild), box(td)];
        const gap = Math.min(text.left - cell.left, cell.right - text.right);
        apart("number", td, gap, 3);
    }
    for (const table of all(".tl table").filter((one) => one.checkVisibility())) {
        const body = table.tBodies[0];
        const framed = getComputedStyle(body).outlineStyle !== "none";
        for (const tr of body.rows) {
            const [text, first] = [inside(tr.cells[0]), box(tr.cells[1])];
            const edge = tr.matches(".tl-followed") || framed ? box(tr).left : -99;
            const gap = Math.min(first.left - text.right, text.left - edge);
            if (getComputedStyle(tr.cells[0]).color !== "rgba(0, 0, 0, 0)")
                apart("row", tr.cells[0], gap, 3);
        }
        const heads = all("thead th", table).filter((th) => th.textContent);
        const upright = heads.every((th) =>
            getComputedStyle(th).writingMode === "horizontal-tb");
        for (const [n, th] of heads.slice(1).entries())
            if (upright && heads[n].textContent.length + th.textContent.length > 4)
                apart("column", th, inside(th).left - inside(heads[n]).right, 4);
    }
    for (const sign of all(".tl-operator")) {
        if (!sign.textContent || !sign.checkVisibility()) continue;
        const text = inside(sign);
        if (getComputedStyle(sign).position === "static") { // in a line of its own
            const parts = [...sign.parentElement.children];
            const next = parts.filter((node) => node.textContent)[1];
            apart("operator", sign, inside(next).left - text.right, 3);
            continue;
        }
        const own = box(sign.parentElement);
        apart("operator", sign, own.left - text.right, 3);
        const last = sign.parentElement.previousElementSibling;
        if (!last || box(last).top !== own.top) continue;
        const before = text.left - box(last).right;
        if (Math.abs(before - own.left + text.right) > 1.5)
            faults.push(`${sign.textContent} is not in the middle`);
    }
    for (const text of all(".tl-chip > i"))
        if (/^[+−×÷=](?!\\d)/.test(text.textContent))
            faults.push(`in a box: ${text.textContent}`);
    return faults;
}"""
# How much of the height for panels they take, and how far they are from its middle;
# above what is said, also how much more room is free at their right than at their left.
USE = """root => {
    const box = (node) => node.getBoundingClientRect();
    const room = box(root.querySelector(".tl-panels"));
    const all = [...root.querySelectorAll(".tl-panel")];
    const seen = all.filter((n) => n.checkVisibility()).map(box);
    const top = Math.min(...seen.map((b) => b.top));
    const foot = Math.max(...seen.map((b) => b.bottom));
    const far = room.right - Math.max(...seen.map((b) => b.right));
    const near = Math.min(...seen.map((b) => b.left)) - room.left;
    return [(foot - top) / room.height, (top + foot - room.top - room.bottom) / 2,
        root.matches(".tl-below") ? far - near : 0];
}"""
REFUSE = """node => {
    node.requestFullscreen = () => Promise.reject(Error("no"));
}"""


@pytest.fixture
def show(page):
    """`show(name, size, screen)`: an explorer of the gallery on a screen of its own."""

    def shown(name, size, screen):
        resize(page, screen)
        page.draw(GALLERY[name].make(size))
        return page.find(".tl-explorer")

    yield shown
    page.page.set_viewport_size({"width": 1280, "height": 2000})


def resize(page, screen):
    page.page.set_viewport_size(dict(zip(("width", "height"), screen, strict=True)))


def press(page, name):
    page.page.get_by_role("button", name=name).first.focus()
    page.press("Enter")


def smallest(explorer):
    sizes = explorer.evaluate(LETTERS)
    least = min(sizes, key=float)
    return float(least), sizes[least]


def overflowing(explorer):
    """What does not fit its place, or has a bar to scroll it."""
    return explorer.evaluate(OVERFLOWING)


def told(page):
    """What is said aloud of all panels."""
    return page.page.locator(".tl-explorer").aria_snapshot()


def words(node):
    """The texts that are seen, or said, in a node."""
    return {*node.inner_text().split("\n")}


# ── on a reader's screen ────────────────────────────────────────────────────────
@pytest.mark.parametrize("name", GALLERY)
def test_every_explorer_fits_a_screen_is_legible_and_keeps_the_laws_of_lines(
    name, page, show
):
    explorer = show(name, 4, OUTPUT)
    for screen, least in ((OUTPUT, 11), (SMALL, 8)):
        resize(page, screen)
        page.lay_out()
        assert explorer.bounding_box()["height"] <= screen[1]
        assert overflowing(explorer) == []
        size, where = smallest(explorer)
        assert size >= least, where
        assert explorer.evaluate(FAULTS) == []
        if screen == OUTPUT:
            assert explorer.evaluate(TOUCHING) == []
        assert faults_of_lines(page, GALLERY[name].example) == []


@pytest.mark.parametrize("screen", [OUTPUT, (700, 1200)])
def test_the_longest_caption_of_a_picture_stays_on_the_screen(screen, page, show):
    show("picture_writing", 4, screen)
    explorer = GALLERY["picture_writing"].make(4)
    page.draw(explorer)
    explorer.controls["later"].value = " ".join(["triangle"] * 12)
    explorer.controls["after"].value = 0  # of two captions, that of the cell is said
    shown = page.find(".tl-explorer")
    whole = re.compile(r"(triangle\s+){11}triangle")
    expect(shown).to_contain_text(whole, use_inner_text=True)
    assert shown.evaluate("node => node.scrollWidth - node.clientWidth") == 0
    assert shown.bounding_box()["height"] <= screen[1]


# ── as large as the screen ──────────────────────────────────────────────────────
@pytest.mark.parametrize("name", GALLERY)
def test_every_explorer_fills_each_screen_without_scrolling_and_escape_leaves(
    name, page, show
):
    """As it does where a page may not have the whole screen.

    On the small screen, which has the shape of the large one, a few are enough.
    """
    explorer = show(name, 4, SCREENS[-1])
    explorer.evaluate(REFUSE)
    page.lay_out()
    normal, _ = smallest(explorer)
    resize(page, SCREENS[1])
    page.lay_out()
    press(page, "Full screen")
    expect(explorer).to_have_attribute("popover", "manual")
    for screen in SCREENS if name in A_FEW else SCREENS[1:]:
        resize(page, screen)
        page.lay_out()
        box = explorer.bounding_box()
        assert (box["width"], box["height"]) == screen
        assert overflowing(explorer) == []
        foot = explorer.locator(".tl-stage > *").last.bounding_box()
        assert screen[1] - foot["y"] - foot["height"] >= 9  # of 12, rounded
        assert explorer.evaluate(FAULTS) == []
        share, off, uneven = explorer.evaluate(USE)
        assert uneven < 100
        assert share >= 0.85 or abs(off) <= 32, (share, off)  # with room for lines
        if screen != SCREENS[0]:
            assert faults_of_lines(page, GALLERY[name].example) == []
    size, where = smallest(explorer)
    assert size >= 17, where
    page.find(".tl [tabindex='0']").first.focus()
    page.press("Escape")
    page.lay_out()
    assert smallest(explorer)[0] == pytest.approx(normal, rel=0.05)
    assert explorer.bounding_box()["x"] == 8
    expect(page.page.get_by_role("button", name="Full screen")).to_be_focused()


def test_a_sum_in_two_rows_is_seen_whole_below_the_panels(page, show):
    explorer = show("rotary", 4, (1024, 768))
    explorer.evaluate(REFUSE)
    press(page, "Full screen")
    page.lay_out()
    expect(explorer).to_have_class(re.compile("tl-below"))
    why = page.page.locator(".tl-why:visible")
    rows = {chip.bounding_box()["y"] for chip in why.locator(".tl-chip").all()}
    assert len(rows) > 1
    assert why.evaluate("node => node.scrollHeight - node.clientHeight") <= 1


def test_three_panels_stand_abreast_rather_than_one_above_two(page, show):
    """To be compared, and with no room left beside the first."""
    show("mask_lab", 5, SCREENS[1])
    lab = GALLERY["mask_lab"].make(5)
    lab.controls["convention"].value = "all three"
    page.draw(lab)
    page.find(".tl-explorer").evaluate(REFUSE)
    press(page, "Full screen")
    page.lay_out()
    tops = {box.bounding_box()["y"] for box in page.find(".tl-panel").all()}
    assert len(tops) == 1


def test_a_message_moves_nothing_that_is_said_below_the_panels(page, show):
    show("scale_lab", 4, SCREENS[1])
    explorer = GALLERY["scale_lab"].make(4)
    page.draw(explorer)
    page.find(".tl-explorer").evaluate(REFUSE)
    press(page, "Full screen")
    page.lay_out()
    why = page.page.locator(".tl-why:visible")
    before = why.bounding_box()
    explorer.view.message = "Busy: waiting for the kernel."
    expect(page.find(".tl-message")).to_be_visible()
    page.lay_out()
    assert why.bounding_box() == before


def test_arcs_are_as_high_as_the_screen_allows_and_none_is_too_thin(page, show):
    show("sentence_attention", 4, SCREENS[1])
    page.draw(explorers.sentence_attention())
    page.find(".tl-explorer").evaluate(REFUSE)
    press(page, "Full screen")
    page.lay_out()
    foot = page.find(".tl-arcs").bounding_box()
    assert foot["y"] + foot["height"] > 0.75 * SCREENS[1][1]
    lines = page.find(".tl-arcs .tl-on:not([style*=hidden])")
    widths = lines.evaluate_all("""all => all.map((one) =>
        parseFloat(getComputedStyle(one).strokeWidth))""")
    assert min(widths) >= 1.5


def test_escape_goes_to_an_open_editor_and_to_a_pin_before_it_leaves(page, show):
    explorer = show("attention_bench", 4, PROJECTOR)
    explorer.evaluate(REFUSE)
    press(page, "Full screen")
    cell = page.cell("Q", 0, 0)
    cell.focus()
    page.press("Enter", "Escape")
    expect(page.find(".tl-editor")).to_have_count(0)
    assert explorer.get_attribute("popover") == "manual"
    page.cell("weights", 1, 1).click()
    expect(page.find(".tl-pinned")).to_have_count(1)
    page.press("Escape")
    expect(page.find(".tl-pinned")).to_have_count(0)
    assert explorer.get_attribute("popover") == "manual"
    page.press("Escape")
    assert explorer.get_attribute("popover") is None


def test_a_pin_keeps_no_escape_that_is_pressed_elsewhere(page, show):
    explorer = show("attention_bench", 4, PROJECTOR)
    explorer.evaluate(REFUSE)
    press(page, "Full screen")
    page.cell("weights", 1, 1).click()
    page.page.get_by_role("button", name="Save picture").focus()
    page.press("Escape")
    assert explorer.get_attribute("popover") is None


@pytest.mark.parametrize("name", A_FEW)
def test_axe_finds_no_violation_in_a_window_that_is_filled_or_covered(name, page, show):
    show(name, 4, PROJECTOR).evaluate(REFUSE)
    press(page, "Full screen")
    assert objections(page) == []
    press(page, "Cover")
    assert objections(page) == []


def test_full_screen_is_the_whole_screen_and_its_button_leaves_it(page, show):
    explorer = show("attention_bench", 4, SCREEN)
    press(page, "Full screen")
    page.page.wait_for_function(
        "document.fullscreenElement?.matches('.tl-explorer.tl-full')"
    )
    box = explorer.bounding_box()
    assert [box["width"], box["height"]] == page.page.evaluate(
        "[innerWidth, innerHeight]"
    )
    press(page, "Leave full screen")
    page.page.wait_for_function("!document.fullscreenElement")
    expect(explorer).not_to_have_class("tl-full")


def test_full_screen_shows_all_panels_or_one(page, show):
    show("attention_bench", 4, PROJECTOR).evaluate(REFUSE)
    one = page.page.get_by_role("combobox", name="panel to show")
    expect(one).to_be_hidden()
    press(page, "Full screen")
    titles = page.texts(".tl-panel figcaption b")
    assert one.locator("option").all_text_contents() == ["all panels", *titles]
    one.focus()
    page.press("ArrowDown", "ArrowDown")
    seen = page.page.locator(".tl-panel:visible figcaption b")
    assert seen.all_text_contents() == titles[1:2]
    page.press("Home")
    expect(seen).to_have_count(len(titles))
    page.press("End")
    page.press("Escape")
    expect(seen).to_have_count(len(titles))


# ── covered ─────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("name", A_FEW)
def test_an_explorer_is_covered_and_uncovered_by_keyboard(name, page, show):
    show(name, 4, (1280, 2000))
    before = told(page)
    results = page.find(".tl-panel:visible:not(:has(.tl-edit))").count()
    press(page, "Cover")
    veils = page.page.locator(".tl-veil")
    count = veils.count()
    assert count == results >= 1
    for veiled in page.find(".tl-veiled").all():
        title = veiled.locator("figcaption b").text_content()
        step = veiled.locator(".tl-step").all_text_contents()
        assert words(veiled) <= {"?", "", title, *step, " ".join([*step, title])}
    for left in range(count, 0, -1):
        expect(veils).to_have_count(left)
        press(page, f"Uncover next ({left})")
    expect(page.page.get_by_role("button", name="Cover")).to_be_focused()
    assert told(page) == before


def test_a_click_or_a_key_on_a_cover_uncovers_what_is_below_it(page, show):
    show("attention_bench", 4, (1280, 2000))
    press(page, "Cover")
    veils = page.page.locator(".tl-veil")
    names = [veil.get_attribute("aria-label") for veil in veils.all()]
    assert "Uncover Q" not in names
    veils.nth(1).click()
    expect(veils).to_have_count(len(names) - 1)
    expect(veils.first).to_be_focused()
    page.press("Enter")
    expect(veils).to_have_count(len(names) - 2)
    assert page.cell("scores", 0, 0).is_visible()


def test_what_is_covered_is_neither_said_nor_explained(page, show):
    show("softmax_bench", 4, (1280, 2000))
    cell = page.cell("weights", 1, 1)
    cell.click()  # pinned: the explanation says how it was made
    assert cell.text_content() in told(page)
    press(page, "Cover")
    assert cell.text_content() not in told(page)
    expect(page.page.locator(".tl-why").first).to_be_hidden()


def test_arcs_are_covered_with_what_is_said_of_them(page, show):
    """The class is to guess what “it” refers to, also in another sentence."""
    show("coreference", 4, (1280, 2000))
    explorer = GALLERY["coreference"].make(4)
    page.draw(explorer)
    explained = page.page.locator(".tl-why").first
    expect(explained).to_be_visible()
    press(page, "Cover")
    expect(explained).to_be_hidden()
    sentence = explorer.controls["sentence"]
    sentence.value = sentence.value.replace("happy", "soft")
    page.settle()
    expect(explained).to_be_hidden()


def test_what_is_built_anew_while_covered_is_covered_too(page, show):
    show("head_split", 4, (1280, 2000))
    explorer = GALLERY["head_split"].make(4)
    page.draw(explorer)
    press(page, "Cover")
    explorer.controls["n_heads"].value = 8
    panels = page.page.locator(".tl-panel")
    expect(page.page.locator(".tl-veiled")).to_have_count(panels.count())


def test_a_panel_that_comes_back_is_neither_covered_nor_alone_any_more(page, show):
    show("head_split", 4, (1280, 2000))
    explorer = GALLERY["head_split"].make(4)
    page.draw(explorer)
    page.find(".tl-explorer").evaluate(REFUSE)
    heads = explorer.controls["n_heads"]
    heads.value = 8
    press(page, "Cover")
    heads.value = 2
    while page.find(".tl-veiled").count():
        press(page, "Uncover next")
    heads.value = 8
    expect(page.find(".tl-veiled, .tl-veil")).to_have_count(0)
    press(page, "Full screen")
    page.page.locator(".tl-one").select_option(label="head 8")
    heads.value = 2
    press(page, "Leave full screen")
    heads.value = 8
    press(page, "Full screen")
    expect(page.find(".tl-alone")).to_have_count(0)
    press(page, "Leave full screen")
