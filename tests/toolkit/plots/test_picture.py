"""The picture at rest: the same numbers, shades and places as on the page."""

import base64
import io
import math
from itertools import combinations, pairwise

import matplotlib.image
import numpy as np
import pytest
from gallery import GALLERY
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch

from course import explorers
from explorable import plots
from explorable.drawings.matrix import Matrix
from explorable.picture import draw_picture, lines_of
from explorable.plots import as_svg
from explorable.plots.lettering import Words

Q = K = np.array([[1.0, 0], [0, 1], [1, 1]])
V = np.array([[1.0, 2], [3, 4], [5, 6]])
TOKENS = ["AI", "is", "powerful"]
RANDOM = np.random.default_rng(0).normal(size=(3, 32, 8))
EXPLORERS = {
    "bench": lambda: explorers.attention_bench(Q, -K, V, TOKENS),
    "large bench": lambda: explorers.attention_bench(*RANDOM),
    "one number": lambda: explorers.attention_bench([[1.0]], [[1.0]], [[1.0]]),
    "zeros": lambda: explorers.attention_bench([[0.0]], [[0.0]], [[0.0]], ["$x^$"]),
    "softmax": lambda: explorers.softmax_bench([[3.0, -1, 0], [2, 4, 1]]),
    "mixing": lambda: explorers.mixing_bench([[0.5, 0.5], [1, 0]], [[1.0], [2]]),
    "scale": explorers.scale_lab,
}


@pytest.fixture
def bench():
    return explorers.attention_bench(Q, K, V, TOKENS)


@pytest.fixture(params=EXPLORERS)
def explorer(request):
    return EXPLORERS[request.param]()


def groups(figure):
    """For each part of a picture, in reading order: its words and what else it has."""
    found = []
    for artist in figure.artists:
        if isinstance(artist, Words):
            found.append((artist, []))
        else:
            found[-1][1].append(artist)
    return found[1:]  # the first holds the page's own words


def drawn(explorer):
    """Each panel's name, what the page is told of it, and its part of the picture."""
    frames = explorer.view.panels
    return [
        (frame["name"], {**frame, **explorer.view.live[frame["name"]]}, group)
        for frame, group in zip(frames, groups(explorer.picture()), strict=True)
    ]


def corners(path):
    return [(int(r), int(c)) for c, r in path.vertices[::5]]


def cells(group):
    """By (row, column): the fill of its square, None where it is hatched; its text."""
    words, marks = group
    [squares] = [m for m in marks if isinstance(m, PathCollection)]
    fills = {
        at: to_hex(fill).upper()
        for path, fill in zip(squares.get_paths(), squares.get_facecolor(), strict=True)
        for at in corners(path)
    }
    for mark in marks:
        if isinstance(mark, PathPatch) and mark.get_hatch():
            assert not fills.keys() & set(corners(mark.get_path()))
            fills |= dict.fromkeys(corners(mark.get_path()))
    texts = {(w.y - 0.5, w.x - 0.5): w for w in words.words if w.text}
    return {at: (fill, texts.get(at)) for at, fill in fills.items()}


