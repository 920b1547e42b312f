"""The picture that is kept has its panels where the page has them."""

from itertools import pairwise

import pytest
from gallery import GALLERY

from explorable import picture, plots

# From left to right: where each panel of the page begins and ends.
PANELS = """() => [...document.querySelectorAll(".tl-panel")]
    .filter((node) => node.checkVisibility())
    .map((node) => node.getBoundingClientRect())
    .map(({ left, right }) => [left, right])"""
# Note every size that is tried; and let a panel become larger in the second frame.
TRIED = """() => {
    const { setProperty } = CSSStyleDeclaration.prototype;
    window.tried = [];
    CSSStyleDeclaration.prototype.setProperty = function (name, value) {
        if (name === "--tl-zoom") window.tried.push(Number(value));
        setProperty.call(this, name, value);
    };
}"""
LATE = """() => {
    const panel = () => document.querySelector(".tl-panel");
    const grow = () => { panel().style.minWidth = "700px"; };
    const drawn = new MutationObserver(() => {
        drawn.disconnect();
        requestAnimationFrame(() => requestAnimationFrame(grow));
    });
    drawn.observe(document.body, { childList: true });
}"""
HANGING = 8  # pixels by which text may stand out of its panel
#: Two arrangements are about equally good: the page chooses one, the picture the other.
OTHERWISE = {"rotary", "training_scrubber", "walk of a reader", "walk of a writer"}


def beside(panels, hanging=0.0):
    """Which panels stand to the right of the one before, and which begin a new line."""
    return [b[0] >= a[1] - hanging for a, b in pairwise(panels)]


# How wide a text is, 100 pixels large, in an explorer.
WIDTH = """async ([text, weight]) => {
    const node = document.createElement("span");
    node.style = `position: absolute; font-size: 100px; font-weight: ${weight};`;
    node.style.whiteSpace = "pre";
    node.textContent = text;
    document.querySelector(".tl-explorer").append(node);
    await document.fonts.ready;
    const { width } = node.getBoundingClientRect();
    node.remove();
    return width;
}"""


@pytest.fixture
def wide(page):
    """As wide as JupyterLab on a screen of 1400 pixels, and as tall as it takes."""
    before = page.page.viewport_size
    page.page.set_viewport_size({"width": 1248, "height": 2600})
    yield page
    page.page.set_viewport_size(before)


@pytest.fixture
def at_rest(monkeypatch):
    """`at_rest(explorer)`: where the panels of its picture begin and end, in inches."""
    places = []

    class Noted(picture.Panel):
        def __init__(self, one):
            super().__init__(one)
            self.put = lambda page, left, top, above: places.append(
                (left, left + self.width)
            )

    def at_rest(explorer):
        monkeypatch.setattr(picture, "Panel", Noted)
        picture.draw_picture(explorer.drawings, explorer.values)
        return places

    return at_rest


@pytest.mark.parametrize("name", sorted(GALLERY.keys() - OTHERWISE))
def test_the_kept_picture_is_arranged_as_the_page_is(name, wide, at_rest):
    explorer = GALLERY[name].make(4)
    wide.draw(explorer)
    wide.lay_out()
    live = wide.page.evaluate(PANELS)
    assert beside(at_rest(explorer), 1e-6) == beside(live, HANGING)


@pytest.mark.parametrize("text", ["averages of V’s rows", "−0.123 456 789 e", "Größe"])
def test_a_word_is_as_wide_in_the_page_as_in_the_picture_at_rest(text, page):
    page.draw(GALLERY["softmax_bench"].make(4))
    for weight, bold in ((400, False), (500, False), (600, True), (700, True)):
        found = page.page.evaluate(WIDTH, [text, weight])
        assert found == pytest.approx(plots.width(text, 100, bold), rel=0.02)


def test_panels_in_rows_below_each_other_begin_in_common_columns(wide):
    wide.draw(GALLERY["attention_bench"].make(4))
    wide.lay_out()
    lefts = [round(left) for left, _ in wide.page.evaluate(PANELS)]
    assert lefts[4:] == lefts[:3]  # of V, weights, output; of Q, K, scores, scaled


def test_panels_are_arranged_alike_where_the_foot_of_an_explorer_is_held(wide):
    """So does JupyterLab while it goes to a cell below one that is laid out."""
    wide.draw(GALLERY["add_and_norm"].make(4))
    wide.lay_out()
    wanted = wide.page.evaluate(PANELS)
    wide.page.evaluate("document.body.style = 'position: absolute; inset: auto 0 0'")
    for width in (1300, 1248):
        wide.page.set_viewport_size({"width": width, "height": 2600})
        wide.lay_out()
    found = wide.page.evaluate(PANELS)
    wide.page.evaluate("document.body.style = ''")
    assert beside(found) == beside(wanted)


@pytest.mark.parametrize("late", [False, True])
def test_panels_are_laid_out_again_only_if_they_get_another_size_later(late, wide):
    wide.page.evaluate(TRIED)
    wide.draw()
    if late:
        wide.page.evaluate(LATE)
    wide.draw(GALLERY["add_and_norm"].make(4))
    wide.lay_out()
    tried = wide.page.evaluate("window.tried")
    wide.reload()
    assert tried.count(0.9) == 1 + late  # a little smaller: once in each search
