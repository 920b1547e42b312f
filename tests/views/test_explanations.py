"""Every operation, over every shape that broadcasts, is explained by Python's numbers.

The page is told what made a matrix and of which arrays; the boxes it shows, each with
its sign, and the cells it outlines, are compared with what NumPy says of the arrays.
"""

import itertools

import numpy as np
import pytest
from explanations import SIGNS
from gallery import GALLERY
from playwright.sync_api import expect

from course import explorers
from explorable import plots
from explorable.drawings.matrix import Matrix
from explorable.views import view_in

T, S = 3, 4
SHAPES = [(T, S), (T, 1), (1, S), (1, 1)]
PAIRS = list(itertools.product(SHAPES, SHAPES))
READ = """() => Object.fromEntries(
    [...document.querySelectorAll("td[data-panel=result]")].map((td) => {
        td.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
        const chips = [...document.querySelectorAll(".tl-chip")].map((chip) =>
            [...chip.children].map((part) => part.textContent));
        const operands = [...document.querySelectorAll(".tl-operand")].map((at) =>
            `${at.dataset.panel} ${at.dataset.row} ${at.dataset.column}`);
        return [`${td.dataset.row} ${td.dataset.column}`, { chips, operands }];
    }))"""


@pytest.fixture
def explained(page):
    """`explained(made, **arrays)`: the boxes and operands of each cell of `result`."""

    def show(made, undrawn=(), looks=None, **arrays):
        arrays = {
            name: np.atleast_2d(np.asarray(x, float)) for name, x in arrays.items()
        }
        drawn = {n: x for n, x in arrays.items() if n not in undrawn}
        view = view_in(Matrix.folder())(edit=print, choose=print, refuse=print)
        view.panels = [frame(n, x) | (looks or {}).get(n, {}) for n, x in drawn.items()]
        view.groups = [list(drawn)]
        view.live = {n: LIVE | {"provenance": record("leaf")} for n in drawn}
        view.live = view.live | {"result": LIVE | {"provenance": made}}
        view.layout_of = [[n, list(x.shape)] for n, x in arrays.items()]
        view.data = b"".join(x.tobytes() for x in arrays.values())
        page.draw(view)
        found = page.page.evaluate(READ)
        places = {tuple(map(int, at.split())): cell for at, cell in found.items()}
        assert set(places) == set(np.ndindex(arrays["result"].shape))
        return {
            at: ([tuple(chip) for chip in cell["chips"]], set(cell["operands"]))
            for at, cell in places.items()
        }

    return show


def record(op, *inputs, labels=(), **params):
    """How a table was made, as the page is told."""
    return {"op": op, "inputs": [*inputs], "labels": [*labels], "params": params}


FRAME = {"palette": "weights", "digits": 2, "step": 0, "shares": "", "words": []}
FRAME |= {
    "axes": ["row", "column"],
    "editable": False,
    "toggles": "",
    "masked_text": "",
}
FRAME |= {"size": "large", "chooses": False, "longest": "", "decimals": 0}
FRAME |= {"row_pictures": [], "column_pictures": []}
LIVE = {
    "sources": [],
    "formula": "",
    "sentence": "",
    "note": "",
    "vmax": 1.0,
    "chosen": False,
}


def frame(name, x):
    """What a panel tells the page of its array."""
    rows, columns = np.shape(x)
    return {
        **FRAME,
        "name": name,
        "title": name,
        "rows": [f"r{n}" for n in range(rows)],
        "columns": [f"c{n}" for n in range(columns)],
    }


def draw(shape, seed):
    """Numbers that differ all over, so that a wrong one is seen."""
    return np.random.default_rng(seed).uniform(0.1, 9, shape).round(3)


MORE = range(4)  # digits that terms and factors may have besides their own


def said(x, digits=2):
    return plots.number(float(x), digits)


def alone(x, digits=2):
    """A number as in its cell, or with as many decimals as tell two of its digits."""
    if significant(said(x, digits)) > 1:
        return said(x, digits)
    exact = [said(x, n) for n in range(digits + 1, 5) if said(x, n)[-1] != "0"]
    two = [text for text in exact if significant(text) > 1]
    return [*two, *exact, said(x, digits)][0]


