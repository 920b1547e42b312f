"""Rules: what made each tensor of a pass, as operations of a sheet."""

import math

import torch
from torch import Tensor

from explorable.trace import ONE, Axis, Table

from ..operations import activate, norm_steps, sinusoid
from .places import Place, above, kind_of, of_heads, under
from .recorded_pass import RecordedPass, rule

BASE = 1e4  # of the waves, as `PositionalEncoding` has them


# ── attention ────────────────────────────────────────────────────────────────────
@rule("attention", "q", "k", "v")
def _projected(seen: RecordedPass, at: Place) -> Table:
    x = seen.operand(seen.places.received(at.name))
    return _affine(seen, at, x, under(at.path, f"W_{at.field.upper()}"))


@rule("attention", "scores")
def _scores(seen: RecordedPass, at: Place) -> Table:
    q, k = (seen.operand(under(at.path, x), at.head) for x in "qk")
    d_k = len(q.columns.labels)
    by = "÷", math.sqrt(d_k), f"√{d_k}"
    return seen.sheet.matmul(at.key, q, k, by, transposed=True)


@rule("attention", "mask")
def _mask(seen: RecordedPass, at: Place) -> Table:
    """Where a query may look: a score of −∞ that a patch has put there hides as well.

    A row of −∞ alone, which no mask has hidden, gives NaN.
    """
    scores = seen.operand(under(at.path, "scores"), at.head)
    cut = torch.from_numpy(scores.values == -math.inf)
    open_ = ~cut | cut.all(dim=1, keepdim=True)
    mask = seen.mask(under(at.path, "weights"), at.head)
    return seen.leaf(at.key, scores.axes, open_ if mask is None else open_ & mask.cpu())


@rule("attention", "weights")
def _weights(seen: RecordedPass, at: Place) -> Table:
    scores = seen.operand(under(at.path, "scores"), at.head)
    mask = seen.table(under(at.path, "mask"), at.head)
    open_ = bool(mask.values.all())
    return seen.sheet.softmax(at.key, scores, None if open_ else mask)


@rule("attention", "heads")
def _heads(seen: RecordedPass, at: Place) -> Table:
    weights = seen.operand(under(at.path, "weights"), at.head)
    v = seen.operand(under(at.path, "v"), at.head, at.only)
    return seen.sheet.matmul(at.key, weights, v)


@rule("attention", "joined")
def _joined(seen: RecordedPass, at: Place) -> Table:
    name = under(at.path, "heads")
    count = seen.places.count_heads(name)
    d_k = seen.of_batch(name).size(-1)
    columns = _head_features(count, d_k)
    each = of_heads(at.only, count, d_k)
    heads = [seen.operand(name, h, own) for h, own in each]
    labels = [f"head {h + 1}" for h, _ in each]
    shown = Axis(columns.name, columns.labels[at.cut])
    return seen.sheet.concat(at.key, shown, heads, labels)


@rule("attention", "")
def _attended(seen: RecordedPass, at: Place) -> Table:
    joined = seen.table(under(at.path, "joined"))
    return _affine(seen, at, joined, under(at.path, "W_O"))


def _head_features(count: int, d_k: int) -> Axis:
    labels = [f"{h + 1}·{k + 1}" for h in range(count) for k in range(d_k)]
    return Axis("head·feature", labels)


# ── matrices of parameters ───────────────────────────────────────────────────────
def _affine(seen: RecordedPass, at: Place, x: Table, matrix: str) -> Table:
    """A row of x times a matrix, plus a bias where there is one."""
    biased = seen.places.parts[matrix].bias is not None
    W = seen.table(matrix, at.head, at.only)
    b = seen.table(f"{matrix}.bias", at.head, at.only) if biased else None
    return seen.sheet.matmul(at.key, x, W, bias=b)


