"""online_softmax: softmax attention tile by tile, and the memory that it moves."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from explorable import Axis, Explorer, Sheet, Style, plots
from explorable.controls import choice, stops, whole
from explorable.drawings.bars import Bars
from explorable.player import Player

from ...experiments.memory_traffic import moved
from ...experiments.online_softmax import Running
from ...experiments.online_softmax import online_softmax as tile_by_tile

WORDS = ("the", "cat", "sat", "on", "the", "mat", ",", "and", "it", "was", "happy", ".")
ORDERS = ("as read", "rising", "falling")
TILES = (1, 2, 3, 4, 6, 12)
SCORES = (1.2, 3.1, 0.4, -0.6, 0.9, 2.2, -1.5, 0.1, 4.0, 1.7, 2.6, -0.3)
VALUES = (
    (1.0, 0.2, -0.5),
    (0.8, -1.0, 0.3),
    (-0.4, 0.9, 0.7),
    (0.1, 0.5, -1.2),
    (1.0, 0.2, -0.5),
    (-0.9, 0.3, 1.1),
    (0.0, -0.2, 0.4),
    (0.6, 0.6, 0.1),
    (0.7, -0.8, 0.5),
    (-0.3, 1.2, -0.1),
    (1.3, 0.4, 0.9),
    (0.2, -0.1, 0.0),
)


def online_softmax(tile: int = 3, *, order: str = "as read", step: int = 3) -> Explorer:
    """Step through one query's attention, one tile of keys at a time.

    Args:
        tile: keys in a tile: 1, 2, 3, 4, 6 or 12.
        order: of the twelve keys: "as read", or with "rising" or "falling" scores.
        step: tiles that were read, from 1.

    Returns:
        an Explorer with these controls. Its values: "terms" (tiles, 12): what each key
        adds to the running sum, after each tile; "running" (tiles, 3): the running
        maximum, the factor that rescales what was kept, and the running sum; "output"
        (tiles + 1, 3), after each tile and by the whole softmax; "memory" (2, 2): the
        numbers read and written for twelve queries, by the whole softmax and in tiles.

    Raises:
        TypeError, ValueError: there is no such setting.

    Source: Milakov and Gimelshein (2018); Dao et al. (2022).
    """
    controls = {
        "step": whole("step", step, 1, len(WORDS)),
        "tile": stops("keys in a tile", TILES, tile, "tile"),
        "order": choice("order", ORDERS, order, "order"),
    }
    return Player(
        "online_softmax",
        online_softmax_sheet,
        controls,
        title="Softmax in tiles",
        task="Step from tile to tile: when does the kept sum have to be rescaled?",
    )


def online_softmax_sheet(*, tile: int, order: str, step: int) -> Sheet:
    """Show what is kept after each tile, and that it ends at the whole softmax."""
    given = np.array(SCORES)
    ranks = {
        "as read": np.arange(len(given)),
        "rising": np.argsort(given, kind="stable"),
        "falling": np.argsort(-given, kind="stable"),
    }
    at = ranks[order]
    scores = torch.tensor(given[at])
    values = torch.tensor(np.array(VALUES)[at])
    states = [*tile_by_tile(scores, values, tile)]
    s = Sheet()
    s.control("step", max=len(states))
    step = min(step, len(states))
    key = Axis("key", [WORDS[n] for n in at])
    _show_keys(s, key, scores, states, tile, step)
    _show_kept(s, states, step)
    _show_output(s, states, step, scores.softmax(-1) @ values)
    _draw_memory(s, tile)
    return s


def _show_keys(
    s: Sheet, key: Axis, scores: Tensor, states: Sequence[Running], tile: int, step: int
) -> None:
    """Show the scores, the tile that is read, and the weights of what was read."""
    place = np.arange(len(scores))
    tiles = place // tile
    look: Style = {"palette": "scores", "vmax": 4.0, "size": "large", "digits": 1}
    look |= {"aligns": True, "concludes": True, "note": _said(states, step)}
    look |= {"sentence": "score of the query for “{column}”"}
    look |= {"formula": f"of the query “it” · framed: tile {step}", "longest": "tile 1"}
    look |= {"decimals": 2, "outlined": tiles[None] == step - 1}
    table = s.leaf("scores", Axis("", ["score"]), key, scores[None])
    s.show(table, "scores", **look)
    after = np.arange(step)[:, None]
    m = np.array([float(x.largest) for x in states[:step]])
    terms = np.where(tiles <= after, np.exp(scores.numpy() - m[:, None]), 0.0)
    look = {"palette": "weights", "vmax": 1.0, "size": "large", "blank_zeros": True}
    look |= {"aligns": True, "formula": "exp(score − m), added up to z"}
    look |= {"sentence": "what “{column}” adds to z, after {row}", "band": 1}
    look |= {"outlined": tiles == after, "sources": ["scores"]}
    table = s.leaf("terms", _tiles(step), key, terms)
    s.show(table, "terms of the sum", **look)


def _tiles(step: int) -> Axis:
    """The tiles that were read."""
    return Axis("tile", [f"tile {n + 1}" for n in range(step)])


def _said(states: Sequence[Running], step: int) -> str:
    """Say what the newest tile does to the sum that is kept."""
    new = float(states[step - 1].largest)
    if step == 1:
        return "Tile 1: nothing is kept yet, so nothing is rescaled."
    old = float(states[step - 2].largest)
    if new == old:
        return f"Tile {step}: no new maximum, so nothing is rescaled."
    largest, factor = plots.number(new, 1), plots.number(float(np.exp(old - new)), 2)
    rise = f"Tile {step}: a new maximum, {largest}"
    return f"{rise}. The kept sum is rescaled, × {factor}."


def _show_kept(s: Sheet, states: Sequence[Running], step: int) -> None:
    """Show the running maximum, the factor, and the running sum, tile by tile."""
    m = np.array([float(x.largest) for x in states])
    z = np.array([float(x.total) for x in states])
    before = np.concatenate([[-np.inf], m[:-1]])
    kept = np.stack([m, np.exp(before - m), z], axis=1)[:step]
    columns = Axis("", ("max m", "factor c", "sum z"))
    changed = np.zeros(kept.shape, dtype=bool)
    changed[1:, 1] = kept[1:, 1] < 1
    look: Style = {"palette": "scores", "vmax": 6.0, "size": "large"}
    look |= {"band": 1, "words": ("–",), "opens": step - 1, "leads": True}
    look |= {"sentence": "{column} after {row}", "formula": "c = exp(old m − new m)"}
    look["sources"] = ["terms"]
    look["note"] = "framed: rescaled" if changed.any() else ""
    table = s.leaf("running", _tiles(step), columns, kept)
    s.show(table, "kept", outlined=changed, **look)


def _show_output(s: Sheet, states: Sequence[Running], step: int, whole: Tensor) -> None:
    """Show the output after each tile, and by the whole softmax."""
    rows = [(x.output / x.total).numpy() for x in states[:step]]
    labels = [*(f"tile {n + 1}" for n in range(step)), "whole"]
    table = s.leaf("output", Axis("", labels), "feature", [*rows, whole.numpy()])
    apart = float(np.abs(rows[-1] - whole.numpy()).max())
    same = apart < 1e-6
    note = "all keys read: equal" if same else f"{plots.number(apart, 2)} apart so far"
    look: Style = {
        "palette": "output",
        "vmax": 1.5,
        "size": "large",
        "band": 1,
    }
    look |= {"sentence": "output, feature {column}, after {row}", "formula": "o ÷ z"}
    look["sources"] = ["running"]
    s.show(table, "output", note=note, **look)


def _draw_memory(s: Sheet, tile: int) -> None:
    """Draw how many numbers are read and written for twelve queries."""
    n, d = len(WORDS), len(VALUES[0])
    counts = np.array([moved(n, d), moved(n, d, tile)], dtype=np.float64)
    most = max(*moved(n, d), *(max(moved(n, d, size)) for size in TILES))
    total = counts.sum(1)
    drawing = Bars(
        name="memory",
        title="slow memory",
        formula=f"numbers moved, {n} queries",
        palette="weights",
        labels=("whole softmax", f"tiles of {tile}"),
        series=("read", "written"),
        hues=("weights", "position"),
        scale=(0.0, float(most)),  # the same for all tiles
        digits=0,
        sentence="numbers {series}: {label}",
        note=f"in all: {total[0]:,.0f} whole, {total[1]:,.0f} in tiles",
        least=16,
        wide=12,
    )
    s.draw(drawing, counts)