def significant(text):
    """How many digits a number has, without the zeros before it."""
    return len("".join(filter(str.isdigit, text)).lstrip("0"))


def name_at(name, x, row, column):
    """Which cell stands for this place in an array that may be broadcast."""
    rows, columns = x.shape
    return f"{name} {row if rows > 1 else 0} {column if columns > 1 else 0}"


def over(x, shape=(T, S)):
    return np.broadcast_to(x, shape)


@pytest.mark.parametrize(("one", "two"), PAIRS)
@pytest.mark.parametrize("op", ["elementwise", "mask", "fill"])
def test_two_operands_are_said_as_numpy_broadcasts_them(op, one, two, explained):
    a, b = draw(one, 1), draw(two, 2)
    result = over(a) - over(b)
    made = record(op, "a", "b", labels=["x", "− as written"], steps=[["−", None]])
    done = op == "elementwise"
    second = ("−", "as written") if done else (",", "− as written")
    for at, (chips, operands) in explained(made, a=a, b=b, result=result).items():
        ends = "=" if done else "→", "", said(result[at])
        x, y = over(a)[at], over(b)[at]
        if done:
            tries = [[("", "x", exactly(x, n)), (*second, exactly(y, n))] for n in MORE]
            assert chips == with_end(tries, ends)
        else:
            assert chips == [("", "x", said(x)), (*second, said(y)), ends]
        assert operands == {name_at("a", a, *at), name_at("b", b, *at)}


@pytest.mark.parametrize(("one", "two"), PAIRS)
def test_the_same_number_is_said_in_each_array_and_without_a_result(
    one, two, explained
):
    a, b = draw(one, 1), draw(two, 2)
    made = record("exp of something", "a")
    made["also"] = {"inputs": ["a", "b", "result"], "labels": ["x", "y", "z"]}
    shown = explained(made, a=a, b=b, result=over(a))
    for at, (chips, operands) in shown.items():
        numbers = over(a)[at], over(b)[at], over(a)[at]
        assert chips == [
            ("", *one) for one in zip("xyz", map(said, numbers), strict=True)
        ]
        places = {name_at("a", a, *at), name_at("b", b, *at)}
        assert operands == places | {"result {} {}".format(*at)}


@pytest.mark.parametrize(("one", "two"), PAIRS)
@pytest.mark.parametrize("transposed", [False, True])
def test_a_sum_of_products_is_said_product_by_product(transposed, one, two, explained):
    """Rows of `a` with rows of `b`; or with its columns."""
    a, b = draw(one, 1), draw(two if transposed else two[::-1], 2)
    length = max(one[1], two[1])
    left = over(a, (T, length))
    right = over(b if transposed else b.T, (T, length))
    result = left @ right.T
    made = record("matmul", "a", "b", transposed=transposed)
    for (row, column), (chips, operands) in explained(
        made, a=a, b=b, result=result
    ).items():
        x, y = left[row], right[column]
        assert chips == with_end(
            [products(x, y, n) for n in MORE], ("=", "", said(x @ y))
        )
        places = [(column, k) if transposed else (k, column) for k in range(length)]
        assert operands == {name_at("a", a, row, k) for k in range(length)} | {
            name_at("b", b, *at) for at in places
        }


def products(x, y, more=0):
    """The boxes of x · y in so many more digits: after the first, each with a plus.

    Factors have as many digits as it takes to come to the products that are shown.
    """
    pairs = list(zip(x, y, strict=True))
    tries = [[[exactly(v, n), exactly(w, n)] for v, w in pairs] for n in MORE]
    right = (one for one in tries if is_true(one, pairs, 2 + more))
    found = next(right, tries[more])
    return [
        ("+" if k else "", " × ".join(factors), said(v * w, 2 + more))
        for k, (factors, (v, w)) in enumerate(zip(found, pairs, strict=True))
    ]


def with_end(tries, end):
    """The first boxes that lead, as shown, to the end, or else the first; the end."""
    right = (boxes for boxes in tries if comes_to(boxes, end[-1]))
    return [*next(right, tries[0]), end]


def comes_to(boxes, end):
    """Whether one step after another leads a reader to the number that is shown."""
    (*_, first), *steps = boxes
    x = read(first)
    for sign, _, text in steps:
        x = SIGNS[sign[-1]](x, read(text))
    return said(x, len(end.partition(".")[2])) == end


