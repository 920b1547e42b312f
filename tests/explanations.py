"""What a cell's explanation comes to, from the arrays that it names and nothing else.

It is to a table's `made` what explain.js is, which says the numbers and computes none.
"""

import math

import numpy as np

SIGNS = {
    "+": lambda a, b: a + b,
    "−": lambda a, b: a - b,
    "×": lambda a, b: a * b,
    "÷": lambda a, b: a / b if b else math.nan if a in (0, math.inf) else math.inf,
}
BENT = {
    "relu": lambda x: max(x, 0.0),
    "gelu": lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2,
    "gelu_tanh": lambda x: (
        x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2
    ),
}


def recomputed(arrays, name, made):
    """Every cell of an array, by its explanation."""
    shape = arrays[name].shape
    return np.array(
        [[cell(arrays, name, made, *at) for at in row] for row in grid(shape)]
    )


def grid(shape):
    return [[(r, c) for c in range(shape[1])] for r in range(shape[0])]


def at(x, r, c):
    """A number of an array whose one row or column may stand for all."""
    return float(x[0 if x.shape[0] == 1 else r, 0 if x.shape[1] == 1 else c])


def stepped(x, steps):
    for said, number in steps:
        x = SIGNS[said[0]](x, number)
    return x


def cell(arrays, name, made, r, c):
    """One cell, by its explanation."""
    of = [arrays[operand] for operand in made.get("of", ())]
    return RULES[made["op"]](arrays, name, made, of, r, c)


def dot(arrays, name, made, of, r, c):
    a, b = of
    terms = (at(a, r, k) * at(b, c, k) for k in range(max(a.shape[1], b.shape[1])))
    return stepped(math.fsum(terms), made.get("steps", ()))


def mix(arrays, name, made, of, r, c):
    a, b, *bias = of
    terms = [at(a, r, k) * at(b, k, c) for k in range(max(a.shape[1], b.shape[0]))]
    return math.fsum([*terms, *(at(x, r, c) for x in bias)])


def chained(arrays, name, made, of, r, c):
    found = at(of[0], r, c)
    for x, said in zip(of[1:], made["leads"][1:], strict=True):
        found = SIGNS[said[0]](found, at(x, r, c))
    return found


def row_of(x, r):
    return [at(x, r, k) for k in range(x.shape[1])]


def softmax(arrays, name, made, of, r, c):
    """Its powers and their sum are also those that the page writes down."""
    may_look = arrays[made["open"]] if made["open"] else np.ones_like(of[0])
    shift = at(arrays[made["shift"]], r, 0)
    powers = [
        math.exp(x - shift) if look and x > -math.inf else 0.0
        for x, look in zip(row_of(of[0], r), row_of(may_look, r), strict=True)
    ]
    np.testing.assert_allclose(row_of(arrays[made["parts"]], r), powers, rtol=1e-9)
    total = at(arrays[made["total"]], r, 0)
    assert math.isclose(total, math.fsum(powers), rel_tol=1e-9)
    blind = 0.0 if made["open"] else math.nan  # by the bare formula
    return powers[c] / total if total else blind


def share(arrays, name, made, of, r, c):
    parts = row_of(arrays[made["parts"]], r)
    total = at(arrays[made["total"]], r, 0)
    assert math.isclose(total, math.fsum(parts), rel_tol=1e-9)
    return parts[c] / total if total else math.nan


def wave(arrays, name, made, of, r, c):
    c += made["odd"]
    angle = made["positions"][r] / at(arrays[made["divisors"]], 0, c // 2)
    assert math.isclose(at(of[0], r, c // 2), angle)
    return (math.cos if c % 2 else math.sin)(angle)


def beside(arrays, name, made, of, r, c):
    for x, _ in zip(of, made["leads"], strict=True):
        if c < x.shape[1]:
            return at(x, r, c)
        c -= x.shape[1]
    raise IndexError(c)


def masked(arrays, name, made, of, r, c):
    """What a hidden cell holds instead stands in the cell."""
    return at(of[0] if at(of[1], r, c) else arrays[name], r, c)


RULES = {
    "given": lambda arrays, name, made, of, r, c: at(arrays[name], r, c),
    "dot": dot,
    "mix": mix,
    "affine": mix,
    "zip": chained,
    "mask": masked,
    "scale": lambda _, name, made, of, r, c: stepped(at(of[0], r, c), made["steps"]),
    "exp": lambda _, name, made, of, r, c: math.exp(at(of[0], r, c)),
    "root": lambda _, name, made, of, r, c: math.sqrt(at(of[0], r, c) + made["plus"]),
    "activate": lambda _, name, made, of, r, c: BENT[made["kind"]](at(of[0], r, c)),
    "sum": lambda _, name, made, of, r, c: math.fsum(row_of(of[0], r)),
    "mean": lambda _, name, made, of, r, c: np.mean(row_of(of[0], r)),
    "softmax": softmax,
    "share": share,
    "wave": wave,
    "beside": beside,
    "same": lambda _, name, made, of, r, c: at(of[0], r, c),
    "stack": lambda arrays, name, made, of, r, c: cell(
        arrays, name, made["made"][r], r, c
    ),
}
