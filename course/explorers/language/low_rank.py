"""low_rank: what LoRA adds to a frozen matrix, what it costs, and what it brings."""

from functools import cache
from typing import NamedTuple

import numpy as np

from explorable import Array, Axis, Explorer, Sheet, Style, Table
from explorable.controls import stops
from explorable.drawings.bars import Bars

from ...experiments.fine_tuning import (
    BY_GPT,
    BY_RANK,
    CHANGE,
    CHANGED,
    DRAWS,
    EXAMPLES,
    RANKS,
)
from ...models.dictionary import GPT
from ...models.lora import add_lora, trained_parameters

LOOK: Style = {"palette": "scores", "size": "tiny", "digits": 3}
SHOWN = 8  # features, and ranks, of a matrix
VIVID = 0.6  # of the largest change has the full color: small ones are seen, too
WIDE = 17.0  # em of a scale
ROOM = 12  # characters of a label: none moves when another one is marked
ALL = "full tuning"  # all parameters are fine-tuned: what LoRA is compared with


def low_rank(rank: int = 1) -> Explorer:
    """Choose the rank of LoRA, and see what it adds to a matrix, costs and brings.

        W + B A,  B: (D, r),  A: (r, D)

    W is W_V in the last block of the dictionary's GPT. B A is the closest matrix of
    rank r to what full fine-tuning of the model changed in W. The accuracies
    are those of LoRA, which learns its own A and B, with 20 labeled examples of each
    kind and the learning rate that was chosen for rank 8. A rank's accuracy is shown
    when the slider has reached it.

    Args:
        rank: r, one of 0, 1, 2, 4, 8, 16, 32 and 80. With 0 the head alone is trained.

    Returns:
        an Explorer with the control "rank". Its values: "W", "B", "A", "BA" and
        "change", for the first 8 features; "parameters" (9, 1), the percentage of the
        model's parameters in all updates of each rank, and in full fine-tuning; and
        "accuracy" (9, 1) with each rank, or 0 where it is not shown, and with that.

    Raises:
        TypeError, ValueError: rank is not one of these.

    Source: Hu et al. (2022), §4.1.
    """
    return Explorer(
        "low_rank",
        low_rank_sheet,
        {"rank": stops("rank r", RANKS, rank, "rank")},
        title="LoRA: an update of low rank",
        task="Raise the rank. When does BA resemble the change? When is it enough?",
    )


class Found(NamedTuple):
    """What does not depend on the rank.

    Attributes:
        W: the first features (n, n) of the matrix before fine-tuning.
        B, A: (n, D) and (D, n), whose product is what fine-tuning changed.
        shares: how much of the change each rank from 0 on holds (D + 1,), as a share of
            the sum of its squares.
        everything: how many parameters the model has.
        updates: the number of matrices with an update.
        accuracy: of each of RANKS (8,), the mean of all draws.
        full: the accuracy after full fine-tuning.
    """

    W: Array
    B: Array
    A: Array
    shares: Array
    everything: int
    updates: int
    accuracy: Array
    full: float


@cache
def found() -> Found:
    """Read the matrix, its change, and the accuracies."""
    model = GPT.trained()
    everything = trained_parameters(model)
    W = model.get_parameter(f"{CHANGED}.weight").detach().double().numpy()
    add_lora(model, 1)
    (row,) = CHANGE.results()
    squares = np.square(row["sizes"]).cumsum()
    full = BY_GPT.table("accuracy", method="fine-tuned", count=EXAMPLES).mean()
    return Found(
        W[:SHOWN, :SHOWN],
        np.array(row["B"])[:SHOWN],
        np.array(row["A"])[:, :SHOWN],
        np.append(0.0, squares / squares[-1]),
        everything,
        trained_parameters(model) // (2 * len(W)),
        BY_RANK.table("accuracy", rank=RANKS).mean(1),
        float(full),
    )


def low_rank_sheet(*, rank: int) -> Sheet:
    """Draw the update of one matrix, and what each rank up to this one brings."""
    s = Sheet()
    draw_update(s, rank)
    draw_parameters(s, rank)
    draw_accuracy(s, rank)
    return s


