"""Every operation, over every shape that broadcasts, is explained by Python's numbers.

The page is told what made a matrix and of which arrays; the boxes it shows, and the
cells it outlines, are compared with what NumPy says of the same arrays.
"""

import itertools

import numpy as np
import pytest

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
        view.live = {n: LIVE | {"made": {"op": "given"}} for n in drawn}
        view.live = view.live | {"result": LIVE | {"made": made}}
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


FRAME = {"palette": "weights", "digits": 2, "step": 0, "shares": "", "words": []}
FRAME |= {
    "axes": ["row", "column"],
    "editable": False,
    "toggles": "",
    "masked_text": "",
}
FRAME |= {"size": "large", "chooses": False}
LIVE = {"formula": "", "sentence": "", "note": "", "vmax": 1.0, "chosen": False}


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


def said(x, digits=2):
    return plots.number(float(x), digits)


def name_at(name, x, row, column):
    """Which cell stands for this place in an array that may be broadcast."""
    rows, columns = x.shape
    return f"{name} {row if rows > 1 else 0} {column if columns > 1 else 0}"


def over(x, shape=(T, S)):
    return np.broadcast_to(x, shape)


@pytest.mark.parametrize(("one", "two"), PAIRS)
@pytest.mark.parametrize("op", ["zip", "mask"])
def test_two_operands_are_said_as_numpy_broadcasts_them(op, one, two, explained):
    a, b = draw(one, 1), draw(two, 2)
    result = over(a) - over(b)
    made = {"op": op, "of": ["a", "b"], "leads": ["x", "− as written"]}
    for at, (chips, operands) in explained(made, a=a, b=b, result=result).items():
        assert chips == [
            ("x", said(over(a)[at])),
            ("− as written", said(over(b)[at])),
            ("", said(result[at])),
        ]
        assert operands == {name_at("a", a, *at), name_at("b", b, *at)}


@pytest.mark.parametrize(("one", "two"), PAIRS)
def test_the_same_number_is_said_in_each_array_and_without_a_result(
    one, two, explained
):
    a, b = draw(one, 1), draw(two, 2)
    made = {"op": "same", "of": ["a", "b", "result"], "leads": ["x", "y", "z"]}
    shown = explained(made, a=a, b=b, result=over(a))
    for at, (chips, operands) in shown.items():
        numbers = over(a)[at], over(b)[at], over(a)[at]
        assert chips == list(zip("xyz", map(said, numbers), strict=True))
        places = {name_at("a", a, *at), name_at("b", b, *at)}
        assert operands == places | {"result {} {}".format(*at)}


@pytest.mark.parametrize(("one", "two"), PAIRS)
@pytest.mark.parametrize("op", ["dot", "mix"])
def test_a_sum_of_products_is_said_product_by_product(op, one, two, explained):
    """Rows of `a` with rows of `b`; or rows of `b`, mixed by the numbers of `a`."""
    a, b = draw(one, 1), draw(two if op == "dot" else two[::-1], 2)
    length = max(one[1], two[1])
    left = over(a, (T, length))
    right = over(b if op == "dot" else b.T, (T, length))
    result = left @ right.T
    shown = explained({"op": op, "of": ["a", "b"]}, a=a, b=b, result=result)
    for (row, column), (chips, operands) in shown.items():
        x, y = left[row], right[column]
        pairs = [
            (f"{said(v)} × {said(w)}", said(v * w)) for v, w in zip(x, y, strict=True)
        ]
        assert chips == [*pairs, ("", said(x @ y))]
        places = [(column, k) if op == "dot" else (k, column) for k in range(length)]
        assert operands == {name_at("a", a, row, k) for k in range(length)} | {
            name_at("b", b, *at) for at in places
        }


def test_a_score_is_said_product_by_product_and_then_its_scale(explained):
    a, b = draw((T, 2), 1), draw((S, 2), 2)
    made = {"op": "dot", "of": ["a", "b"], "steps": [["÷ √4", 2.0]]}
    shown = explained(made, a=a, b=b, result=a @ b.T / 2)
    for (row, column), (chips, _) in shown.items():
        pairs = [
            f"{said(x)} × {said(y)}" for x, y in zip(a[row], b[column], strict=True)
        ]
        assert [above for above, _ in chips] == [*pairs, "÷ √4", ""]
        assert [below for _, below in chips[2:]] == [
            "2.000",
            said(a[row] @ b[column] / 2),
        ]