@rule("linear", "")
def _matrix(seen: RecordedPass, at: Place) -> Table:
    """W as it is written, (in, out): torch keeps it turned."""
    W: Tensor = at.part.weight.T
    own = at.path.rpartition(".")[-1]
    attention = at.path.rpartition(".")[0]
    rows = Axis.numbered("hidden unit" if own == "W_2" else "feature", len(W))
    if own == "W_O":
        part = seen.places.parts[attention]
        rows = _head_features(part.n_heads, part.d_k)
    W = _of_head(seen, at, W)
    return seen.leaf(at.key, (rows, _outputs(own, W, at.start)), W)


@rule("linear", "bias")
def _bias(seen: RecordedPass, at: Place) -> Table:
    b = _of_head(seen, at, at.part.bias[None])
    own = at.path.rpartition(".")[-1]
    return seen.leaf(at.key, (Axis("", ("bias",)), _outputs(own, b, at.start)), b)


def _outputs(own: str, W: Tensor, start: int) -> Axis:
    name = "hidden unit" if own == "W_1" else "feature"
    return Axis.numbered(name, W.size(1), start + 1)


def _of_head(seen: RecordedPass, at: Place, W: Tensor) -> Tensor:
    """The columns that are a head's own, or some of them."""
    if at.head is not None:
        d_k = seen.places.parts[above(at.path)].d_k
        W = W[:, at.head * d_k : (at.head + 1) * d_k]
    return W[:, at.cut]


# ── the layers around attention ──────────────────────────────────────────────────
@rule("feed-forward", "sums")
def _sums(seen: RecordedPass, at: Place) -> Table:
    x = seen.operand(seen.places.received(under(at.path, "hidden")))
    return _affine(seen, at, x, under(at.path, "W_1"))


@rule("feed-forward", "hidden")
def _hidden(seen: RecordedPass, at: Place) -> Table:
    sums = seen.table(under(at.path, "sums"), None, at.only)
    return activate(seen.sheet, at.key, sums, at.part.activation)


@rule("feed-forward", "")
def _thought(seen: RecordedPass, at: Place) -> Table:
    hidden = seen.operand(under(at.path, "hidden"))
    return _affine(seen, at, hidden, under(at.path, "W_2"))


@rule("norm", "gamma", "beta")
def _stretch(seen: RecordedPass, at: Place) -> Table:
    row = getattr(at.part, at.field).detach()[None, at.cut]  # (1, D)
    axes = Axis("", (at.field,)), Axis.numbered("feature", row.size(1), at.start + 1)
    return seen.leaf(at.key, axes, row)


@rule("norm", "mean", "moved", "square", "variance", "root")
def _step(seen: RecordedPass, at: Place) -> Table:
    x = seen.operand(seen.places.received(under(at.path, "")))
    steps = norm_steps(seen.sheet, x, at.part.eps, at.key.removesuffix(at.field))
    seen.adopt(*steps.values())
    return steps[at.field]


@rule("norm", "")
def _normed(seen: RecordedPass, at: Place) -> Table:
    x = seen.operand(seen.places.received(under(at.path, "")), None, at.only)
    words = [("−", "mean", "μ"), ("÷", "root", "√(σ² + ε)"), ("×", "gamma", "γ")]
    if at.part.beta is not None:
        words.append(("+", "beta", "β"))
    own = {"gamma": at.only, "beta": at.only}
    steps = [
        (sign, seen.table(_within(at, field), None, own.get(field)), said)
        for sign, field, said in words
    ]
    return seen.sheet.elementwise(at.key, x, *steps, label="x")


def _within(at: Place, field: str) -> str:
    """The name of what a part computes beside its output."""
    return field if at.name == "output" else f"{at.name}.{field}"


@rule("add & norm", "sum")
def _sum(seen: RecordedPass, at: Place) -> Table:
    inside = seen.places.received(at.name, 1).rpartition(".")[-1]
    return _added(seen, at, "x", inside.replace("_", " "))


