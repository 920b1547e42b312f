"""Bars without a browser: what is refused, sent, written, and drawn at rest."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch

from explorable import plots
from explorable.drawings.bars import Bars
from explorable.drawings.bars.bars import LANE
from explorable.picture import draw_picture
from explorable.plots import as_png

VALUES = np.array([[0.5, -0.25], [2.0, np.nan], [0.0, -3.0]])
GOOD = {
    "name": "x",
    "title": "x",
    "labels": ["AI", "$x^$", "‮is"],
    "series": ["before", "after"],
    "hues": ["query", "key"],
    "scale": (-1.0, 1.0),
}


def drawn(**changed):
    return draw_picture([Bars(**{**GOOD, **changed})], {"x": VALUES})


def rectangles(figure):
    """Of each series, its bars as (x, y, width)."""
    series = figure.findobj(
        lambda a: isinstance(a, PathPatch) and len(a.get_path()) > 4
    )
    boxes = [patch.get_path().vertices.reshape(-1, 5, 2) for patch in series]
    return [[(*box[0], box[1, 0] - box[0, 0]) for box in of] for of in boxes]


def said(figure):
    return [word.text for word in plots.said(figure)]


def test_a_bar_reaches_from_zero_to_its_number_or_to_the_end_of_the_scale():
    before, after = rectangles(drawn())
    assert [width for _, _, width in before] == [0.5, 1.0, 0.0]
    assert [width for _, _, width in after] == [-0.25, 0.0, -1.0]
    assert {x for x, _, _ in before + after} == {0.0}
    lines = drawn().findobj(Line2D)
    arrows = [a for a in lines if a.get_marker() in "<>" and len(a.get_xdata())]
    assert [(a.get_marker(), *a.get_xdata()) for a in arrows] == [
        (">", 1.0),
        ("<", -1.0),
    ]


def test_a_number_stands_past_the_end_of_its_bar_and_not_on_it():
    """That of a bar to the left once stood at the right of zero, as if it were more."""
    words = {word.text: word for word in plots.said(drawn())}
    for text, end in (("0.50", 0.5), ("2.00", 1.0), ("−0.25", -0.25), ("−3.00", -1.0)):
        word = words[text]
        assert (word.x, word.align) == (end, end < 0)
        assert word.dx * end > 0


def test_bars_stand_in_reading_order_and_those_of_one_hue_differ_in_their_filling():
    before, after = rectangles(drawn())
    tops = [bar[1] for pair in zip(before, after, strict=True) for bar in pair]
    assert tops == sorted(tops)
    same = drawn(hues=["query", "query"]).findobj(PathPatch)
    assert [patch.get_hatch() or "" for patch in same] == list(plots.HATCHES[:2])
    other = drawn(hues=["query", "key"]).findobj(PathPatch)
    assert [patch.get_hatch() or "" for patch in other] == ["", ""]


def legend(figure):
    """The texts of the legend, if there is one."""
    return [t.get_text() for one in figure.legends for t in one.get_texts()]


def test_every_bar_says_its_number_and_a_legend_whose_it_is():
    texts = said(drawn())
    for text in ("0.50", "−0.25", "2.00", "NaN", "0.00", "−3.00"):
        assert texts.count(text) == 1, text
    assert legend(drawn()) == ["before", "after"]


@pytest.mark.parametrize("name", ["", "share"])
def test_bars_of_one_kind_need_no_legend(name):
    bars = Bars(name="x", title="x", labels=["a"], series=[name], palette="query")
    assert legend(draw_picture([bars], {"x": np.ones((1, 1))})) == []


@pytest.mark.parametrize("wide", [8, 21])
def test_a_legend_takes_the_lines_that_its_names_need(wide):
    look = {"series": [*"abcdef"], "hues": ["key"] * 6, "wide": wide}
    bars = Bars(name="x", title="x", labels=["x"], **look)
    figure = draw_picture([bars], {"x": np.ones((1, 6))})
    figure.canvas.draw()
    [box] = [one.get_window_extent() for one in figure.legends]
    assert box.width / figure.dpi < LANE * wide + 0.3
    room = plots.legend_height(look["series"], LANE * wide)
    assert box.height / figure.dpi == pytest.approx(room, abs=0.1)


def test_markup_in_labels_is_text_in_the_picture_too():
    assert "$x^$" in said(drawn())
    assert as_png(drawn(digits=0))


def test_the_text_form_has_a_line_per_label_and_a_column_per_series():
    lines = Bars(**GOOD, measure="share").text({"x": VALUES}).splitlines()
    assert lines[0] == "x · share"
    assert lines[1].split() == ["before", "after"]
    assert lines[2].split() == ["AI", "0.50", "−0.25"]
    one = Bars(name="x", title="x", labels=["a"], palette="query")
    assert one.text({"x": np.array([[0.5]])}) == "x\na  0.50"


@pytest.mark.parametrize("count", [1, 24, 64])
def test_a_picture_of_1_to_64_labels_stays_within_a_page(count):
    bars = Bars(name="x", title="x", labels=[str(n) for n in range(count)])
    figure = draw_picture([bars], {"x": np.ones((count, 1))})
    assert figure.get_size_inches()[1] <= 12
    assert ("1.00" in said(figure)) == bars.roomy


@pytest.mark.parametrize(
    ("longest", "least", "room"),
    [(0, 4, 4), (4, 4, 4), (5, 4, 8), (5, 12, 12), (13, 4, 16), (40, 4, 16)],
)
def test_labels_have_room_in_fours_up_to_16(longest, least, room):
    labels = ["a"[:longest], "b" * longest]
    assert Bars(name="x", title="x", labels=labels, least=least).room == room


def test_there_are_up_to_six_series_each_with_its_own_hatching():
    names = [*"abcdef"]
    bars = Bars(name="x", title="x", labels=["x"], series=names, hues=["key"] * 6)
    figure = draw_picture([bars], {"x": np.ones((1, 6))})
    hatches = [patch.get_hatch() or "" for patch in figure.findobj(PathPatch)]
    assert hatches == list(plots.HATCHES)


def test_a_scale_is_as_wide_as_it_is_asked_to_be():
    wide = [Bars(**GOOD, wide=em).at_rest({"x": VALUES}).size[0] for em in (10, 20)]
    assert wide[1] == 2 * wide[0]


@pytest.mark.parametrize("digits", [2, None], ids=["roomy", "slim"])
def test_a_long_name_of_a_series_or_a_guide_is_cut_short(digits):
    long = "w" * 200
    look = {"series": [long, "short"], "hues": ["key", "query"]}
    area = plots.bars([[0.5, 1]], ["x"], guide=(0.5, long), digits=digits, **look)
    texts = [text.get_text() for text in area.on.get_legend().get_texts()]
    texts += said(area.on)
    assert texts.count(long[:13] + "…") == 2
    assert max(map(len, texts)) == 14
    bars = Bars(name="x", title="x", labels=["x"], **look)
    assert draw_picture([bars], {"x": np.ones((1, 2))}).get_size_inches()[0] < 8


def test_slim_bars_have_a_legend_that_holds_any_name_as_text():
    names = ["$x^$", "<b>", "注"]
    hues = ["query", "key", "value"]
    values, labels = np.ones((64, 3)), ["x"] * 64
    bars = Bars(name="x", title="x", labels=labels, series=names, hues=hues)
    figure = draw_picture([bars], {"x": values})
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        plots.drawable(name) for name in names
    ]
    assert as_png(figure)


def test_the_scale_moves_without_a_new_frame_and_so_does_a_label():
    bars, other = Bars(**GOOD), Bars(**{**GOOD, "scale": (0, 9), "labels": [*"abc"]})
    assert bars.frame() == other.frame()
    assert other.live()["labels"] == ["a", "b", "c"]
    assert [text for _, text in other.live()["ticks"]] == ["0", "2", "4", "6", "8"]


@pytest.mark.parametrize(
    ("scale", "texts"),
    [
        ((-0.5, 1.0), ["−0.5", "0", "0.5", "1"]),
        ((0.0, 1.0), ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        ((-2e5, 0.0), ["−2.00e5", "−1.50e5", "−1.00e5", "−5.00e4", "0"]),
        ((0.0, 100.0), ["0", "20", "40", "60", "80", "100"]),
    ],
)
def test_the_scale_is_marked_with_round_numbers(scale, texts):
    assert [plots.plain(t) for t in plots.ticks(scale)] == texts


@pytest.mark.parametrize(
    ("changed", "naming"),
    [
        ({"labels": ["w"] * 65}, "labels must be at most 64, got 65"),
        ({"labels": []}, r"a label and a series, got \(0, 2\)"),
        ({"series": [], "hues": []}, r"a label and a series, got \(3, 0\)"),
        ({"guide": (1.5, "off")}, r"guide must lie on the scale .*, got 1.5"),
        ({"guide": (np.nan, "none")}, "guide must lie on the scale .*, got nan"),
        ({"series": list("abcdefg"), "hues": ["key"] * 7}, "at most 6, got 7"),
        ({"hues": ["query"]}, r"hues must be 2 of .*, got \['query'\]"),
        ({"hues": ["query", "pink"]}, "hues must be 2 of .*'pink'"),
        ({"scale": (0.5, 1.0)}, r"0 on it, got \(0.5, 1.0\)"),
        ({"scale": (0.0, 0.0)}, "0 on it"),
        ({"scale": (0.0, np.inf)}, "scale must be finite"),
        ({"scale": (np.nan, 1.0)}, "scale must be finite"),
    ],
)
def test_what_cannot_be_drawn_is_refused(changed, naming):
    with pytest.raises(ValueError, match=naming):
        Bars(**{**GOOD, **changed})


@pytest.mark.parametrize("end", [0, 1])
def test_a_guide_may_stand_at_an_end_of_the_scale(end):
    scale = GOOD["scale"]
    assert Bars(**{**GOOD, "guide": (scale[end], "here")}).guide == (scale[end], "here")


def test_bars_can_be_drawn_alone():
    area = plots.bars([[0.25], [0.75]], ["no", "yes"], guide=(0.5, "chance"))
    assert "chance" in said(area.on)
    area.on.figure.canvas.draw()
    with pytest.raises(ValueError, match=r"shape \(1, 1\), got \(2,\)"):
        plots.bars([0.25, 0.75], ["no"])


HIDDEN = np.array([[False, True], [False, False], [True, False]])


def test_a_bar_that_is_hidden_says_so_and_no_number():
    bars = Bars(**GOOD, hidden=HIDDEN, masked_text="cut")
    assert [line[1:] for line in bars.table({"x": VALUES})[1:]] == [
        ["0.50", "cut"],
        ["2.00", "NaN"],
        ["cut", "−3.00"],
    ]
    texts = said(drawn(hidden=HIDDEN, masked_text="cut"))
    assert texts.count("cut") == 2
    assert "−0.25" not in texts


def test_what_is_hidden_has_the_shape_of_the_numbers():
    bars = Bars(**GOOD, hidden=HIDDEN[:2])
    with pytest.raises(ValueError, match="hidden must have the array's shape"):
        bars.check({"x": VALUES})


def test_the_bars_of_all_others_are_gray_at_rest():
    look = {**GOOD, "series": ("",), "hues": ("query",), "rest": True}
    figure = draw_picture([Bars(**look)], {"x": VALUES[:, :1]})
    own, others = [len(boxes) for boxes in rectangles(figure)]
    assert (own, others) == (2, 1)
    gray = figure.findobj(PathPatch)[-1].get_facecolor()[:3]
    assert len(set(gray)) == 1


def dotted(values, **look):
    count = values.shape[1]
    series, labels = [*"abc"[:count]], [f"row {n}" for n in range(len(values))]
    bars = Bars(name="x", title="x", dots=True, labels=labels, series=series, **look)
    return draw_picture([bars], {"x": values})


def test_dots_of_a_label_lie_on_one_line_with_its_least_and_greatest_number():
    values = np.array([[0.9, 0.5, 0.25], [0.7, 0.7, 0.7], [np.nan] * 3])
    figure = dotted(values)
    lines = [line.get_data() for line in figure.findobj(Line2D)]
    places = [(x[0], y[0]) for x, y in lines if len(x) == 1]
    assert places == [(x, row + 0.5) for row in (0, 1) for x in values[row].tolist()]
    assert {"0.90", "0.25", "0.70"} <= {*said(figure)}
    assert "0.50" not in said(figure)
    assert said(figure).count("0.70") == 1


def test_a_faint_label_has_gray_dots():
    for faint, hues in (((), ["weights"]), ((True, False), ["weights", "reference"])):
        lines = dotted(np.ones((2, 2)), faint=faint).findobj(Line2D)
        dots = [d for d in lines if d.get_marker() == "o" and len(d.get_xdata())]
        wanted = {plots.HUES[hue] for hue in hues}
        assert {dot.get_markeredgecolor() for dot in dots} == wanted


def test_bars_that_others_are_compared_with_are_hollow():
    hues = ["query", "reference"]
    figure = drawn(hues=hues)
    bars = figure.findobj(lambda a: isinstance(a, PathPatch) and len(a.get_path()) > 4)
    fills = [to_hex(bar.get_facecolor()).upper() for bar in bars]
    assert fills == [plots.HUES["query"], plots.PAPER["light"]]