def exactly(x, more):
    """A number with so many more digits, unless two say it all."""
    return said(x) if read(said(x)) == x else f"{x:.{2 + more}f}".replace("-", "−")


def read(text):
    return float(text.replace("−", "-").replace(",", ""))


def is_true(shown, pairs, digits):
    return all(
        said(read(a) * read(b), digits) == said(v * w, digits)
        for (a, b), (v, w) in zip(shown, pairs, strict=True)
    )


def test_a_product_is_that_of_the_factors_that_are_shown(explained):
    """0.50 × 6.00 = 2.99 is what a reader takes for a mistake."""
    a, b = np.array([[0.4984, 0.0025]]), np.array([[6.0, 4.0]])
    made = record("matmul", "a", "b", transposed=True)
    [(chips, _)] = explained(made, a=a, b=b, result=a @ b.T).values()
    assert [above for _, above, _ in chips[:2]] == ["0.498 × 6.00", "0.003 × 4.00"]


@pytest.mark.parametrize("more", [1, 2, 3])
def test_a_factor_has_as_many_digits_as_its_product_needs(more, explained):
    a, b = np.array([[0.49 / 10**more]]), np.array([[10.0**more]])
    made = record("matmul", "a", "b", transposed=True)
    [(chips, _)] = explained(made, a=a, b=b, result=a @ b.T).values()
    factors = f"{a[0, 0]:.{2 + more}f} × {b[0, 0]:,.2f}"
    assert chips == [("", factors, "0.49"), ("=", "", "0.49")]


def test_a_sum_is_that_of_the_terms_that_are_shown(explained):
    """0.22 + 1.18 + 3.58 = 4.97 is what a reader takes for a mistake."""
    a, b = np.array([[0.1088, 0.2939, 0.5967]]), np.array([[2.0, 4.0, 6.0]])
    made = record("matmul", "a", "b", transposed=True)
    [(chips, _)] = explained(made, a=a, b=b, result=a @ b.T).values()
    assert [text for *_, text in chips] == ["0.218", "1.176", "3.580", "4.97"]
    made = record("reduce", "a", how="sum")
    [(chips, _)] = explained(made, a=a / 2, result=a.sum(1, keepdims=True) / 2).values()
    assert [text for *_, text in chips] == ["0.05", "0.15", "0.30", "0.50"]


def test_a_sum_of_ten_thousand_has_the_power_of_ten_in_every_term(explained):
    a = np.array([[4000.0, 6000.0]])
    made = record("reduce", "a", how="sum")
    [(chips, _)] = explained(made, a=a, result=a.sum(1, keepdims=True)).values()
    assert [text for *_, text in chips] == ["0.40e4", "0.60e4", "1.00e4"]


def test_a_score_is_said_product_by_product_and_then_its_scale(explained):
    a, b = draw((T, 2), 1), draw((S, 2), 2)
    steps = [["÷", 2.0]]
    made = record("matmul", "a", "b", labels=["÷ √4"], transposed=True, steps=steps)
    shown = explained(made, a=a, b=b, result=a @ b.T / 2)
    for (row, column), (chips, _) in shown.items():
        ends = ("=", "", said(a[row] @ b[column] / 2))
        by = (") ÷", "√4", "2.00")
        tries = [[*products(a[row], b[column], n), by] for n in MORE]
        [(_, *first), *rest] = with_end(tries, ends)
        assert chips == [("(", *first), *rest]


@pytest.mark.parametrize("bias", [False, True])
def test_a_row_times_a_matrix_is_said_product_by_product_and_then_its_bias(
    bias, explained
):
    x, W, b = draw((T, 2), 1), draw((2, S), 2), draw((1, S), 3)
    arrays = {"x": x, "W": W} | ({"b": b} if bias else {})
    result = x @ W + (b if bias else 0)
    shown = explained(record("matmul", *arrays), **arrays, result=result)
    for (r, c), (chips, operands) in shown.items():
        tries = [products(x[r], W[:, c], n) for n in MORE]
        if bias:
            tries = [
                [*t, ("+", "bias", said(b[0, c], 2 + n))] for n, t in enumerate(tries)
            ]
        assert chips == with_end(tries, ("=", "", said(result[r, c])))
        places = {f"x {r} 0", f"x {r} 1", f"W 0 {c}", f"W 1 {c}"}
        assert operands == places | ({f"b 0 {c}"} if bias else set())