# ── from ids to vectors, and from vectors to logits ──────────────────────────────
@rule("embedding", "")
@rule("model", "source.embedding", "target.embedding")
def _embedded(seen: RecordedPass, at: Place) -> Table:
    """A row of the matrix, times √d_model if the model scales it."""
    part = at.part
    if kind_of(part) == "model":
        own = at.field.startswith("target") and not part.config.tie_embeddings
        part = part.target_embedding if own else part.embedding
    x = seen.of_batch(at.name)
    rows = part.weight[seen.ids(at.name), at.cut]
    axes = seen.axes(at.name, tuple(rows.shape), at.start)
    table = seen.leaf(f"{at.key}.rows", axes, rows)
    step = "×", float(part.scale), f"√{x.size(1)}"
    steps = [] if part.scale == 1 else [step]
    return seen.sheet.elementwise(at.key, table, *steps, label="its row")


@rule("embedding", "weight")
@rule("linear", "weight")
def _rows(seen: RecordedPass, at: Place) -> Table:
    """One row a word, as it is learned; of the words whose logits are shown."""
    rows: Tensor = at.part.weight
    axes = seen.word_axis(len(rows)), Axis.numbered("feature", rows.size(1))
    return seen.leaf(at.key, axes, seen.scored(rows))


@rule("model", "logits")
def _logits(seen: RecordedPass, at: Place) -> Table:
    x = seen.operand(seen.places.received(at.name))
    own = "embedding" if at.part.config.tie_embeddings else "output"
    E = seen.table(under(at.path, f"{own}.weight"))
    return seen.sheet.matmul(at.key, x, E, transposed=True)


@rule("model", "probabilities")
def _probabilities(seen: RecordedPass, at: Place) -> Table:
    """Their softmax: over all words, also those whose logits are not shown."""
    name = under(at.path, "logits")
    logits = seen.operand(name)
    s = seen.sheet
    every = seen.of_batch(name).double()  # (T, V)
    top = every.amax(dim=-1, keepdim=True)
    total = (every - top).exp().sum(dim=-1, keepdim=True)
    axes = logits.rows, ONE
    largest = seen.leaf(f"{at.key}.largest", axes, top)
    less = "−", largest, "the row’s largest"
    name = f"{at.key}.powers"
    powers = s.elementwise(name, logits, less, label="logit", function="exp")
    sums = seen.leaf(f"{at.key}.total", axes, total)
    by = "÷", sums, f"the sum over all {every.size(-1)} words"
    return s.elementwise(at.key, powers, by, label="exp(logit − largest)")


@rule("positions", "")
@rule("model", "source.positions", "target.positions")
def _placed(seen: RecordedPass, at: Place) -> Table:
    part = at.part.positions if kind_of(at.part) == "model" else at.part
    x = seen.of_batch(at.name)
    axes = seen.axes(at.name, tuple(x[:, at.cut].shape), at.start)
    rows = seen.ids(at.name)
    if part.kind == "sinusoidal":
        D = x.size(1)
        s = seen.sheet
        return sinusoid(s, at.key, *axes, BASE, rows, d_model=D, first=at.start)
    if part.kind == "none":
        return seen.leaf(at.key, axes, torch.zeros_like(x[:, at.cut]))
    table = seen.leaf(f"{at.key}.rows", axes, part.table[rows, at.cut])
    return seen.sheet.elementwise(at.key, table, label="its learned row")


@rule("model", "input", "source.input", "target.input")
def _input(seen: RecordedPass, at: Place) -> Table:
    return _added(seen, at, "token", "position")


@rule("model", "typed_input")
def _typed(seen: RecordedPass, at: Place) -> Table:
    return _added(seen, at, "x", "token type")


def _added(seen: RecordedPass, at: Place, label: str, said: str) -> Table:
    """The sum of what two steps gave: the vectors of all words, or one for all."""
    x, y = (
        seen.operand(seen.places.received(at.name, n), None, at.only) for n in (0, 1)
    )
    return seen.sheet.elementwise(at.key, x, ("+", y, said), label=label)