@pytest.mark.parametrize("bias", [False, True])
def test_a_row_times_a_matrix_is_said_product_by_product_and_then_its_bias(
    bias, explained
):
    x, W, b = draw((T, 2), 1), draw((2, S), 2), draw((1, S), 3)
    arrays = {"x": x, "W": W} | ({"b": b} if bias else {})
    result = x @ W + (b if bias else 0)
    shown = explained({"op": "affine", "of": [*arrays]}, **arrays, result=result)
    for (r, c), (chips, operands) in shown.items():
        pairs = [
            (f"{said(x[r, k])} × {said(W[k, c])}", said(x[r, k] * W[k, c]))
            for k in (0, 1)
        ]
        plus = [("bias", said(b[0, c]))] if bias else []
        assert chips == [*pairs, *plus, ("", said(result[r, c]))]
        places = {f"x {r} 0", f"x {r} 1", f"W 0 {c}", f"W 1 {c}"}
        assert operands == places | ({f"b 0 {c}"} if bias else set())


def test_an_activation_says_its_name_and_what_it_was_given(explained):
    a = draw((T, S), 1) - 4
    made = {"op": "activate", "of": ["a"], "lead": "sum", "said": "ReLU"}
    shown = explained(made, a=a, result=np.maximum(a, 0))
    for at, (chips, operands) in shown.items():
        assert chips == [("sum", said(a[at])), ("ReLU", said(max(a[at], 0)))]
        assert operands == {name_at("a", a, *at)}


def test_tables_side_by_side_say_whose_a_cell_is(explained):
    one, two = draw((T, 1), 1), draw((T, 3), 2)
    made = {"op": "beside", "of": ["one", "two"], "leads": ["head 1", "head 2"]}
    result = np.concatenate([one, two], axis=1)
    for (r, c), (chips, operands) in explained(
        made, one=one, two=two, result=result
    ).items():
        head, at = ("one", 0) if c == 0 else ("two", c - 1)
        lead = f"head {1 if c == 0 else 2}"
        assert chips == [(lead, said(result[r, c])), ("", said(result[r, c]))]
        assert operands == {f"{head} {r} {at}"}


@pytest.mark.parametrize("shape", SHAPES)
def test_one_operand_is_said_before_what_was_done_to_it(shape, explained):
    a = draw(shape, 1)
    steps = [["÷ √d_k", 2.0], ["÷ T", 1.5]]
    for made, result, between in [
        ({"op": "exp", "lead": "exp of"}, np.exp(a), []),
        ({"op": "scale", "lead": "score", "steps": []}, a, []),
        (
            {"op": "scale", "lead": "score", "steps": steps},
            a / 3,
            [("÷ √d_k", "2.000"), ("÷ T", "1.500")],
        ),
    ]:
        shown = explained({**made, "of": ["a"]}, a=a, result=over(result))
        for at, (chips, operands) in shown.items():
            first = (made["lead"], said(over(a)[at]))
            assert chips == [first, *between, ("", said(over(result)[at]))]
            assert operands == {name_at("a", a, *at)}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("plus", [0.0, 0.5, 1e-5])
def test_a_root_says_what_is_added_before_it_is_taken(shape, plus, explained):
    a = draw(shape, 1)
    result = over(np.sqrt(a + plus))
    made = {"op": "root", "of": ["a"], "lead": "σ²", "plus": plus}
    more = {0.0: [], 0.5: [("+", "0.500")], 1e-5: [("+", "1.00e−5")]}[plus]
    for at, (chips, operands) in explained(made, a=a, result=result).items():
        assert chips == [("σ²", said(over(a)[at])), *more, ("√", said(result[at]))]
        assert operands == {name_at("a", a, *at)}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("op", ["sum", "mean"])
def test_a_row_s_sum_and_its_mean_are_said_number_by_number(op, shape, explained):
    a = draw(shape, 1)
    result = getattr(a, op)(axis=1, keepdims=True)
    shown = explained({"op": op, "of": ["a"]}, a=a, result=over(result, (T, 1)))
    for (row, _), (chips, operands) in shown.items():
        numbers = over(a, (T, shape[1]))[row]
        parts = [(f"c{k}", said(x)) for k, x in enumerate(numbers)]
        by = [("÷", str(len(parts)))] if op == "mean" else []
        assert chips == [*parts, *by, ("", said(getattr(numbers, op)()))]
        assert operands == {name_at("a", a, row, k) for k in range(shape[1])}