def test_of_many_products_the_first_are_said_and_the_rest_added_up(explained):
    a, b = draw((1, 20), 1), draw((1, 20), 2)
    made = record("matmul", "a", "b", transposed=True)
    [(chips, _)] = explained(made, a=a, b=b, result=a @ b.T).values()
    rest = a[0, 8:] @ b[0, 8:]
    tries = [
        [*products(a[0, :8], b[0, :8], n), ("+", "12 more", said(rest, 2 + n))]
        for n in MORE
    ]
    assert chips == with_end(tries, ("=", "", said(a[0] @ b[0])))


def test_of_products_that_are_mostly_0_the_others_are_said(explained):
    """Such as those of a one-hot vector: eleven boxes of 0 hid the one that counts."""
    one_hot, E = np.eye(12)[[6]], draw((12, 2), 1)
    made = record("matmul", "a", "E")
    shown = explained(made, a=one_hot, E=E, result=one_hot @ E)
    for (r, c), (chips, operands) in shown.items():
        number = said(E[6, c])
        [product] = products([1.0], [E[6, c]])
        assert chips == [product, ("+", "11 more", "0.00"), ("=", "", number)]
        assert operands == {f"a {r} 6", f"E 6 {c}"}


@pytest.mark.parametrize("op", ["matmul", "reduce"])
def test_the_terms_of_a_large_sum_have_one_power_of_ten(op, explained):
    a, b = np.array([[2e4, 30.0, 0.0, -4e4]]), np.ones((1, S))
    result = (a @ b.T) if op == "matmul" else a.sum(1, keepdims=True)
    made = {"matmul": record(op, "a", "b", transposed=True)}
    made["reduce"] = record(op, "a", how="sum")
    [(chips, _)] = explained(made[op], a=a, b=b, result=result).values()
    assert [text for *_, text in chips] == [
        "2.00e4",
        "0.00e4",
        "0",
        "−4.00e4",
        "−2.00e4",
    ]


def test_a_cell_whose_word_says_nothing_is_explained_by_its_number(explained):
    """Such as a weight that is exactly 0: it was once a product without a factor."""
    a, b = np.array([[0.0, 1.0]]), np.array([[3.0, 4.0]])
    made = record("matmul", "a", "b", transposed=True)
    looks = {"a": {"words": [" "]}}
    [(chips, _)] = explained(made, looks=looks, a=a, b=b, result=a @ b.T).values()
    assert [above for _, above, _ in chips] == ["0.00 × 3.00", "1.00 × 4.00", ""]


def test_tables_side_by_side_say_whose_a_cell_is(explained):
    one, two = draw((T, 1), 1), draw((T, 3), 2)
    made = record("concat", "one", "two", labels=["head 1", "head 2"])
    result = np.concatenate([one, two], axis=1)
    shown = explained(made, one=one, two=two, result=result)
    for (r, c), (chips, operands) in shown.items():
        head, at = ("one", 0) if c == 0 else ("two", c - 1)
        number = said(result[r, c])
        assert chips == [("", f"head {1 + (c > 0)}", number), ("=", "", number)]
        assert operands == {f"{head} {r} {at}"}


def test_side_by_side_what_is_not_drawn_is_explained_in_its_place(explained):
    """The outputs of heads were said as numbers that came from nowhere."""
    a, V, two = draw((T, S), 1), draw((S, 2), 2), draw((T, 1), 3)
    made = record("concat", "one", "two", labels=["head 1", "head 2"])
    made["parts"] = [record("matmul", "a", "V"), record("leaf")]
    arrays = {"one": a @ V, "two": two, "a": a, "V": V}
    result = np.hstack([a @ V, two])
    shown = explained(made, ["one", "two"], **arrays, result=result)
    for (r, c), (chips, operands) in shown.items():
        number = said(result[r, c])
        if c == 2:
            assert chips == [("", "head 2", number), ("=", "", number)]
            continue
        assert chips == with_end(
            [products(a[r], V[:, c], n) for n in MORE], ("=", "", number)
        )
        every = [(f"a {r} {k}", f"V {k} {c}") for k in range(S)]
        assert operands == {place for pair in every for place in pair}


