"""Pictures in a page: read cell by cell, painted by mouse, finger and keyboard."""

import numpy as np
import pytest
from gallery import GALLERY, explorer_of
from playwright.sync_api import expect
from views.page import account
from views.test_accessibility import objections

from explorable import Explorer, Sheet
from explorable.drawings.picture import PixelGrid

COLORS = [("nothing", "#FFFFFF"), ("red", "#FF0000"), ("<b>blue</b>", "#000080")]
GREYS = np.linspace(0, 1, 5)


def canvas(side=5, most=np.inf, **look):
    """A picture to be painted on, and the same again, which is not."""

    def sheet(x):
        if x.sum() > most:
            raise ValueError(f"that is too much: {x.sum():g}")
        s = Sheet()
        s.draw(PixelGrid(name="x", title="canvas", size=(side, side), **look), x)
        s.draw(PixelGrid(name="y", title="copy", size=(side, side), **look), x)
        return s

    cells = np.zeros((side, side * (3 if look.get("rgb") else 1)))
    return Explorer("canvas", sheet, {}, {"x": cells})


@pytest.fixture
def drawn(page):
    made = canvas()
    page.draw(made)
    page.lay_out()  # before anything is measured: the panels may still grow
    return made


def pixel(page, row, column, panel="x"):
    at = f'[data-row="{row}"][data-column="{column}"]'
    return page.find(f'.tl-pixel[data-panel="{panel}"]{at}')


def middle(page, row, column, panel="x"):
    box = pixel(page, row, column, panel).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, *places, button="left"):
    page.lay_out()
    mouse = page.page.mouse
    mouse.move(*middle(page, *places[0]))
    mouse.down(button=button)
    for place in places[1:]:
        mouse.move(*middle(page, *place))
    mouse.up(button=button)
    page.settle()


def colors(page, panel):
    """The color of every cell, as the browser paints it."""
    return page.find(f'.tl-pixel[data-panel="{panel}"]').evaluate_all(
        """all => all.map((node) => "#" + getComputedStyle(node).backgroundColor
            .match(/\\d+/g).map((n) => (+n).toString(16).padStart(2, "0")).join(""))"""
    )


def ink(page, name):
    return page.find(".tl-inks").get_by_role("radio", name=name, exact=True)


# ── what is shown ─────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_cell_has_the_color_that_python_gives_it(dark, page):
    explorer = GALLERY["pictures"].make(6)
    page.theme(dark)
    page.draw(explorer)
    for value in (0.0, 0.7, 2.0):
        explorer.controls["contrast"].value = value
        for picture in explorer.drawings:
            expected = picture.painted(explorer.values[picture.name])
            shown = np.reshape(colors(page, picture.name), picture.size)
            np.testing.assert_array_equal(shown, np.char.lower(expected))


def test_forced_colors_keep_a_picture_its_key_and_its_patches(page):
    explorer = GALLERY["pictures"].make(6)
    page.draw(explorer)
    before = colors(page, "shape")
    swatch = "node => getComputedStyle(node).backgroundColor"
    plain = page.find(".tl-swatch").last.evaluate(swatch)
    page.page.emulate_media(forced_colors="active")
    try:
        assert colors(page, "shape") == before
        assert page.find(".tl-swatch").last.evaluate(swatch) == plain
        pixel(page, 1, 1, "seen").hover()
        ring = "node => getComputedStyle(node).outlineStyle"
        assert pixel(page, 1, 1, "seen").evaluate(ring) == "solid"
    finally:
        page.page.emulate_media(forced_colors="none")


def test_a_cell_says_its_place_its_number_its_patch_and_the_weight(page):
    explorer = GALLERY["pictures"].make(6)
    page.draw(explorer)
    pixel(page, 2, 5, "seen").hover()
    assert page.texts(".tl-about") == ["how dark the cell in row 3, column 6 is: 8.00"]
    chips = [*zip(page.texts(".tl-chip i"), page.texts(".tl-chip b"), strict=True)]
    assert chips == [("", "8.00"), ("patch", "1, 2"), ("its weight", "0.25")]
    pixel(page, 1, 0, "sky").hover()
    chips = page.texts(".tl-chip i"), page.texts(".tl-chip b")
    assert chips == (["red", "green", "blue"], ["0.25", "0.27", "0.28"])


