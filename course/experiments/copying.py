"""Which word stood k steps ago? Asked of networks that carry it, and of one that looks.

The kept results are made by `python -m course.experiments.copying`.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from transformer_lib.checkpoints import read_part, write_parts
from transformer_lib.checks.validation import check_size

from ..models.copier import D_MODEL, WORDS, Copier, sentences, trained
from ..models.sequence_layer import KINDS, Kind
from ..trained import CHECKPOINTS

ASKED = 1000
FLOOR = 1 / WORDS  # right answers of one who guesses
DISTANCES = (4, 8, 16, 32, 64)
SEEDS = (0, 1, 2, 3, 4)
STEPS = 200
KEPT = 1000  # steps of a training at DISTANCES whose results are kept
FILE = "copying.json"
NEAR = 16  # steps ago, where controls are trained too, for STEPS steps
#: What is trained there: of each the kind, and what else is changed.
CONTROLS: Mapping[str, tuple[Kind, dict[str, Any]]] = {
    **{kind: (kind, {}) for kind in KINDS},
    "RNN, told places": ("RNN", {"places": True}),
    "LSTM, told places": ("LSTM", {"places": True}),
    "RNN, d = 64": ("RNN", {"d_model": 64}),
}


def run(
    k: int,
    kinds: Sequence[Kind] = KINDS,
    *,
    steps: int = STEPS,
    seed: int = 0,
    d_model: int = D_MODEL,
    places: bool = False,
) -> dict[Kind, float]:
    """Train one model of each kind to say which word stood k steps ago.

    Each model sees the same batches of 32 sentences, every word drawn at random from
    8; then it is asked about 1000 new sentences. A guess is right once in 8.

    Args:
        k: steps between the word and the question.
        kinds: of layers to compare.
        steps: batches to learn from.
        seed: of weights and sentences.
        d_model: D of all models.
        places: whether all are told positions, and not attention alone.

    Returns:
        for each kind, the share of right answers.

    Raises:
        TypeError, ValueError: k, steps or d_model is below 1, or a kind is unknown.

    Source: D1.2.2, D1.2.3, D1.3.2.
    """
    check_size("k", k)
    found: dict[Kind, float] = {}
    for kind in kinds:
        model = trained(kind, k, steps=steps, seed=seed, d_model=d_model, places=places)
        found[kind] = _share_right(model, k, seed)
    return found


def _share_right(model: Copier, k: int, seed: int) -> float:
    new = torch.Generator().manual_seed(-1 - seed)
    ids = sentences(k, ASKED, new)
    with torch.no_grad():
        return float((model(ids).argmax(-1) == ids[:, 0]).float().mean())


def load_results(folder: Path = CHECKPOINTS) -> dict[Kind, list[list[float]]]:
    """The kept shares: for each kind, a row for each of DISTANCES, in it five seeds.

    Raises:
        FileNotFoundError: the folder does not hold them.
        ValueError: their file is broken.
    """
    kept: dict[Kind, list[list[float]]] = read_part(folder / FILE, "distances")
    return kept


def load_controls(folder: Path = CHECKPOINTS) -> dict[str, list[float]]:
    """The kept shares of each of CONTROLS, from five seeds.

    Raises:
        FileNotFoundError, ValueError: as for `load_results`.
    """
    kept: dict[str, list[float]] = read_part(folder / FILE, "controls")
    return kept


def main(
    folder: Path = CHECKPOINTS,
    steps: int = KEPT,
    distances: Sequence[int] = DISTANCES,
    near: int = NEAR,
) -> None:
    """Train every kind at every distance from five seeds; keep what came of it.

    And the controls at one distance.
    """
    found: dict[Kind, list[list[float]]] = {kind: [] for kind in KINDS}
    for k in distances:
        shares = [run(k, steps=steps, seed=seed) for seed in SEEDS]
        for kind in KINDS:
            found[kind].append([round(share[kind], 3) for share in shares])
            sys.stdout.write(f"{k:3} steps ago  {kind:10} {found[kind][-1]}\n")
    controls: dict[str, list[float]] = {}
    for name, (kind, changed) in CONTROLS.items():
        few = min(steps, STEPS)
        seeds = [run(near, [kind], steps=few, seed=s, **changed) for s in SEEDS]
        controls[name] = [round(share[kind], 3) for share in seeds]
        sys.stdout.write(f"{near:3} steps ago  {name:17} {controls[name]}\n")
    write_parts({"distances": found, "controls": controls}, folder / FILE)


if __name__ == "__main__":
    main()