def test_a_row_that_was_picked_says_from_where(explained):
    a = draw((T, S), 1)
    made = record("pick", "a", labels=["Q"], rows=[2, 0])
    for (r, c), (chips, operands) in explained(made, a=a, result=a[[2, 0]]).items():
        number = said(a[[2, 0][r], c])
        assert chips == [("", "Q", number), ("=", "", number)]
        assert operands == {f"a {[2, 0][r]} {c}"}


def test_the_row_of_a_network_s_output_outlines_the_hidden_units_that_it_sums(page):
    """They are in the row of its token; the weights alone were once outlined."""
    page.draw(GALLERY["feed_forward"].make(4))
    *_, operands = page.explanation("y", 0, 2)
    wanted = {("hidden", 0, k) for k in range(4)} | {("W_2", k, 2) for k in range(4)}
    assert {*map(tuple, operands)} == wanted | {("b_2", 0, 2)}


def test_what_a_number_is_made_of_is_outlined_where_it_stands_beside_others(page):
    """Mean and root of a row stand in one table, as columns."""
    page.draw(explorers.layer_norm_lab([[7, 1, 1, -1], [0, 2, 2, 0]]))
    *_, operands = page.explanation("z", 1, 2)
    wanted = {("x", 1, 2), ("moments", 1, 0), ("moments", 1, 2)}
    assert {*map(tuple, operands)} == wanted


def test_a_quotient_beside_the_panels_is_a_fraction_without_parentheses(page):
    page.draw(explorers.layer_norm_lab([[7, 1, 1, -1], [0, 2, 2, 0]]))
    page.explanation("z", 0, 0)
    signs = page.find(".tl-why:visible .tl-operator")
    assert signs.all_text_contents() == ["(", "−", ") ÷", "="]  # for who copies them
    assert signs.all_inner_texts() == ["", "−", "÷", "="]
    rule = page.find(".tl-why:visible .tl-divided")
    expect(rule).to_have_css("border-top-width", "1px")


@pytest.mark.parametrize("shape", SHAPES)
def test_one_operand_is_said_before_what_was_done_to_it(shape, explained):
    a, b = draw(shape, 1), draw(shape, 2)
    steps = [["÷", 2.0], ["+", 1e-5], ["×", None]]
    labels = ["score", "÷ √d_k", "+ ε", "× γ"]
    boxes = [("÷", "√d_k", "2.00"), ("+", "ε", "1.00e−5")]
    for params, result, ends in [
        ({}, a, ("=", "")),
        ({"function": "exp"}, np.exp(a), ("→", "exp")),
        ({"steps": steps}, a / 2 * b, ("=", "")),
        ({"steps": steps, "function": "√"}, np.sqrt(a), ("→", "√")),
    ]:
        stepped = "steps" in params
        made = record("elementwise", *"ab"[: 1 + stepped], labels=labels, **params)
        shown = explained(made, a=a, b=b, result=over(result))
        for at, (chips, operands) in shown.items():
            x, y, so = over(a)[at], over(b)[at], over(result)[at]
            more = 0
            if stepped and "function" not in params:
                come = [said(stepped_as_shown(x, y, n)) == said(so) for n in range(4)]
                more = come.index(True) if any(come) else 0
            then = [*boxes, (") ×", "γ", exactly(y, more))] * stepped
            first = ("(" * stepped, "score", exactly(x, more))
            last = (*ends, said(over(result)[at]))
            assert chips == [first, *then, last]
            places = {name_at("a", a, *at)}
            assert operands == places | ({name_at("b", b, *at)} if stepped else set())


def stepped_as_shown(x, y, more):
    """What a reader gets for (x ÷ 2 + 0.00001) × y from numbers with more digits."""
    return (read(exactly(x, more)) / 2 + 1e-5) * read(exactly(y, more))


