"""Which word stood k steps ago? Asked of networks that carry it, and of one that looks.

The kept results are made by `python -m transformer_lib.small_models.copying`.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..checkpoints import CHECKPOINTS, reading
from ..checks.validation import check_size
from ..model.embedding import sinusoidal_encoding
from ..training import fit
from .recurrence import KINDS, Kind, SequenceLayer

WORDS, D_MODEL, BATCH, ASKED = 8, 32, 32, 1000
FLOOR = 1 / WORDS  # right answers of one who guesses
DISTANCES, SEEDS = (4, 8, 16, 32, 64), (0, 1, 2)
STEPS, KEPT = 200, 1000  # of a training, and of those whose results are kept


class Copier(nn.Module):
    """One layer that reads k + 1 words, and says the first of them after the last.

    Attention is told positions by waves that are added to the words, since it has no
    order of its own; the others read in order, and are told them as a control.

    Args:
        kind: of the layer.
        d_model: D.
        places: whether positions are added whatever the kind.

    Raises:
        TypeError, ValueError: the kind is unknown, or d_model is below 1.

    Source: Hochreiter and Schmidhuber (1997), §5.2, for the task; D1.2.2, D1.2.3.
    """

    def __init__(
        self, kind: Kind, d_model: int = D_MODEL, *, places: bool = False
    ) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, d_model)
        self.layer = SequenceLayer(kind, d_model)
        self.output = nn.Linear(d_model, WORDS)
        self.places = places or kind == "attention"

    def forward(self, ids: Tensor) -> Tensor:
        """Turn ids (B, k + 1) into the logits of the first word (B, WORDS)."""
        x = self.words(ids)  # (B, k + 1, D)
        if self.places:
            x = x + sinusoidal_encoding(ids.size(1), x.size(-1))
        logits: Tensor = self.output(self.layer(x)[:, -1])  # (B, WORDS)
        return logits


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
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = Copier(kind, d_model, places=places)
        found[kind] = _share_right(model, k, steps, seed)
    return found


def _share_right(model: Copier, k: int, steps: int, seed: int) -> float:
    def batch(draw: torch.Generator) -> Tensor:
        return torch.randint(WORDS, (BATCH, k + 1), generator=draw)

    fit(
        model,
        batch,
        lambda ids: F.cross_entropy(model(ids), ids[:, 0]),
        steps,
        seed=seed,
    )
    new = torch.Generator().manual_seed(-1 - seed)
    ids = torch.randint(WORDS, (ASKED, k + 1), generator=new)
    with torch.no_grad():
        return float((model(ids).argmax(-1) == ids[:, 0]).float().mean())


def load_results(folder: Path = CHECKPOINTS) -> dict[Kind, list[list[float]]]:
    """The kept shares: for each kind, a row for each of DISTANCES, in it three seeds.

    Raises:
        FileNotFoundError: the folder does not hold them.
        ValueError: their file is broken.
    """
    kept: dict[Kind, list[list[float]]]
    with reading(folder / "copying.json") as file:
        kept = json.loads(file.read_text("utf-8"))
    return kept


def main(
    folder: Path = CHECKPOINTS,
    steps: int = KEPT,
    distances: Sequence[int] = DISTANCES,
) -> None:
    """Train every kind at every distance from three seeds; keep what came of it."""
    found: dict[Kind, list[list[float]]] = {kind: [] for kind in KINDS}
    for k in distances:
        shares = [run(k, steps=steps, seed=seed) for seed in SEEDS]
        for kind in KINDS:
            found[kind].append([round(share[kind], 3) for share in shares])
            sys.stdout.write(f"{k:3} steps ago  {kind:10} {found[kind][-1]}\n")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "copying.json").write_text(json.dumps(found) + "\n", "utf-8")


if __name__ == "__main__":
    main()
