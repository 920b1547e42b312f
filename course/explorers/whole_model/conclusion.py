"""What a step of a pass comes to for the followed token, in one short sentence."""

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from explorable import Array, Table, plots

from .scene import Scene

WORDS = "probabilities", "logits"


def conclusion(
    scene: Scene, shown: Table, was: Table | None, patched: list[str]
) -> str:
    """State what the token's row says: with patches, what they have changed in it.

    Args:
        scene: with the step and the token.
        shown: the step's tensor.
        was: the same of the unpatched pass, if there is one.
        patched: the names of the tensors that were replaced.

    Returns:
        the sentence, or "" of a vector that is compared with none, or not recorded.
    """
    n = scene.row_in(shown, scene.name)
    word = shown.rows.labels[n]
    labels = shown.columns.labels
    last = scene.at.path.rpartition(".")[-1]
    row = shown.values[n]
    before = None if was is None else was.values[n]
    if last in WORDS:
        said = f"after “{word}”: {_favorite(labels, row, before)}"
    elif last == "weights":
        said = f"“{word}” looks {_favorite(labels, row, before, 'most at ')}"
    elif was is not None and scene.name in scene.tensors:
        said = f"“{word}” {_moved(scene, shown)}"
    else:
        return ""
    return said if was is None else f"{_replaced(patched)}: {said}"


def _favorite(
    labels: Sequence[str], row: Array, before: Array | None, how: str = ""
) -> str:
    """The largest of a row, and the one before, if that was another."""
    (now, x), *old = (
        (labels[int(np.nan_to_num(one, nan=-np.inf).argmax())], plots.number(one.max()))
        for one in (row, before)
        if one is not None
    )
    said = f"“{now}” ({x})"
    if not old:
        return how + said
    [(then, y)] = old
    at = "at " * bool(how)
    if now == then:
        return f"{how}{said}, " + ("as before" if x == y else f"before {y}")
    return f"{at}{said}, not {at}“{then}” ({y})"


def _moved(scene: Scene, shown: Table) -> str:
    """How far the token's whole vector has moved, measured by its length."""
    n = scene.row_in(shown, scene.name)
    was, now = (_row(x[scene.name], scene.own_head, n) for x in scene.passes)
    far, length = np.linalg.norm(now - was), np.linalg.norm(was)
    if far == 0:
        return "has not moved"
    if not np.isfinite(far / length):
        return "has moved beyond all numbers"
    return f"has moved by {100 * far / length:.0f} % of its length"


def _row(x: Tensor, head: int | None, n: int) -> Array:
    values: Array = x.reshape(-1, *x.shape[-2:])[head or 0, n].double().cpu().numpy()
    return values


def _replaced(names: Sequence[str]) -> str:
    """What was patched, in a few words."""
    if len({*names}) != 1:
        return f"{len({*names}) or 'no'} tensors patched"
    name = names[0].replace("_", "-")
    stack, _, rest = name.partition(".blocks.")
    if not rest:
        return f"{name} patched"
    number, _, part = rest.partition(".")
    return f"{stack} block {int(number) + 1}, {part.split('.')[-1]} patched"