def draw_update(s: Sheet, rank: int) -> None:
    """Draw W, B, A, their product, and the change that it approximates."""
    has = found()
    D = len(has.A)
    out, into = (Axis.numbered(name, SHOWN) for name in ("output", "input"))
    at = "output {row}, input {column}"
    strong, weak = abs(has.W).max(), VIVID * abs(has.B @ has.A).max()
    W = s.leaf("W", out, into, has.W)
    few = f"{SHOWN} of {D} features"
    look = LOOK | {"vmax": float(strong), "note": few, "sentence": f"W of {at}"}
    s.show(W, formula="frozen", **look)
    product = s.leaf("BA", out, into, np.zeros((SHOWN, SHOWN)))
    if rank:
        s.forget(product)
        product = draw_factors(s, rank, out, into)
    look = LOOK | {"vmax": float(weak), "sentence": f"the update of {at}"}
    look |= {"formula": f"{D} × {D}" if rank else "no update"}
    look["note"] = f"{100 * has.shares[rank]:.0f}% of the change"
    s.show(product, leads=True, concludes=True, **look)
    look |= {"formula": ""}
    look |= {"note": f"scale: {strong / weak:.0f} times W’s"}
    look |= {"sentence": f"what full fine-tuning changed in W, {at}"}
    change = s.leaf("change", out, into, has.B @ has.A)
    s.show(change, "change in W", **look)


def draw_factors(s: Sheet, rank: int, out: Axis, into: Axis) -> Table:
    """Draw as much of B and of A as there is room for, and return their product."""
    has = found()
    D = len(has.A)
    each = Axis.numbered("r", rank)
    few = each.labels[:SHOWN]
    B = s.leaf("B", out, each, has.B[:, :rank])
    A = s.leaf("A", each, into, has.A[:rank])
    some = f"{SHOWN} of {rank} " if rank > SHOWN else ""
    full = max(abs(has.B).max(), abs(has.A).max())
    look = LOOK | {"vmax": float(full), "note": some and f"{some}columns"}
    look |= {"columns": few, "sentence": "B of output {row}, column {column}"}
    s.show(B, formula=f"{D} × {rank}", **look)
    rows = s.pick("A, its first rows", A, Axis("r", few), range(len(few)))
    look |= {"columns": into.labels, "sentence": "A of row {row}, input {column}"}
    look |= {"note": some and f"{some}rows"}
    s.show(rows if some else A, "A", formula=f"{rank} × {D}", **look)
    return s.matmul("BA", B, A)


def draw_parameters(s: Sheet, rank: int) -> None:
    """Draw how large all updates together are with each rank."""
    has = found()
    D = len(has.A)
    share = [100 * 2 * r * D * has.updates / has.everything for r in RANKS]
    one = 2 * rank * D
    drawing = Bars(
        name="parameters",
        title="all updates",
        formula=f"% of {has.everything:,} parameters",
        palette="scores",
        labels=labels(rank),
        least=ROOM,
        wide=WIDE,
        scale=(0.0, 100.0),  # a sliver is the point: full tuning updates all of them
        rest=True,
        sentence="what is updated, in % of the model’s parameters: {label}",
        note=f"{has.updates} × {one:,} = {has.updates * one:,} parameters",
        chooses=("rank", [*RANKS, None]),
        band=1,
    )
    s.draw(drawing, np.reshape([*share, 100.0], (-1, 1)))


def draw_accuracy(s: Sheet, rank: int) -> None:
    """Draw the accuracy with each rank up to this one."""
    has = found()
    hidden = np.reshape([*RANKS, 0], (-1, 1)) > rank
    brought = np.append(has.accuracy, has.full)[:, None]
    drawing = Bars(
        name="accuracy",
        title="accuracy of LoRA",
        formula="on held-out nouns",
        palette="output",
        labels=labels(rank),
        least=ROOM,
        wide=WIDE,
        hidden=hidden,
        masked_text="?",
        scale=(0.0, float(np.ceil(5 * brought.max()) / 5)),
        rest=True,
        sentence="accuracy on held-out nouns: {label}",
        note=f"mean of {len(DRAWS)} draws, at one learning rate",
        chooses=("rank", [*RANKS, None]),
        band=1,
    )
    s.draw(drawing, np.where(hidden, 0.0, brought))


def labels(rank: int) -> list[str]:
    """The ranks, one of them marked, and full fine-tuning."""
    return [*(f"r = {r} ✓" if r == rank else f"r = {r}" for r in RANKS), ALL]
