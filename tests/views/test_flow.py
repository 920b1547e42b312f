"""Lines lead from the tables of what a cell was made of to its own, and cover none."""

from itertools import combinations, pairwise, permutations, product

import pytest
from gallery import GALLERY

from explorable import Axis, Explorer, Sheet
from explorable.controls import switch

# Resizing is told after a frame is laid out; then lines are drawn in the next one.
FRAMES = """async () => {
    for (let n = 0; n < 4; n += 1) await new Promise(requestAnimationFrame);
}"""
LINES = """css => [...document.querySelectorAll(css)].map(
    ({ dataset: { from, to } }) => [from, to])"""
# Of each traced line: how far it begins from the panel of the numbers, and ends from
# that of the cell.
ENDS = """() => [...document.querySelectorAll(".tl-traced path")].map((line) => {
    const { dataset: { from, to } } = line;
    const numbers = line.getAttribute("d").match(/[-.0-9]+/g).map(Number);
    const far = ([x, y], name) => {
        const at = new DOMPoint(x, y).matrixTransform(toPage(line));
        const cell = document.querySelector(`td[data-panel="${CSS.escape(name)}"]`);
        const { left, top, right, bottom } =
            cell.closest(".tl-panel").getBoundingClientRect();
        return Math.hypot(Math.max(left - at.x, at.x - right, 0),
            Math.max(top - at.y, at.y - bottom, 0));
    };
    return [far(numbers, from), far(numbers.slice(-4), to)];
})"""
# Where the lines of a view are on the page. Where panels are smaller than in a page
# that has room, lines have a unit of their own.
SETUP = """() => {
    window.toPage = ({ ownerSVGElement: svg }) => {
        const { left, top, width } = svg.getBoundingClientRect();
        const grown = width / parseFloat(getComputedStyle(svg).width);
        return new DOMMatrix([grown, 0, 0, grown, left, top]);
    };
}"""
COVERED = """() => {
    const spans = [...document.querySelectorAll("td[data-panel] > span")];
    const texts = spans.map((span) => {
        const range = document.createRange();
        range.selectNodeContents(span);
        return range.getBoundingClientRect();
    });
    const covers = (line) => {
        const matrix = toPage(line);
        const length = line.getTotalLength();
        return Array.from({ length: length / 5 }, (_, n) => (
            DOMPoint.fromPoint(line.getPointAtLength(5 * n)).matrixTransform(matrix)))
            .some(({ x, y }) => texts.some(({ left, right, top, bottom }) => (
                left < x && x < right && top + 3 < y && y < bottom - 3)));
    };
    return [...document.querySelectorAll(".tl-flow path")].filter(covers).map(
        ({ dataset: { from, to } }) => `${from} to ${to}`);
}"""
TRACED, QUIET, ALL = (
    f"{home} path" for home in (".tl-traced", ".tl-quiet-flow", ".tl-flow")
)


def lines(page, css=ALL):
    """What the lines lead from and to, once they are drawn."""
    page.page.evaluate(FRAMES)
    return {tuple(ends) for ends in page.page.evaluate(LINES, css)}


def tables(explorer):
    return [d for d in explorer.drawings if d.kind == "matrix"]


def made_of(page, name, row, column):
    """Go to a cell: the tables of the numbers that are outlined there."""
    _, _, operands = page.explanation(name, row, column)
    return {(panel, name) for panel, _, _ in operands if panel != name}


@pytest.fixture
def bench(page):
    made = GALLERY["attention_bench"].make(3)
    page.draw(made)
    page.page.evaluate(SETUP)
    yield made
    page.page.set_viewport_size({"width": 1280, "height": 2000})


CONNECTED = ["attention_bench", "feed_forward", "layer_norm_lab", "mask_lab", "tokens"]