@pytest.mark.parametrize(("sign", "b"), [("÷", 0.5246), ("×", 1.9062)])
def test_a_quotient_or_a_product_is_that_of_the_numbers_shown(sign, b, explained):
    """0.88 ÷ 0.52 = 1.67 is what a reader takes for a mistake: it is 1.69."""
    a, by = np.array([[0.8758]]), np.array([[b]])
    result = a / by if sign == "÷" else a * by
    made = record("elementwise", "a", "by", labels=["x", f"{sign} by"])
    made["params"]["steps"] = [[sign, None]]
    [(chips, _)] = explained(made, a=a, by=by, result=result).values()
    assert chips == [("", "x", "0.876"), (sign, "by", f"{b:.3f}"), ("=", "", "1.67")]


@pytest.mark.parametrize("wide", [3, 9])
def test_what_is_done_to_few_products_is_said_with_them(wide, explained):
    """ "sum 2.00 → ReLU 2.00" said nothing of where the sum had come from."""
    x, W, b = draw((T, wide), 1) - 4, draw((wide, 2), 2), draw((1, 2), 3)
    product, sums = x @ W, x @ W + b
    made = record("elementwise", "sums", labels=["sum"], function="ReLU")
    plus = record("elementwise", "product", "b", labels=["x W", "+ b"])
    plus["params"]["steps"] = [["+", None]]
    plus["parts"] = [record("matmul", "x", "W")]
    made["parts"] = [plus]
    arrays = {"x": x, "W": W, "b": b, "product": product, "sums": sums}
    result = np.maximum(sums, 0)
    shown = explained(made, ["product", "sums"], **arrays, result=result)
    for (r, c), (chips, operands) in shown.items():
        ends = ("→", "ReLU", said(result[r, c]))
        if wide > 8:
            assert chips == [("", "sum", said(sums[r, c])), ends]
            continue
        tries = [products(x[r], W[:, c], n) for n in MORE]
        *terms, _ = with_end(tries, ("=", "", said(product[r, c])))
        assert chips == [*terms, ("+", "b", said(b[0, c])), ends]
        every = [(f"x {r} {k}", f"W {k} {c}") for k in range(wide)]
        assert operands == {f"b 0 {c}", *(place for pair in every for place in pair)}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("how", ["sum", "mean"])
def test_a_row_s_sum_and_its_mean_are_said_number_by_number(how, shape, explained):
    a = draw(shape, 1)
    result = getattr(a, how)(axis=1, keepdims=True)
    shown = explained(record("reduce", "a", how=how), a=a, result=over(result, (T, 1)))
    for (row, _), (chips, operands) in shown.items():
        numbers = over(a, (T, shape[1]))[row]
        many = len(numbers) > 1
        by = [(") ÷" if many else "÷", "", str(len(numbers)))] * (how == "mean")
        tries = [
            [("+" * (k > 0), f"c{k}", said(x, 2 + n)) for k, x in enumerate(numbers)]
            + by
            for n in MORE
        ]
        ends = ("=", "", said(getattr(numbers, how)()))
        first, *rest = with_end(tries, ends)
        assert chips == [("(" * (many and bool(by)), *first[1:]), *rest]
        assert operands == {name_at("a", a, row, k) for k in range(shape[1])}


def test_a_row_s_mean_is_said_in_each_of_its_columns(explained):
    """Read as if it had as many columns as the row, it once was another row's."""
    x = np.arange(12.0).reshape(3, 4)
    mean = x.mean(axis=1, keepdims=True)
    made = record("elementwise", "x", "mean", labels=["x", "− mean"])
    made["params"]["steps"] = [["−", None]]
    shown = explained(made, x=x, mean=mean, result=x - mean)
    assert {chips[1][2] for (row, _), (chips, _) in shown.items() if row == 0} == {
        "1.50"
    }
    assert shown[2, 3] == (
        [("", "x", "11.00"), ("−", "mean", "9.50"), ("=", "", "1.50")],
        {"x 2 3", "mean 2 0"},
    )


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("size", [1.0, 300.0, -300.0])
@pytest.mark.parametrize("masked", [False, True])
def test_a_softmax_says_its_powers_and_their_row_s_sum(shape, size, masked, explained):
    """It subtracts the largest score where powers of e would be large to read."""
    a = draw(shape, 1) * size
    look = np.tril(np.ones((T, S))) > 0 if masked else np.ones((T, S)) > 0
    scores = np.where(look, over(a), -np.inf)
    top = scores.max(axis=1, keepdims=True)
    shift = np.where(np.abs(top) < 20, 0.0, top)
    parts = np.exp(scores - shift)
    total = parts.sum(axis=1, keepdims=True)
    made = record("softmax", "a", *["look"] * masked)
    result = parts / total
    shown = explained(made, ["look"], a=a, look=1.0 * look, result=result)
    for (r, c), (chips, operands) in shown.items():
        if not look[r, c]:
            hidden = ("", "hidden before the softmax", "no weight")
            assert chips == [hidden, ("=", "", "0.00")]
            assert operands == {name_at("a", a, r, c)}
            continue
        off = said(abs(shift[r, 0]))
        less = f" {'−' if size > 0 else '+'} {off}" if shift[r, 0] else ""
        terms = [
            (f"exp({said(over(a)[r, k])}{less})", said_alike(parts[r, k], total[r, 0]))
            for k in range(S)
            if look[r, k]
        ]
        whole = said_alike(total[r, 0], total[r, 0])
        is_part_of_its_sum(chips, terms, c, whole, result[r, c])
        assert operands == {name_at("a", a, r, k) for k in range(S) if look[r, k]}