def test_strokes_on_two_pictures_come_to_both(page):
    """While Python was at work, the second stroke took the place of the first."""

    def sheet(x, y):
        s = Sheet()
        for name, cells in (("x", x), ("y", y)):
            s.draw(PixelGrid(name=name, title=name, size=(5, 5)), cells)
        return s

    cells = {name: np.zeros((5, 5)) for name in "xy"}
    explorer = Explorer("two", sheet, {}, cells)
    page.draw(explorer)
    page.page.evaluate(
        """id => {
            const model = bare.model(id);
            model.save_changes = () => {};  // ipywidgets waits, and tells the last
            window.wake = () => {
                delete model.save_changes;
                model.save_changes();
            };
        }""",
        explorer.view.model_id,
    )
    # In one go: who waits some seconds for Python is told that nothing can be painted.
    page.page.evaluate(
        """names => {
            for (const [row, name] of names.entries()) {
                const at = `[data-panel="${name}"][data-row="${row}"][data-column="0"]`;
                const cell = document.querySelector(at);
                cell.focus();
                const press = { key: "1", bubbles: true, cancelable: true };
                cell.dispatchEvent(new KeyboardEvent("keydown", press));
            }
            window.wake();
        }""",
        [*"xxyyx"],
    )
    page.settle()
    assert (explorer.inputs["x"][:, 0] > 0).tolist() == [1, 1, 0, 0, 1]
    assert (explorer.inputs["y"][:, 0] > 0).tolist() == [0, 0, 1, 1, 0]
    expect(page.find(".tl-wet")).to_have_count(0)


def test_a_stroke_that_cannot_be_drawn_does_not_stay_wet(drawn):
    """What no reader is to see: the cell kept its mark for good."""
    view, said = drawn.view, []
    view.send = said.append
    view._edit = lambda *_: 1 / 0
    view._answer(None, {"type": "paint", "strokes": {"x": []}, "turn": "a 1"}, None)
    assert view.message == "ZeroDivisionError: division by zero"
    assert said == [{"type": "painted", "turn": "a 1"}]


def test_weights_follow_what_is_painted_and_stand_on_their_patches(page):
    explorer = GALLERY["pictures"].make(6)
    page.draw(explorer)
    for _ in range(2):
        weights = explorer.values["seen.weights"].ravel()
        assert page.texts(".tl-patch b") == [f"{x:.2f}" for x in weights]
        shares = page.find(".tl-patch").evaluate_all(
            "all => all.map((node) => +node.style.getPropertyValue('--share'))"
        )
        np.testing.assert_allclose(shares, np.minimum(1, weights / 0.5))
        explorer.edit("digit", 0, 0, 16.0)


@pytest.mark.parametrize("side", [8, 28, 64])
def test_patches_lie_on_their_cells(side, page):
    picture = PixelGrid(name="x", title="x", size=(side, side), patch=(4, 2))
    page.draw(explorer_of(lambda: {"x": np.zeros((side, side))}, lambda _: [picture]))
    patches = page.find(".tl-patch")
    assert patches.count() == side // 4 * (side // 2)
    last, cell = patches.last.bounding_box(), middle(page, side - 4, side - 2)
    corner = pixel(page, side - 1, side - 1).bounding_box()
    assert last["x"] < cell[0] < last["x"] + last["width"]
    assert last["x"] + last["width"] == pytest.approx(
        corner["x"] + corner["width"], abs=1
    )
    assert last["y"] + last["height"] == pytest.approx(
        corner["y"] + corner["height"], abs=1
    )


def test_the_cell_that_is_framed_follows_the_steps(page):
    explorer = GALLERY["picture_writing"].make(4)
    page.draw(explorer)
    for step in (46, 12, 64):
        explorer.controls["step"].value = step
        framed = page.find(".tl-pixel.tl-outlined")
        expect(framed).to_have_count(1)
        place = [int(framed.get_attribute(f"data-{n}")) for n in ("row", "column")]
        assert place == [*divmod(step - 1, 8)]


def test_the_name_of_a_color_is_text_and_never_markup(page):
    made = canvas(colors=COLORS)
    page.draw(made)
    assert page.texts(".tl-ink bdi") == [name for name, _ in COLORS] * 2
    pixel(page, 0, 0).focus()
    page.press("2")
    assert page.shown() == account(made)
    assert pixel(page, 0, 0).get_attribute("aria-label") == "<b>blue</b>"