@pytest.mark.parametrize("name", CONNECTED)
def test_a_cell_is_connected_with_the_tables_of_the_numbers_it_was_made_of(name, page):
    explorer = GALLERY[name].make(4)
    page.draw(explorer)
    for table in tables(explorer):
        wanted = made_of(page, table.name, 0, 0)
        assert lines(page, TRACED) == wanted
    assert any(table.sources for table in tables(explorer))


def test_at_rest_each_table_is_connected_with_those_that_it_is_made_of(bench, page):
    wanted = {("Q", "scores"), ("K", "scores"), ("scores", "scaled")}
    wanted |= {("scaled", "weights"), ("weights", "output"), ("V", "output")}
    assert lines(page) == wanted
    assert lines(page, TRACED) == {("weights", "output"), ("V", "output")}
    assert lines(page, QUIET) == wanted - lines(page, TRACED)


def test_a_number_that_stands_for_itself_is_connected_with_nothing(bench, page):
    page.cell("Q", 0, 0).hover()
    assert lines(page, TRACED) == set()


HEADS = """() => {
    const paths = [...document.querySelectorAll(".tl-flow path")];
    return Object.fromEntries(paths.map((line) => {
        const numbers = line.getAttribute("d").match(/[-.0-9]+/g).map(Number);
        const at = new DOMPoint(...numbers.slice(-4, -2));
        return [line.dataset.from, at.matrixTransform(toPage(line)).x];
    }));
}"""


@pytest.mark.parametrize("n_heads", [2, 4])
def test_of_tables_side_by_side_each_leads_to_its_own_columns(n_heads, page):
    """Four arrows once ended in one place, above the columns of heads 2 and 3."""
    explorer = GALLERY["head_split"].make(4)
    explorer.controls["n_heads"].value = n_heads
    page.page.set_viewport_size({"width": 900, "height": 779})
    page.draw(explorer)
    page.page.evaluate(SETUP)
    assert len(lines(page)) == n_heads
    heads = page.page.evaluate(HEADS)
    d_k = 8 // n_heads
    for h in range(n_heads):
        first = page.cell("joined", 0, h * d_k).bounding_box()
        last = page.cell("joined", 0, (h + 1) * d_k - 1).bounding_box()
        middle = (first["x"] + last["x"] + last["width"]) / 2
        assert heads[f"head {h + 1}"] == pytest.approx(middle, abs=3)
    page.page.set_viewport_size({"width": 1280, "height": 2000})


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("width", [1400, 700])
def test_lines_lead_from_panel_to_panel(width, full, bench, page):
    """Wherever panels wrap, and however large they are."""
    page.page.set_viewport_size({"width": width, "height": 779})
    button = page.page.get_by_role("button", name="full screen")
    if full:
        button.click()
    for name in ("scores", "scaled", "weights", "output"):
        for row in range(3):
            made_of(page, name, row, row)
            assert lines(page, TRACED)
            for ends in page.page.evaluate(ENDS):
                assert max(ends) < (10 if full else 5)
    if full:
        button.click()