def test_a_row_s_mean_is_said_in_each_of_its_columns(explained):
    """Read as if it had as many columns as the row, it once was another row's."""
    x = np.arange(12.0).reshape(3, 4)
    mean = x.mean(axis=1, keepdims=True)
    made = {"op": "zip", "of": ["x", "mean"], "leads": ["x", "− mean"]}
    shown = explained(made, x=x, mean=mean, result=x - mean)
    assert {chips[1][1] for (row, _), (chips, _) in shown.items() if row == 0} == {
        "1.50"
    }
    assert shown[2, 3] == (
        [("x", "11.00"), ("− mean", "9.50"), ("", "1.50")],
        {"x 2 3", "mean 2 0"},
    )


def softmax_of(a, shift, look):
    parts = np.where(look, np.exp(over(a) - over(shift)), 0)
    total = parts.sum(axis=1, keepdims=True)
    return parts, total, np.divide(parts, total, where=total > 0, out=0 * parts)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("height", [T, 1])
@pytest.mark.parametrize("open_", ["", "look"])
def test_a_softmax_says_its_powers_and_their_row_s_sum(shape, height, open_, explained):
    a, shift = draw(shape, 1), draw((height, 1), 2)
    look = np.tril(np.ones((T, S))) > 0 if open_ else np.ones((T, S)) > 0
    parts, total, result = softmax_of(a, shift, look)
    named = {"parts": "parts", "total": "total", "shift": "shift", "open": open_}
    made = {"op": "softmax", "of": ["a"], **named}
    arrays = {"parts": parts, "total": total, "shift": shift, "look": 1.0 * look}
    shown = explained(made, tuple(arrays), a=a, result=result, **arrays)
    for (r, c), (chips, operands) in shown.items():
        if not look[r, c]:
            assert chips == [("hidden before the softmax", "no weight"), ("", "0.00")]
            assert operands == {name_at("a", a, r, c)}
            continue
        off = said(over(shift, (T, 1))[r, 0])
        terms = [
            (f"exp({said(over(a)[r, k])} − {off})", said_finely(parts[r, k]))
            for k in range(S)
        ]
        whole = ("row's sum", said_finely(total[r, 0]))
        allowed = [terms[k] for k in range(S) if look[r, k]]
        assert chips == [terms[c], whole, ("", said(result[r, c])), whole, *allowed]
        assert operands == {name_at("a", a, r, k) for k in range(S) if look[r, k]}


def said_finely(x):
    """Three digits, or the number's own size where they would all be 0."""
    return f"{x:.2e}".replace("-0", "−").replace("-", "−") if x < 5e-4 else said(x, 3)


@pytest.mark.parametrize(
    ("shift", "text"), [(0.0, "exp(2.00)"), (-3.0, "exp(2.00 + 3.00)")]
)
def test_a_softmax_says_no_shift_of_0_and_adds_one_below_it(shift, text, explained):
    made = {"op": "softmax", "of": ["a"], "parts": "a", "total": "a", "open": ""}
    shown = explained({**made, "shift": "s"}, ["s"], a=[[2]], s=[[shift]], result=[[1]])
    assert shown[0, 0][0][0] == (text, "2.000")


@pytest.mark.parametrize("shape", SHAPES)
def test_a_share_says_its_part_of_its_row_s_sum(shape, explained):
    parts = over(draw(shape, 1)) * [1, 1, 1, 1e-5]
    total = parts.sum(axis=1, keepdims=True)
    made = {"op": "share", "of": ["parts"], "parts": "parts", "total": "total"}
    shown = explained(made, ["total"], parts=parts, total=total, result=parts / total)
    for (r, c), (chips, operands) in shown.items():
        terms = [(f"c{k}", said_finely(x)) for k, x in enumerate(parts[r])]
        whole = ("row's sum", said(total[r, 0], 3))
        share = ("", said(parts[r, c] / total[r, 0]))
        assert chips == [terms[c], whole, share, whole, *terms]
        assert operands == {f"parts {r} {k}" for k in range(S)}