def covered(figure):
    """Every word of a picture and the box that it covers, in pixels."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    found = []
    for words in figure.findobj(Words):
        for word in list(words.words):
            words.words = [word] if word.text else []
            if word.text:
                found.append((word, words.get_window_extent(renderer)))
    return found


def overlapping(found):
    """The pairs of words whose boxes share more than their edges."""
    return [
        (one.text, other.text)
        for (one, a), (other, b) in combinations(found, 2)
        if min(a.x1, b.x1) - max(a.x0, b.x0) > 2.5
        and min(a.y1, b.y1) - max(a.y0, b.y0) > 2.5
        and not (one.angle or other.angle)
    ]


def png(explorer):
    data, _ = explorer._repr_mimebundle_()
    return base64.b64decode(data["image/png"])


def test_an_explorer_leaves_a_picture_and_its_numbers(explorer):
    bundle, _ = explorer._repr_mimebundle_()
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert len(bundle["image/png"]) < 1_000_000


def test_a_second_run_gives_the_same_bytes(explorer):
    assert png(explorer) == png(explorer)
    assert as_svg(explorer.picture()) == as_svg(explorer.picture())


def test_the_picture_has_a_text_that_stands_for_it(bench):
    _, metadata = bench._repr_mimebundle_()
    said = metadata["image/png"]["alt"]
    assert said.startswith("Picture of Q queries; K keys; scores QKᵀ; scaled")
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    "explorer", sorted(EXPLORERS.keys() - {"scale"}), indirect=True
)
def test_every_cell_of_the_picture_bears_its_number_and_its_shade(explorer):
    for name, panel, group in drawn(explorer):
        values, found = explorer.values[name], cells(group)
        assert len(found) == values.size
        for at, value in np.ndenumerate(values):
            fill, text = found[at]
            hue = "negative" if value < 0 else panel["palette"]
            paper, ink = plots.shade(hue, plots.step_of(value, panel["vmax"]))
            assert fill == paper, (name, at)
            blank = panel["blank_zeros"] and abs(value) < 0.005
            if panel["size"] == "tiny" or blank:
                assert text is None
            else:
                assert text.text == plots.number(value, panel["digits"])
                pale = abs(value) < 0.5 * 10 ** -panel["digits"]  # written as 0
                assert text.color == (plots.QUIET if pale else ink)


def test_a_weight_of_one_has_the_full_hue():
    size = {"rows": ["a"], "columns": ["b"], "size": "large"}
    [part] = groups(
        draw_picture([Matrix(name="w", title="w", **size)], {"w": np.ones((1, 1))})
    )
    assert cells(part)[0, 0][0] == plots.shade("weights", plots.STEPS)[0]


def test_every_bar_of_the_picture_bears_its_number_and_is_as_long():
    lab = explorers.scale_lab()
    (words, marks), (_, curves) = groups(lab.picture())
    bars = [m.get_path() for m in marks if isinstance(m, PathPatch)]
    texts = [
        w for w in words.words if w.size == 8.5 and w.text and w.color != plots.QUIET
    ]
    written = [plots.number(weight, 2) for weight in lab.values["weights"].flat]
    assert [word.text for word in texts] == [x for x in written if x != "0.00"]
    for path, way in zip(bars, lab.values["weights"].T, strict=True):
        assert path.vertices[1::5, 0] == pytest.approx(way)
    lines = [m.get_ydata() for m in curves if isinstance(m, Line2D)]
    for way in lab.values["top"].T:
        assert any(np.array_equal(line, way, equal_nan=True) for line in lines)


def test_the_shade_of_a_cell_is_what_a_reader_of_the_png_sees(bench):
    seen = matplotlib.image.imread(io.BytesIO(png(bench)))
    for name, panel, (words, _) in drawn(bench):
        place = words.get_transform().transform([(0.06, 0.12)])[0]
        color = seen[len(seen) - round(place[1]), round(place[0])]
        value = abs(bench.values[name][0, 0])
        step = plots.step_of(value, panel["vmax"])
        assert to_hex(color).upper() == plots.shade(panel["palette"], step)[0], name


def test_masked_cells_are_hatched_without_a_number(bench):
    bench.controls["mask"].value = "causal"
    future = np.triu(np.ones((3, 3), bool), 1)
    for name, _, group in drawn(bench):
        masked = future if name in ("scaled", "weights") else np.zeros((9, 9), bool)
        for at, (fill, text) in cells(group).items():
            assert (fill is None) == (text is None) == masked[at]


def test_panels_of_one_group_stand_in_one_row_and_none_on_another(bench):
    places = {}
    for name, panel, (words, _) in drawn(bench):
        ends = [(0, 0), (len(panel["columns"]), len(panel["rows"]))]
        places[name] = words.get_transform().transform(ends)
    above = float("inf")
    for names in bench.view.groups:
        boxes = [places[name] for name in names]
        tops = [box[0, 1] for box in boxes]
        assert tops == pytest.approx([tops[0]] * len(tops))
        assert all(a[1, 0] < b[0, 0] for a, b in pairwise(boxes))
        assert tops[0] < above
        above = min(box[1, 1] for box in boxes)
    assert above > 0


def test_the_picture_carries_titles_steps_formulas_and_notes(bench):
    said = {word.text: word for word in plots.said(bench.picture())}
    words = [*said]
    for name, panel, _ in drawn(bench):
        step = f"{panel['step']}  " if panel["step"] else ""
        assert step + panel["title"] in words, name
        assert panel["formula"] in words
        title, formula = said[step + panel["title"]], said[panel["formula"]]
        if panel["formula"]:  # on one line
            assert (title.y, title.middle) == (formula.y, formula.middle)
        assert panel["note"] in " ".join(words)
    assert [w for w in words if "  " in w and w[:1].isdigit()] == [
        "1  scores",
        "2  scaled",
        "3  weights",
        "4  output",
    ]


@pytest.mark.parametrize(("count", "rows"), [(4, [2, 2]), (5, [3, 2]), (8, [3, 3, 2])])
def test_panels_that_do_not_fit_one_line_wrap_evenly(count, rows):
    words = {"rows": ["a"], "columns": list("abcde"), "axes": ("", "")}
    words["provenance"] = {"op": "softmax"}  # what explains it takes its column
    tables = [Matrix(name="x", title="x", size="large", **words) for _ in range(count)]
    part = lines_of(tables, {"x": np.ones((1, 5))})
    for _ in ("band", "view", "group"):
        [[part]] = part.lines
    assert [len(line) for line in part.lines] == rows


# ── words that do not fit ───────────────────────────────────────────────────────
@pytest.mark.parametrize("size", [3, 8])
@pytest.mark.parametrize("name", GALLERY)
def test_no_word_of_a_picture_lies_on_another(name, size):
    assert overlapping(covered(GALLERY[name].make(size).picture())) == []


@pytest.mark.parametrize("size", ["large", "small"])
@pytest.mark.parametrize("number", [-9999.99, 1234.5, -0.123, 1e300, -math.inf])
def test_a_number_of_any_size_stays_in_its_cell(number, size):
    words = {"rows": ["a", "b"], "columns": list("abcd"), "axes": ("", "")}
    panel = Matrix(name="x", title="x", size=size, digits=4, **words)
    picture = draw_picture([panel], {"x": np.full((2, 4), number)})
    texts = [w for w, _ in covered(picture) if w.text == plots.number(number, 4)]
    assert len(texts) == 8
    assert overlapping(covered(picture)) == []


@pytest.mark.parametrize("count", [3, 5, 9, 20])
def test_long_words_neither_meet_nor_reach_the_heading(count):
    words = [f"{n}Wolkenkratzerbauer" for n in range(count)]
    explorer = explorers.softmax_bench(np.zeros((count, count)), words, words)
    found = covered(explorer.picture())
    assert overlapping(found) == []
    upright = [(w.text, box) for w, box in found if w.angle]
    for text, box in upright:
        flat = [w.text for w, b in found if not w.angle and box.overlaps(b)]
        assert flat == [], text
    names = [w.text for w, _ in found if w.text.lstrip("0123456789").startswith("Wo")]
    assert names
    assert all(len(name) <= 14 for name in names)


@pytest.mark.parametrize("count", [5, 9, 20])
def test_no_word_leaves_the_picture_however_long(count):
    words = [f"{n}Wolkenkratzerbauer" for n in range(count)]
    picture = explorers.softmax_bench(np.zeros((count, count)), words, words).picture()
    wide, high = picture.get_size_inches() * picture.dpi
    for word, box in covered(picture):
        assert box.x0 > -2, word.text
        assert box.y0 > -2, word.text
        assert box.x1 < wide + 2, word.text
        assert box.y1 < high + 2, word.text


# ── letters that the font lacks ─────────────────────────────────────────────────
def test_a_letter_that_no_font_has_is_a_box_and_the_picture_says_so(only_our_font):
    explorer = explorers.attention_bench([[1]], [[1]], [[1]], ["注x"])
    words = [word.text for word in plots.said(explorer.picture())]
    assert words.count("□x") == 10  # rows of seven matrices, columns of three
    on_the_page = next(w.words for w in explorer.picture().findobj(Words) if w.words)
    [says] = [w for w in on_the_page if "no font of this machine has" in w.text]
    assert 0 < says.y < min(word.y for word in on_the_page if word != says)
    assert "注x" in explorer.text()


def test_a_picture_whose_letters_are_all_there_says_nothing_of_letters(bench):
    assert not any("font" in word.text for word in plots.said(bench.picture()))


def test_the_text_at_rest_holds_the_numbers_of_every_panel(bench):
    text = bench.text()
    assert "scale: on · temperature: 1.0 · mask: none" in text
    for number in ("0.40", "0.20", "0.25", "0.50", "3.41", "4.51"):
        assert number in text


def test_masked_cells_read_hidden_in_the_text(bench):
    bench.controls["mask"].value = "causal"
    assert bench.text().count("hidden") == 2 * 3