def is_part_of_its_sum(chips, terms, at, total, result):
    """The boxes: a part ÷ its row's sum = a share, where the sum = part + part + …."""
    every = [("+" if n else "=", *term) for n, term in enumerate(terms)]
    whole = ("row’s sum", total)
    share = ("=", "", said(result))
    assert chips == [
        ("", *terms[at]),
        ("÷", *whole),
        share,
        ("where", *whole),
        *every,
    ]


def said_alike(x, total):
    """Three digits; or where the sum is large or small, its power of ten for all."""
    if 0.01 <= total < 1e4 or not x:
        return said(x, 3 if 0.01 <= total < 1e4 else 0)
    power = int(f"{total:.2e}".partition("e")[2])
    return f"{said(x / 10.0**power)}e{power}".replace("-", "−")


@pytest.mark.parametrize("size", [1.0, 1e-6, 1e5])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_share_says_its_part_of_its_row_s_sum(shape, size, explained):
    """All in one format: a sum once held 4.04e4 and 286.247, another 9.36e−19."""
    parts = over(draw(shape, 1)) * [1, 1, 1, 1e-5] * size
    total = parts.sum(axis=1, keepdims=True)
    made = record("normalize_rows", "parts")
    shown = explained(made, parts=parts, result=parts / total)
    for (r, c), (chips, operands) in shown.items():
        whole = total[r, 0]
        terms = [(f"c{k}", said_alike(x, whole)) for k, x in enumerate(parts[r])]
        number = parts[r, c] / whole
        is_part_of_its_sum(chips, terms, c, said_alike(whole, whole), number)
        assert operands == {f"parts {r} {k}" for k in range(S)}


def test_a_share_of_powers_says_what_they_are_powers_of(page):
    """A column called 3 was said to be 148.413."""
    page.draw(explorers.softmax_bench([[1.0, 3, 5]], multiply=0.5))
    chips = page.explanation("weights", 0, 2)[1:]
    assert any("exp(2.50)" in str(chip) and "12.182" in str(chip) for chip in chips)


@pytest.mark.parametrize("op", ["softmax", "normalize_rows"])
def test_a_row_s_sum_holds_the_columns_that_are_not_shown(op, explained):
    """The table has four columns, and the picture the first two."""
    a = draw((T, S), 1)
    parts = np.exp(a) if op == "softmax" else a
    total = parts.sum(axis=1, keepdims=True)
    two = {"result": {"columns": ["c0", "c1"]}}
    shown = explained(record(op, "a"), ["a"], two, a=a, result=(parts / total)[:, :2])
    for (r, _), (chips, _) in shown.items():
        whole = total[r, 0]
        assert chips[1][1:] == ("row’s sum", said_alike(whole, whole))
        assert chips[-1] == ("+", "2 more", said_alike(parts[r, 2:].sum(), whole))


