"""Links: what the page is told, the text, and the still twin."""

import matplotlib
import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

from explorable import plots
from explorable.drawings.links import AttentionLinks
from explorable.drawings.matrix import Matrix
from explorable.explorer import Explorer
from explorable.picture import draw_picture
from explorable.sheet import Sheet

matplotlib.use("Agg")
WEIGHTS = np.array([[1.0, 0.0, 0.0], [0.25, 0.75, 0.0]])
HIDDEN = np.array([[False, True, True], [False, False, True]])


def shown(arrays, *drawings):
    """A sheet of these arrays and drawings."""
    sheet = Sheet()
    for name, values in arrays.items():
        sheet.keep(name, values)
    for drawing in drawings:
        sheet.draw(drawing)
    return sheet


def linked(weights=WEIGHTS, hidden=None, **more):
    T, S = weights.shape
    words = {
        "rows": [f"q{n}" for n in range(T)],
        "columns": [f"k{n}" for n in range(S)],
    }
    links = AttentionLinks(
        name="w", title="w", hidden=hidden, shares="tokens", **words, **more
    )
    return Explorer("linked", lambda: shown({"w": weights}, links))


def pictured(weights, hidden=None):
    rows, columns = ([f"{x}{n}" for n in range(weights.shape[x == "k"])] for x in "qk")
    links = AttentionLinks(
        name="w", title="w", hidden=hidden, rows=rows, columns=columns
    )
    return draw_picture([links], {"w": weights})


def lines(on):
    [links] = on.findobj(PathCollection)
    return links


def test_the_page_gets_the_weights_and_what_is_hidden():
    view = linked(hidden=HIDDEN).view
    assert view.layout_of == [["w", [2, 3]], ["w.hidden", [2, 3]]]
    sent = np.frombuffer(view.data).reshape(2, 2, 3)
    np.testing.assert_array_equal(sent, [WEIGHTS, HIDDEN])
    assert view.panels[0]["rows"] == ["q0", "q1"]
    assert view.panels[0]["shares"] == "tokens"


def test_the_text_names_a_hidden_link_as_such():
    text = linked(hidden=HIDDEN).text()
    assert "query ↓ key →" in text
    assert text.splitlines()[-1].split() == ["q1", "0.25", "0.75", "hidden"]
    assert "hidden" not in linked().text()


def test_the_twin_draws_one_line_for_each_weight_that_can_be_seen():
    figure = pictured(WEIGHTS, HIDDEN)
    assert len(lines(figure).get_paths()) == 3
    said = {word.text for word in plots.said(figure)}
    assert {"q0", "q1", "k0", "k1", "k2"} <= said


@pytest.mark.parametrize(("chosen", "arcs"), [({}, 3), ({"chosen": 0}, 1)])
def test_arcs_are_those_of_every_word_unless_one_is_chosen(chosen, arcs):
    words = {"rows": ["a", "b"], "columns": ["a", "b"]}
    links = AttentionLinks(name="w", title="w", arcs=True, **words, **chosen)
    weights = np.array([[1.0, 0.0], [0.25, 0.75]])
    drawn = lines(draw_picture([links], {"w": weights}))
    ends = [path.vertices[[0, -1], 0].tolist() for path in drawn.get_paths()]
    np.testing.assert_allclose(ends, [[0.2, 0.8], [1.5, 0.5], [1.2, 1.8]][:arcs])
    assert not drawn.get_clip_on()  # they may reach beyond the words


def test_a_larger_weight_is_a_wider_and_fuller_line():
    ax = plots.links([[0.1, 0.9]])
    faint, full = lines(ax).get_linewidth()
    assert faint < full
    (*_, faint), (*_, full) = lines(ax).get_edgecolor()
    assert faint < full


def test_a_hidden_link_is_not_drawn_even_where_it_has_a_weight():
    ax = plots.links([[0.5, 0.5]], hidden=[[False, True]])
    assert len(lines(ax).get_paths()) == 1


