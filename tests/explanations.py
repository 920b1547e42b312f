"""What a table's record comes to, from the arrays that went in and nothing else.

It is to `Table.provenance` what explain.js is, which says the numbers; it shares no
code with the operations that have made them.
"""

import json
import math

import numpy as np

SIGNS = {
    "+": lambda a, b: a + b,
    "−": lambda a, b: a - b,
    "×": lambda a, b: a * b,
    "÷": lambda a, b: a / b,
}
FUNCTIONS = {
    "exp": np.exp,
    "√": lambda x: x**0.5,
    "ReLU": lambda x: (x + abs(x)) / 2,
    "GELU": np.vectorize(lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2),
    "GELU, by tanh": lambda x: (
        x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2
    ),
}


def sheet_of(explorer):
    """The sheet of an explorer as it stands."""
    given = explorer._always | explorer.inputs | explorer.settings
    return explorer._function(**given)


def derived(sheet):
    """The tables that an operation has made."""
    return [t for t in sheet.tables.values() if t.provenance["op"] != "leaf"]


@np.errstate(all="ignore")
def recomputed(arrays, name, record):
    """Every number of an array, by its record; never by the array itself.

    Only rows that were changed on their way are taken from there: the record claims
    that the operation does not give these.
    """
    record = json.loads(json.dumps(record, allow_nan=False))
    inputs = [arrays[one] for one in record["inputs"]]
    if record["op"] == "stack":
        return np.concatenate(
            [
                x if row["op"] == "leaf" else recomputed(arrays, one, row)
                for one, x, row in zip(
                    record["inputs"], inputs, record["rows"], strict=True
                )
            ]
        )
    found = RULES[record["op"]](record, *inputs, **record["params"])
    if changed := record.get("changed"):
        found, own = np.array(np.broadcast_to(found, arrays[name].shape)), arrays[name]
        assert not (found[changed] == own[changed]).all(axis=1).any(), name
        found[changed] = own[changed]
    return found


def judge(sheet, close=1e-9):
    """Assert that each table is what its record says, and give how many were judged."""
    tables = derived(sheet)
    for table in tables:
        shown = recomputed(sheet.arrays, table.name, table.provenance)
        np.testing.assert_allclose(
            np.broadcast_to(shown, table.values.shape),
            table.values,
            rtol=close,
            atol=close,
            err_msg=f"{table.name}: {table.provenance}",
        )
    return len(tables)


def judge_drawn(explorer, close):
    """Assert that each matrix is what its record says; give those that are leaves."""
    matrices = [d for d in explorer.drawings if d.kind == "matrix"]
    leaves = [d.name for d in matrices if d.provenance["op"] == "leaf"]
    for d in matrices:
        if d.name not in leaves:
            shown = recomputed(explorer.values, d.name, d.provenance)
            own = explorer.values[d.name]
            np.testing.assert_allclose(shown, own, rtol=0, atol=close, err_msg=d.name)
    return leaves


def stepped(x, others, labels, steps):
    rest = iter(others)
    for (sign, number), label in zip(steps, labels, strict=True):
        assert label.startswith(sign)
        x = SIGNS[sign](x, next(rest) if number is None else number)
    assert next(rest, None) is None, "an input that no step takes"
    return x


def elementwise(record, a, *others, steps=(), function="", decimals=15):
    x = stepped(a, others, record["labels"][1:], steps)
    return np.round(FUNCTIONS[function](x) if function else x, decimals)


def matmul(record, a, b, *bias, transposed=False, steps=()):
    x = np.einsum("rk,ck->rc" if transposed else "rk,kc->rc", a, b)
    return stepped(sum(bias, x), (), record["labels"], steps)


def softmax(_, scores, mask=None, bare=False):
    seen = (
        np.ones(scores.shape) if mask is None else np.broadcast_to(mask, scores.shape)
    )
    rows = []
    for x, may in zip(scores, seen == 1, strict=True):
        top = max(x[may], default=0.0)
        parts = np.where(may, np.exp(x - top), 0.0)
        nowhere = not may.any() or (top == -np.inf and not bare)
        rows.append(np.zeros(x.shape) if nowhere else parts / math.fsum(parts))
    return np.array(rows)


def sinusoid(_, positions, base, d_model, first, count):
    waves = math.sin, math.cos
    features = range(first, first + count)
    return np.array(
        [
            [waves[n % 2](p / base ** ((n - n % 2) / d_model)) for n in features]
            for p in positions
        ]
    )


RULES = {
    "elementwise": elementwise,
    "matmul": matmul,
    "softmax": softmax,
    "sinusoid": sinusoid,
    "reduce": lambda _, a, how: {"sum": np.add.reduce, "mean": np.average}[how](
        a, 1
    ).reshape(-1, 1),
    "normalize_rows": lambda _, a: (a.T / a.sum(1)).T,
    "mask": lambda _, a, m, hidden_as=-np.inf: np.choose(m == 1, [hidden_as, a]),
    "fill": lambda _, a, b: np.choose(np.isnan(a), [a, b]),
    "pick": lambda _, a, rows: np.array([a[n] for n in rows]),
    "concat": lambda _, *tables: np.hstack(tables),
}