@pytest.mark.parametrize("width", [1400, 700])
@pytest.mark.parametrize("name", ["attention_bench", "hiding_bench", "projections"])
def test_no_line_covers_a_number(name, width, page):
    explorer = GALLERY[name].make(4)
    page.draw(explorer)
    page.page.set_viewport_size({"width": width, "height": 2000})
    page.page.evaluate(SETUP)
    for table in tables(explorer):
        row, column = len(table.rows) - 1, len(table.columns) - 1
        page.explanation(table.name, row // 2, column // 2)
        page.page.evaluate(FRAMES)
        assert page.page.evaluate(COVERED) == []
    page.page.set_viewport_size({"width": 1280, "height": 2000})


def test_nothing_covered_is_traced(bench, page):
    cover = page.page.get_by_role("button", name="Cover")
    cover.click()
    assert lines(page, TRACED) == set()
    page.cell("V", 0, 0).hover()
    for _ in range(4):
        page.page.get_by_role("button", name="Uncover next").click()
    page.cell("scores", 0, 0).hover()
    assert lines(page, TRACED) == {("Q", "scores"), ("K", "scores")}


def test_one_panel_alone_has_no_lines(bench, page):
    page.page.get_by_role("button", name="Full screen").click()
    page.find(".tl-one").select_option("output")
    assert lines(page) == set()
    page.find(".tl-one").select_option("all panels")
    assert len(lines(page)) == 6
    page.page.get_by_role("button", name="Leave full screen").click()


def test_lines_come_and_go_with_the_tables_that_a_view_shows(page):
    def sheet(*, more):
        s = Sheet()
        a = s.leaf("a", Axis("row", ("1",)), "column", [[1.0, 2.0]])
        s.show(a)
        between = s.elementwise("between", a, ("×", 2.0, ""))
        b = s.elementwise("b", between, ("×", 2.0, ""))
        s.show(b)
        if more:
            s.show(s.elementwise("c", b, ("+", 1.0, "")))
        return s

    explorer = Explorer("lab", sheet, {"more": switch("more", True)})
    page.draw(explorer)
    assert lines(page) == {("a", "b"), ("b", "c")}  # through what is not drawn
    assert lines(page, TRACED) == {("b", "c")}
    explorer.controls["more"].value = False
    assert lines(page) == {("a", "b")}
    assert lines(page, TRACED) == set()
    explorer.controls["more"].value = True
    assert lines(page) == {("a", "b"), ("b", "c")}


# Count how often a place is measured: in all, and while an event is dealt with.
MEASURED = """() => {
    const { prototype } = Element;
    const { getBoundingClientRect } = prototype;
    Object.assign(window, { measured: 0, within: 0, inEvent: false });
    prototype.getBoundingClientRect = function () {
        window.measured += 1;
        if (window.inEvent) window.within += 1;
        return getBoundingClientRect.call(this);
    };
    window.pointAt = (td) => {
        window.inEvent = true;
        td.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
        window.inEvent = false;
    };
}"""


def test_places_are_measured_once_a_frame_at_most_and_in_no_event(bench, page):
    """To measure makes the browser lay out the page, which would hold up the mouse."""
    page.page.evaluate(FRAMES)
    page.page.evaluate(MEASURED)
    count = page.page.evaluate(
        """async () => {
            const cells = [...document.querySelectorAll("td[data-panel=output]")];
            pointAt(cells[0]);
            await new Promise(requestAnimationFrame);
            const once = measured;
            window.measured = 0;
            cells.forEach(pointAt);
            await new Promise(requestAnimationFrame);
            return [once, measured, within];
        }"""
    )
    assert count[0] > 0
    assert count[1] <= count[0]
    assert count[2] == 0
    page.reload()


def test_moving_a_slider_measures_nothing(page):
    explorer = GALLERY["softmax_bench"].make(4)
    page.draw(explorer)
    page.page.evaluate(FRAMES)
    page.page.evaluate(MEASURED)
    GALLERY["softmax_bench"].move(explorer, 1)
    page.page.evaluate(FRAMES)
    assert page.page.evaluate("measured") == 0
    page.reload()


# ── the laws of lines, wherever panels wrap ─────────────────────────────────────
# Each line in pixels of the page: its corners, the panels at its ends, and how much
# what is drawn is larger than in a page.
DRAWN = """() => [...document.querySelectorAll(".tl-flow path")].map((line) => {
    const { dataset: { from, to } } = line;
    const { a: grown, e: left, f: top } = toPage(line);
    const [way, head] = line.getAttribute("d").slice(1).split("M");
    const numbers = way.replace(/[LQ]/g, " ").trim().split(/[ ]+/).map(Number);
    const all = Array.from({ length: numbers.length / 2 }, (_, n) =>
        [left + grown * numbers[2 * n], top + grown * numbers[2 * n + 1]]);
    // Between the ends: where a corner begins, the corner itself, and where it ends.
    const points = all.filter((_, n) => n % 3 === 2 || !n || n === all.length - 1);
    const placeOf = (node) => {
        const { left, right, top, bottom } = node.getBoundingClientRect();
        return { left, right, top, bottom };
    };
    const panel = (name) => {
        const cell = document.querySelector(`td[data-panel="${CSS.escape(name)}"]`);
        const [box, table] = [".tl-panel", "table"].map((css) => cell.closest(css));
        const foot = box.querySelector(".tl-note").textContent ? box : table;
        const { bottom } = placeOf(foot);
        const { left, top } = placeOf(cell);
        const last = placeOf([...table.querySelectorAll("td")].at(-1));
        const cells = { ...last, left, top };
        return { name, box: placeOf(box), table: placeOf(table), cells, foot: bottom };
    };
    return { points, from: panel(from), to: panel(to), grown };
})"""
TEXTS = """() => {
    const walk = document.createTreeWalker(
        document.querySelector(".tl-panels"), NodeFilter.SHOW_TEXT);
    const found = [];
    while (walk.nextNode()) {
        const node = walk.currentNode.parentElement;
        if (!node.checkVisibility() || !walk.currentNode.textContent.trim()) continue;
        if (getComputedStyle(node).color === "rgba(0, 0, 0, 0)") continue;
        const range = document.createRange();
        range.selectNodeContents(walk.currentNode);
        for (const { left, right, top, bottom } of range.getClientRects()) {
            const text = walk.currentNode.textContent;
            found.push({ text, left, right, top, bottom });
        }
    }
    return found;
}"""


def faults_of_lines(page, explorer):
    """The laws that the lines of the one explorer that is drawn break where it stands.

    See test_presentation.py, which brings every explorer onto every screen.
    """
    page.page.evaluate(SETUP)
    page.page.evaluate(FRAMES)
    drawn = page.page.evaluate(DRAWN)
    assert bool(drawn) is any(d.sources for d in explorer.drawings)
    return [*faults(drawn, page.page.evaluate(TEXTS))] if drawn else []


def segments(line):
    """Its straight parts as (across, along, from, to): whether it runs from left to
    right, where it lies, and where it begins and ends."""
    for (x, y), (u, v) in pairwise(line["points"]):
        across = abs(u - x) > abs(v - y)
        yield (True, y, *sorted((x, u))) if across else (False, x, *sorted((y, v)))


def named(line):
    return f"{line['from']['name']} to {line['to']['name']}"


def common(a, b, near):
    """How far two segments that lie less than `near` from each other run together."""
    if a[0] != b[0] or abs(a[1] - b[1]) >= near:
        return 0.0
    return min(a[3], b[3]) - max(a[2], b[2])


def test_a_table_stands_after_all_that_it_is_made_of():
    for name, exhibit in GALLERY.items():
        read = set()
        for drawing in exhibit.example.drawings:
            assert read >= {*drawing.sources}, name
            read.add(drawing.name)


def faults(drawn, texts):
    for line in drawn:
        yield from faults_of(line)
        yield from crossed(line, drawn, texts)
    yield from shared_by_strangers(drawn)
    yield from unevenly_spread(drawn)
    yield from off_the_middle(drawn)
    yield from crossed_heads(drawn)
    yield from crossed_starts(drawn)


def faults_of(line):
    """It leads to the right or down, begins next to its table or to what is noted below
    that, makes its way past all rows in one column, and comes straight to an end next
    to its head."""
    start, end = line["from"]["box"], line["to"]["box"]
    if end["left"] < start["right"] and end["top"] < start["bottom"] - 1:
        yield f"{named(line)}: leads up or to the left"
    if len(line["points"]) > 6:
        yield f"{named(line)}: turns between the rows that it passes"
    (x, y), (u, v), *_ = line["points"]
    below = (y - line["from"]["foot"]) / line["grown"]
    if x == u and v > y and below > 3:
        yield f"{named(line)}: begins {below:.1f} pixels below its table"
    *_, (_, y), (u, v) = line["points"]
    grown = line["grown"]
    if len(line["points"]) > 2 and abs(v - y) / grown < 12:
        yield f"{named(line)}: {abs(v - y) / grown:.1f} pixels before its head"
    beside = line["to"]["table"]["left"] - u
    gap = beside if y == v else min(abs(v - end["top"]), abs(v - end["bottom"]))
    if not 2 <= gap / grown <= 4:
        yield f"{named(line)}: ends {gap / grown:.1f} pixels from its table"


def crossed(line, drawn, texts):
    """It crosses no text, and runs along no table's border."""
    for across, at, low, high in segments(line):
        low_x, high_x, low_y, high_y = (
            (low, high, at, at) if across else (at, at, low, high)
        )
        for text in texts:
            beside = text["left"] + 1 >= high_x or low_x >= text["right"] - 1
            if not beside and text["top"] + 1 < high_y and low_y < text["bottom"] - 1:
                yield f"{named(line)}: crosses “{text['text']}”"
        for one in (x for other in drawn for x in (other["from"], other["to"])):
            table = one["table"]
            sides = (("top", "bottom"), ("left", "right"))
            ends = sides[across]
            for side in sides[not across]:
                edge = across, table[side], *(table[end] for end in ends)
                if common((across, at, low, high), edge, 2) > 2:
                    yield f"{named(line)}: runs along {one['name']}"


def shared_by_strangers(drawn):
    """Lines with neither end in common share no way."""
    for a, b in combinations(drawn, 2):
        if {a["from"]["name"], a["to"]["name"]} & {b["from"]["name"], b["to"]["name"]}:
            continue
        for one, other in product(segments(a), segments(b)):
            if common(one, other, 2) > 2:
                yield f"{named(a)}, {named(b)}: share a way"


def unevenly_spread(drawn):
    """The heads at one edge are spread evenly about the middle of the cells."""
    edges = {}
    for line in drawn:
        (x, y), (u, v) = line["points"][-2:]
        if x == u:
            to = line["to"]
            edges.setdefault((to["name"], v > y), (to["cells"], []))[1].append(u)
            grown = line["grown"]
    for (name, _), (cells, heads) in edges.items():
        middle = (cells["left"] + cells["right"]) / 2
        if abs(sum(heads) / len(heads) - middle) > 1.5 * grown:
            yield f"{name}: heads are not in the middle"
        apart = [b - a for a, b in pairwise(sorted(heads))]
        if apart and max(apart) - min(apart) > 1:
            yield f"{name}: heads are {apart} apart"


def off_the_middle(drawn):
    """A line straight to the next table lies at half the height of cells of both."""
    for line in drawn:
        (_, y), *_, (_, v) = line["points"]
        both = [line[end]["cells"] for end in ("from", "to")]
        top = max(cells["top"] for cells in both)
        bottom = min(cells["bottom"] for cells in both)
        off = abs(y - (top + bottom) / 2) / line["grown"]
        if y == v and len(line["points"]) == 2 and off > 1.5:
            yield f"{named(line)}: is not at half the height of the cells"


def crossed_heads(drawn):
    """No line crosses the head of another that leads to the same table."""
    for a, b in permutations(drawn, 2):
        if a["to"]["name"] != b["to"]["name"]:
            continue
        *_, (across, x, top, bottom) = segments(a)
        for lies, y, left, right in segments(b):
            if lies and not across and left < x < right and top < y < bottom:
                yield f"{named(b)}: crosses the head of {named(a)}"


def crossed_starts(drawn):
    """A line leaves a table without crossing one that leads up to it there."""
    for a, b in permutations(drawn, 2):
        (x, top), (_, bottom) = b["points"][:2]
        if a["to"]["name"] != b["from"]["name"] or top == bottom:
            continue
        for lies, y, left, right in segments(a):
            if lies and left < x < right and top < y < bottom:
                yield f"{named(b)}: crosses {named(a)} where it begins"
