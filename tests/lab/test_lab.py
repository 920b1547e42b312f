"""The ground that these tests stand on: a notebook runs, and no fault goes unseen."""

from playwright.sync_api import expect

SLIDER = """
import ipywidgets as W
slider, label = W.IntSlider(3, 0, 9), W.Label("nothing yet")
slider.observe(lambda change: setattr(label, "value", f"now {change.new}"), "value")
W.VBox([slider, label])
"""
CELLS = ["print('it' + ' ran')", SLIDER]


def test_a_notebook_opens_at_rest_in_the_dark_and_run_in_the_light(lab, open_notebook):
    name = lab.add("first.ipynb", CELLS)
    page = open_notebook(name, dark=True, width=900, run=False)
    expect(page.locator("body")).to_have_attribute("data-jp-theme-light", "false")
    expect(page.get_by_text("it ran", exact=True)).to_have_count(0)
    assert page.viewport_size["width"] == 900
    page = open_notebook(name)
    expect(page.locator("body")).to_have_attribute("data-jp-theme-light", "true")
    expect(page.get_by_text("it ran", exact=True)).to_be_visible()


def test_a_slider_moves_by_key_and_by_mouse_and_the_kernel_answers(lab, open_notebook):
    page = open_notebook(lab.add("first.ipynb", CELLS), keep=True)
    expect(page.get_by_text("nothing yet", exact=True)).to_be_visible()
    handle = page.locator(".noUi-handle")
    handle.press("ArrowRight")
    expect(page.get_by_text("now 4", exact=True)).to_be_visible()
    box = handle.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 500, box["y"] + 5, steps=8)
    page.mouse.up()
    expect(page.get_by_text("now 9", exact=True)).to_be_visible()


def test_a_dialog_of_jupyterlab_is_caught(lab, desk, open_notebook):
    page = open_notebook(lab.add("first.ipynb", CELLS), keep=True)
    assert desk.dialogs() == []
    page.evaluate("void window.jupyterapp.commands.execute('notebook:restart-kernel')")
    expect(page.locator(".jp-Dialog")).to_be_visible()
    [asked] = desk.dialogs()
    assert "Restart Kernel?" in asked
    page.get_by_role("button", name="Cancel").click()
    assert desk.dialogs() == []


def test_what_a_notebook_does_wrong_is_caught(lab, desk, open_notebook, faults):
    picture = "from IPython.display import HTML; HTML('<img src=http://a.org/i.png>')"
    page = open_notebook(lab.add("wrong.ipynb", [picture, "1 / 0"]))
    expect(page.locator("img[src='http://a.org/i.png']")).to_be_attached()
    wait_for(page, faults, "left loopback: http://a.org/i.png")
    assert "cell 1: ZeroDivisionError: division by zero" in faults
    desk.clear()  # or the picture is asked for once more, in the next test
    faults.clear()


def test_a_notebook_that_is_added_again_can_still_be_saved(lab, desk, open_notebook):
    cells = ["6 * 7"]
    page = open_notebook(lab.add("again.ipynb", cells))
    page.wait_for_timeout(1000)  # within half a second JupyterLab lets a change pass
    assert lab.add("again.ipynb", cells) == "again.ipynb"
    page.evaluate("void window.jupyterapp.commands.execute('docmanager:save')")
    for _ in range(200):
        saved = (lab.folder / "notebooks" / "again.ipynb").read_text(encoding="utf-8")
        if desk.dialogs() or '"42"' in saved:
            break
        page.wait_for_timeout(25)
    assert desk.dialogs() == []
    assert '"42"' in saved


def wait_for(page, faults, beginning):
    for _ in range(200):
        if any(noted.startswith(beginning) for noted in faults):
            return
        page.wait_for_timeout(25)
    raise AssertionError(f"{beginning!r} went unseen, only: {faults}")