@pytest.mark.parametrize("positions", [None, [5, 0, 7]])
def test_a_wave_says_its_angle(positions, explained):
    """That of its row's position, or of what its row is called."""
    divisors = np.array([[1.0, 100.0]])
    angles = np.array(positions or range(T))[:, None] / divisors
    result = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(T, 4)
    texts = ["pos ÷ 10^(0/4)", "pos ÷ 10^(2/4)"]
    made = {"op": "wave", "of": ["angles"], "divisors": "divisors", "texts": texts}
    made |= {"positions": positions} if positions else {}
    undrawn = ("angles", "divisors")
    arrays = {"angles": angles, "divisors": divisors, "result": result}
    for (r, c), (chips, _) in explained(made, undrawn, **arrays).items():
        angle = said(angles[r, c // 2], 4)
        assert chips == [
            (
                texts[c // 2],
                f"{positions[r] if positions else f'r{r}'} ÷ "
                f"{said(divisors[0, c // 2], 4)}",
            ),
            ("angle", angle),
            (f"{['sin', 'cos'][c % 2]}({angle})", said(result[r, c], 4)),
        ]


def test_an_operand_is_said_as_its_own_drawing_says_it(explained):
    """In its words, or its digits if they are two or more; undrawn, with two."""
    made = {"op": "same", "of": ["a", "b", "c", "d"], "leads": list("abcd")}
    looks = {"a": {"words": ["False", "True"]}, "b": {"digits": 0}, "c": {"digits": 3}}
    one = {name: np.array([[1.0]]) for name in ("a", "b", "c", "d", "result")}
    [(chips, operands)] = explained(made, ["d"], looks, **one).values()
    assert [text for _, text in chips] == ["True", "1.00", "1.000", "1.00"]
    assert operands == {"a 0 0", "b 0 0", "c 0 0"}


@pytest.mark.parametrize("words", [[], ["zero", "one"]])
def test_a_number_that_was_given_stands_for_itself(words, explained):
    shown = explained({"op": "given"}, looks={"result": {"words": words}}, result=[[1]])
    assert shown[0, 0] == ([("", "one" if words else "1.0000")], set())


def test_a_number_that_was_changed_on_its_way_says_so(explained):
    made = {"op": "given", "of": [], "lead": "changed on its way"}
    shown = explained(made, result=[[1]])
    assert shown[0, 0] == ([("changed on its way", "1.0000")], set())


@pytest.mark.parametrize(
    ("made", "why"),
    [
        ({"op": "kernel", "of": ["a"]}, "there is no rule for kernel"),
        ({"op": "constructor", "of": ["a"]}, "there is no rule for constructor"),
        ({"op": "exp", "of": ["b"], "lead": ""}, "there is no array b"),
        ({"op": "mean", "of": ["b"]}, "there is no array b"),
        ({"op": "exp", "of": ["short"], "lead": ""}, r"(2, 0) of 2 × 4"),
        ({"op": "exp"}, "undefined"),
    ],
)
def test_what_cannot_be_explained_is_said_plainly_and_loudly(
    made, why, bare, explained
):
    _, faults = bare
    a, short = draw((T, S), 1), draw((2, S), 2)
    shown = explained(made, ["short"], a=a, short=short, result=a)
    assert shown[2, 0] == ([("", said(a[2, 0], 4))], set())
    assert any(why in text for text in faults), faults
    faults.clear()


def test_a_cell_of_a_stack_is_explained_by_what_made_its_own_row(explained):
    a, b, keep = draw((1, S), 1), draw((1, S), 2), np.array([[1, 0, 1, 1]])
    first = {"op": "zip", "of": ["a", "keep"], "leads": ["a", "kept?"]}
    made = {"op": "stack", "of": [], "made": [first, {"op": "sum", "of": ["b"]}]}
    result = np.concatenate([a * keep, b])
    shown = explained(made, a=a, b=b, keep=keep, result=result)
    for c in range(S):
        chips, operands = shown[0, c]
        ends = ("", said(result[0, c]))
        assert chips == [("a", said(a[0, c])), ("kept?", said(keep[0, c])), ends]
        assert operands == {f"a 0 {c}", f"keep 0 {c}"}
        assert [chip[1] for chip in shown[1, c][0]] == [*map(said, [*b[0], b[0, c]])]