# ── with the mouse ────────────────────────────────────────────────────────────────────
def test_a_click_paints_with_the_chosen_ink(drawn, page):
    pixel(page, 1, 2).click()
    page.settle()
    ink(page, "0.50").click()
    pixel(page, 3, 3).click()
    page.settle()
    expected = np.zeros((5, 5))
    expected[1, 2], expected[3, 3] = 1.0, 0.5
    np.testing.assert_array_equal(drawn.inputs["x"], expected)
    assert page.shown() == account(drawn)
    expect(pixel(page, 3, 3)).to_be_focused()


def test_a_fast_drag_leaves_no_gap_and_the_copy_follows(drawn, page):
    drag(page, (0, 0), (4, 4), (4, 0))
    expected = np.eye(5)
    expected[4] = 1
    np.testing.assert_array_equal(drawn.inputs["x"], expected)
    np.testing.assert_array_equal(drawn.values["y"], expected)
    assert page.shown() == account(drawn)
    expect(page.find(".tl-wet")).to_have_count(0)


def test_what_leaves_the_picture_paints_nothing_on_the_way_back(drawn, page):
    mouse, (x, y) = page.page.mouse, middle(page, 2, 4)
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 60, y)  # out at the right, and around to the foot
    mouse.move(x + 60, y + 300)
    mouse.move(*middle(page, 4, 0))
    mouse.up()
    mouse.move(*middle(page, 0, 0))
    page.settle()
    assert np.argwhere(drawn.inputs["x"]).tolist() == [[2, 4], [4, 0]]


def test_another_button_of_the_mouse_paints_nothing(drawn, page):
    drag(page, (0, 0), (2, 2), button="right")
    assert not drawn.inputs["x"].any()


def test_what_cannot_be_painted_is_pinned_by_a_click(drawn, page):
    drag(page, (0, 0, "y"), (2, 2, "y"))
    assert not drawn.inputs["x"].any()
    pixel(page, 1, 1, "y").click()
    page.settle()
    assert drawn.view.pin == {"panel": "y", "row": 1, "column": 1}


def test_a_finger_paints_and_does_not_scroll_the_page(drawn, page):
    page.page.evaluate("document.body.style.height = '9000px'")
    way = [[middle(page, row, 0)] for row in (4, 3, 1)]
    session = page.page.context.new_cdp_session(page.page)
    kinds = ["touchStart", "touchMove", "touchMove", "touchEnd"]
    for kind, points in zip(kinds, [*way, []], strict=True):
        touches = [{"x": x, "y": y} for x, y in points]
        told = {"type": kind, "touchPoints": touches}
        session.send("Input.dispatchTouchEvent", told)
    page.settle()
    scrolled = page.page.evaluate(
        "() => { document.body.style.height = ''; return scrollY; }"
    )
    assert drawn.inputs["x"][:, 0].tolist() == [0, 1, 1, 1, 1]
    assert scrolled == 0


def test_a_screen_readers_click_paints_once(drawn, page):
    ink(page, "0.25").click()
    pixel(page, 1, 1).evaluate("node => node.click()")
    page.settle()
    assert drawn.inputs["x"][1, 1] == 0.25


def test_red_green_and_blue_are_painted_with_named_inks(page):
    made = canvas(side=3, rgb=True, colors=COLORS)
    page.draw(made)
    ink(page, "red").click()
    drag(page, (0, 0), (0, 2))
    assert made.inputs["x"][0].tolist() == [1, 0, 0] * 3
    assert page.shown() == account(made)


# ── with the keyboard ─────────────────────────────────────────────────────────────────
def test_the_keyboard_paints_all_that_the_mouse_can(drawn, page):
    pixel(page, 0, 0).focus()
    page.press(
        "Space", "ArrowRight", "Enter", "ArrowDown", "3", "End", "1", "Home", "2"
    )
    expected = np.zeros((5, 5))
    expected[0, :2] = 1
    expected[1, [1, 4, 0]] = GREYS[[3, 1, 2]]
    np.testing.assert_array_equal(drawn.inputs["x"], expected)
    page.press("Delete")
    assert drawn.inputs["x"][1, 0] == 0
    assert drawn.view.pin is None