@pytest.mark.parametrize("first", [0, 1, 2])
@pytest.mark.parametrize("positions", [[0, 1, 2], [5, 0, 7]])
def test_a_sinusoid_says_its_angle(positions, first, explained):
    """Of its row's position, and of the feature that its column is."""
    features = np.arange(first, first + 3)
    evens = features - features % 2
    angles = np.array(positions)[:, None] / 10000.0 ** (evens / 6)
    result = np.where(features % 2, np.cos(angles), np.sin(angles))
    made = record("sinusoid", positions=positions, base=10000.0, d_model=6, first=first)
    for (r, c), (chips, _) in explained(made, result=result).items():
        n, angle = evens[c], said(angles[r, c], 4)
        by = said(10000.0 ** (n / 6), 4)
        wave = "cos" if features[c] % 2 else "sin"
        assert chips == [
            ("", f"pos ÷ 10000^({n}/6)", f"{positions[r]} ÷ {by}"),
            ("=", "angle", angle),
            ("→", f"{wave}({angle})", said(result[r, c], 4)),
        ]


def test_an_operand_is_said_as_its_own_drawing_says_it(explained):
    """In its words, or its digits if they are two or more; undrawn, with two."""
    made = record("leaf") | {"also": {"inputs": [*"abcd"], "labels": [*"abcd"]}}
    looks = {"a": {"words": ["False", "True"]}, "b": {"digits": 0}, "c": {"digits": 3}}
    one = {name: np.array([[1.0]]) for name in ("a", "b", "c", "d", "result")}
    [(chips, operands)] = explained(made, ["d"], looks, **one).values()
    assert [text for *_, text in chips] == ["True", "1.00", "1.000", "1.00"]
    assert operands == {"a 0 0", "b 0 0", "c 0 0"}


@pytest.mark.parametrize("words", [[], ["zero", "one"]])
def test_a_number_that_was_given_stands_for_itself(words, explained):
    shown = explained(record("leaf"), looks={"result": {"words": words}}, result=[[1]])
    assert shown[0, 0] == (
        [("", "", "one" if words else "1.00")],
        set(),
    )


def test_a_row_that_was_changed_on_its_way_says_so(explained):
    a = draw((T, S), 1)
    made = record("elementwise", "a", labels=["x"], function="exp") | {"changed": [1]}
    for (row, column), (chips, operands) in explained(made, a=a, result=a).items():
        if row == 1:
            assert chips == [("", "changed on its way", alone(a[row, column]))]
            assert operands == set()
        else:
            assert [sign for sign, *_ in chips] == ["", "→"]


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (record("kernel", "a"), "there is no rule for kernel"),
        (record("constructor", "a"), "there is no rule for constructor"),
        (record("elementwise", "b", labels=["x"]), "there is no array b"),
        (record("reduce", "b", how="mean"), "there is no array b"),
        (record("elementwise", "short", labels=["x"]), r"(2, 0) of 2 × 4"),
        ({"op": "elementwise"}, "undefined"),
    ],
)
def test_what_cannot_be_explained_is_said_plainly_and_loudly(
    made, why, bare, explained
):
    _, faults = bare
    a, short = draw((T, S), 1), draw((2, S), 2)
    shown = explained(made, ["short"], a=a, short=short, result=a)
    assert shown[2, 0] == ([("", "", alone(a[2, 0]))], set())
    assert any(why in text for text in faults), faults
    faults.clear()


def test_a_cell_of_a_stack_is_explained_by_what_made_its_own_row(explained):
    a, b, keep = draw((1, S), 1), draw((1, S), 2), np.array([[1, 0, 1, 1]])
    steps = [["×", None]]
    first = record("elementwise", "a", "keep", labels=["a", "× kept?"], steps=steps)
    second = record("reduce", "b", how="sum")
    changed = second | {"changed": [0]}
    made = record("stack", "x", "y", "z") | {"rows": [first, second, changed]}
    result = np.concatenate([a * keep, b, b])
    shown = explained(made, a=a, b=b, keep=keep, result=result)
    for c in range(S):
        chips, operands = shown[0, c]
        one, other = ("", "a", said(a[0, c])), ("×", "kept?", said(keep[0, c]))
        assert chips == [one, other, ("=", "", said(result[0, c]))]
        assert operands == {f"a 0 {c}", f"keep 0 {c}"}
        assert [chip[2] for chip in shown[1, c][0]] == [*map(said, [*b[0], b[0, c]])]
        assert shown[2, c][0] == [("", "changed on its way", alone(b[0, c]))]