def test_a_weight_that_is_no_number_is_no_line():
    figure = pictured(np.array([[np.nan, 1.0]]))
    assert len(lines(figure).get_paths()) == 1


def test_a_word_that_ends_a_line_does_not_end_a_row_of_the_text():
    links = AttentionLinks(
        name="w", title="w", rows=["a\nb", "c"], columns=["\u2028", "d"]
    )
    assert len(links.text({"w": np.eye(2)}).splitlines()) == 4


@pytest.mark.parametrize(("T", "S"), [(1, 1), (1, 64), (64, 1), (64, 64), (3, 7)])
def test_links_of_every_size_can_be_shown_and_drawn(T, S):
    explorer = linked(np.full((T, S), 1 / S))
    assert len(np.frombuffer(explorer.view.data)) == T * S
    assert isinstance(explorer.picture(), Figure)


def test_a_word_is_text_and_never_tex():
    ax = plots.links([[1.0]], ["$x^$"], ["<b>"])
    assert [word.text for word in plots.said(ax)] == ["$x^$", "<b>"]
    ax.figure.canvas.draw()


@pytest.mark.parametrize(
    ("weights", "more", "reason"),
    [
        ([0.5, 0.5], {}, r"must be a matrix \(T, S\), got shape \(2,\)"),
        ([[1.5]], {}, "must be between 0 and 1, got 1.5"),
        ([[np.nan]], {}, "must be between 0 and 1, got nan"),
        ([[1.0]], {"queries": ["a", "b"]}, "queries must hold 1 labels, got 2"),
        ([[1.0]], {"hidden": [[True, False]]}, r"hidden must have shape \(1, 1\)"),
    ],
)
def test_what_cannot_be_drawn_as_links_is_refused(weights, more, reason):
    with pytest.raises(ValueError, match=reason):
        plots.links(weights, **more)


def carrying(rows, columns):
    """Links of words that carry two numbers each."""
    sides = {"rows": ["a", "b"], "columns": ["b", "a"], "axes": ("old", "new")}
    links = AttentionLinks(name="w", title="w", features=["1", "2"], **sides)
    return links, {"w": np.eye(2)[::-1], "w.rows": rows, "w.columns": columns}


def test_what_words_carry_is_written_beside_them_and_in_the_text():
    numbers = np.array([[0.25, -1.0], [2.0, 0.5]])
    links, arrays = carrying(numbers, numbers[::-1])
    assert links.text(arrays).splitlines()[1:] == [
        "old     1      2",
        "a    0.25  −1.00",
        "b    2.00   0.50",
        "new     1      2",
        "b    2.00   0.50",
        "a    0.25  −1.00",
    ]
    words = {word.text: word.x for word in plots.said(draw_picture([links], arrays))}
    assert {"0.25", "−1.00", "2.00", "0.50"} <= {*words}


def test_words_that_lack_the_numbers_that_they_carry_are_refused():
    links, arrays = carrying(np.ones((2, 2)), np.ones((2, 1)))
    with pytest.raises(ValueError, match=r"must be 2 × 2, got shape \(2, 1\)"):
        links.check(arrays)


def test_choosing_a_panel_sets_its_control():
    from explorable.controls import choice

    def sheet(*, head):
        kw = {"rows": ["a"], "columns": ["a"], "axes": ("query", "key")}
        chosen = [
            Matrix(name=f"h{h}", title=h, chooses=("head", h), chosen=h == head, **kw)
            for h in "12"
        ]
        panels = [*chosen, Matrix(name="plain", title="plain", **kw)]
        return shown({panel.name: np.ones((1, 1)) for panel in panels}, *panels)

    explorer = Explorer("choosing", sheet, {"head": choice("head", ["1", "2"])})
    explorer.view._answer(None, {"type": "choose", "panel": "h2"}, None)
    assert explorer.controls["head"].value == "2"
    assert explorer.view.live["h2"]["chosen"]
    assert not explorer.view.live["h1"]["chosen"]
    for name in ("plain", "none"):
        with pytest.raises(IndexError, match="must be of a panel to choose"):
            explorer.choose(name)