def test_plus_and_minus_go_from_ink_to_ink_and_no_further(drawn, page):
    pixel(page, 2, 2).focus()
    seen = []
    for key in "+++++--":
        page.press(key)
        seen.append(drawn.inputs["x"][2, 2])
    assert seen == [0.25, 0.5, 0.75, 1, 1, 0.75, 0.5]
    drawn.edit("x", 2, 2, 0.3)  # between two inks
    page.press("+")
    assert drawn.inputs["x"][2, 2] == 0.5
    drawn.edit("x", 2, 2, 0.3)
    page.press("-")
    assert drawn.inputs["x"][2, 2] == 0.25


def test_a_digit_that_is_no_ink_does_nothing(drawn, page):
    pixel(page, 2, 2).focus()
    page.press("9", "Control+1", "Shift+Enter")
    assert not drawn.inputs["x"].any()


def test_the_inks_are_radio_buttons_that_arrow_keys_go_through(drawn, page):
    pixel(page, 0, 0).focus()
    page.press("Tab")
    expect(ink(page, "1.00")).to_be_focused()
    expect(ink(page, "1.00")).to_be_checked()
    page.press("ArrowLeft", "ArrowLeft")
    expect(ink(page, "0.50")).to_be_checked()
    expect(page.find(".tl-ink[aria-checked=true]")).to_have_count(1)
    page.press("Shift+Tab", "Space")
    assert drawn.inputs["x"][0, 0] == 0.5


# ── what Python says ──────────────────────────────────────────────────────────────────
def test_a_stroke_that_is_refused_leaves_the_picture_and_says_why(page):
    made = canvas(most=2)
    page.draw(made)
    pixel(page, 0, 0).click()
    pixel(page, 0, 1).click()
    pixel(page, 0, 2).click()
    page.settle()
    assert made.inputs["x"].sum() == 2
    assert page.texts(".tl-message")[0] == "that is too much: 3"
    assert page.shown() == account(made)
    expect(page.find(".tl-wet")).to_have_count(0)
    ink(page, "0.00").click()
    pixel(page, 0, 0).click()  # what was refused is not tried again
    page.settle()
    assert made.inputs["x"].sum() == 1
    assert page.texts(".tl-message")[0] == ""


def test_a_cell_is_marked_until_python_has_answered(page):
    """What is painted while Python is at work reaches it in one message."""
    made = canvas()
    page.draw(made)
    model = made.view.comm.comm_id
    kept = page.page.evaluate_handle(
        """id => {
            const model = bare.model(id), kept = [];
            const save = model.save_changes;
            model.save_changes = () => kept.push(model.get("moved"));
            const answer = () => {
                model.save_changes = save;
                save.call(model);
            };
            return { kept, answer };
        }""",
        model,
    )
    drag(page, (0, 0), (0, 1))
    drag(page, (2, 2), (2, 3))
    expect(page.find(".tl-wet")).to_have_count(4)
    assert not made.inputs["x"].any()
    assert colors(page, "x") == ["#ffffff"] * 25  # no number that was not taken
    kept.evaluate("({ answer }) => answer()")
    page.settle()
    assert made.inputs["x"].sum() == 4
    expect(page.find(".tl-wet")).to_have_count(0)


def test_reset_brings_the_picture_back_and_keeps_the_ink(drawn, page):
    ink(page, "0.25").click()
    drag(page, (0, 0), (3, 3))
    drawn.reset()
    assert set(colors(page, "x")) == {"#ffffff"}
    assert page.shown() == account(drawn)
    expect(ink(page, "0.25")).to_be_checked()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_objects_to_no_state_of_a_picture(dark, page):
    page.theme(dark)
    page.draw(canvas(colors=COLORS))
    ink(page, "red").click()
    drag(page, (0, 0), (3, 3))
    pixel(page, 1, 2, "y").click()
    page.settle()
    assert objections(page) == []


def test_no_name_of_an_ink_is_cut_off(page):
    page.draw(GALLERY["picture_writing"].make(4))
    page.lay_out()
    cut = "all => all.filter((node) => node.scrollWidth > node.clientWidth + 1).length"
    assert page.find(".tl-ink bdi").evaluate_all(cut) == 0
