"""Who fills in a masked token of a new definition: both sides, the left one, or counts.

All are asked about the same tokens: each one of 300 held-out definitions, masked once.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..data.dictionary import EOS, SPECIAL, in_ids, sample
from ..models.dictionary import (
    BERT,
    GPT,
    LEFT,
    LENGTH,
    MASK_ID,
    SIZES,
    Texts,
    in_definition,
    learned,
    masked_logits,
)
from .experiment import Experiment, grid
from .results import Row

Integers = NDArray[np.int64]
Offsets = tuple[int, ...]
Says = Callable[[Tensor, Tensor], Tensor]
ASKED = 300  # definitions
V = SIZES.vocabulary_size
FAR = 2  # tokens on each side, at most, that are counted
EOS_ID = SPECIAL.index(EOS)
#: Which neighbors each table knows; where they were never seen together, the next
#: tuple is looked up. Without neighbors, it is the most frequent token.
TABLES: Mapping[str, Sequence[Offsets]] = {
    "left neighbor": [(-1,)],
    "two on the left": [(-2, -1), (-1,)],
    "both neighbors": [(-1, 1), (-1,)],
    "two on each side": [(-2, -1, 1, 2), (-2, -1, 1), (-1, 1), (-1,)],
}


class Table:
    """The most frequent token between neighbors, in the definitions of some texts.

    Of equally frequent tokens it is the one with the largest id.

    Args:
        texts: whose definitions are counted.
        offsets: where the neighbors stand that are looked at, such as (−1, 1).
    """

    def __init__(self, texts: Texts, offsets: Offsets) -> None:
        self.offsets = offsets
        ids, places = laid_out(texts)
        runs = self._key(ids, places) * V + ids[places]
        runs, counts = np.unique(runs, return_counts=True)
        order = np.lexsort((counts, runs // V))  # by neighbors, and then by count
        keys = runs[order] // V
        last = np.flatnonzero(np.diff(keys, append=-1))
        self._keys = keys[last]
        self._best = runs[order][last] % V

    def say(self, ids: Integers, places: Integers) -> Integers:
        """Return the token for each place of a laid-out text; −1 if there is none."""
        asked = self._key(ids, places)
        at = np.searchsorted(self._keys, asked).clip(max=len(self._keys) - 1)
        return np.where(self._keys[at] == asked, self._best[at], -1)

    def _key(self, ids: Integers, places: Integers) -> Integers:
        """Write the neighbors of each place as one number."""
        key = np.zeros(len(places), np.int64)
        for offset in self.offsets:
            key = key * V + ids[places + offset]
        return key


def laid_out(texts: Texts) -> tuple[Integers, Integers]:
    """Put padding between texts, and find the tokens of their definitions.

    Returns:
        the tokens of all texts, and the places of those in definitions but ⟨EOS⟩.
    """
    ids, ends = (x.numpy().astype(np.int64) for x in texts)
    lengths = np.diff(ends)
    shift = FAR * np.arange(1, len(lengths) + 1).repeat(lengths)
    spread = np.zeros(len(ids) + FAR * (len(lengths) + 1), np.int64)
    where = np.arange(len(ids)) + shift
    spread[where] = ids
    means = np.flatnonzero(ids == SPECIAL.index("⟨MEANS⟩"))
    behind = np.arange(len(ids)) > means.repeat(lengths)
    return spread, where[behind & (ids != EOS_ID)]


@cache
def table(offsets: Offsets) -> Table:
    """Count the texts that the models learn."""
    return Table(learned(), offsets)


def counted(chain: Sequence[Offsets], texts: Texts) -> Tensor:
    """Let tables fill in each token of the definitions of some texts: (N,)."""
    ids, places = laid_out(texts)
    said = np.full(len(places), -1)
    for offsets in [*chain, ()]:
        said = np.where(said < 0, table(offsets).say(ids, places), said)
    return torch.tensor(said)


@cache
def asked() -> tuple[Tensor, ...]:
    """Return the texts that are asked about: each (T,)."""
    some = sample().held_out[:ASKED]
    return tuple(torch.tensor(in_ids(entry)[:LENGTH]) for entry in some)


def places_of(ids: Tensor) -> Tensor:
    """Return the places in a text (T,) that are asked: (N,), as `dictionary.hits`."""
    return in_definition(ids[None])[0].nonzero()[:-1, 0]  # but ⟨EOS⟩


def filled(*, right: bool) -> Says:
    """Let the BERT, or the model that never sees the right side, fill in."""
    model = (BERT if right else LEFT).trained()

    def say(ids: Tensor, places: Tensor) -> Tensor:
        masked = ids.repeat(len(places), 1)
        masked[range(len(places)), places] = MASK_ID
        with torch.inference_mode():
            logits = masked_logits(model, masked, right=right)
        return logits[range(len(places)), places].argmax(-1)

    return say


def predicted() -> Says:
    """Let the GPT predict each token from those before it."""
    model = GPT.trained()

    def say(ids: Tensor, places: Tensor) -> Tensor:
        with torch.inference_mode():
            return model(ids[None])[0, places - 1].argmax(-1)

    return say


def answers(who: str) -> Tensor:
    """Return what one of TABLES or of the models says of each token: (N,)."""
    if who in TABLES:
        ends = np.cumsum([0, *map(len, asked())])
        return counted(TABLES[who], Texts(torch.cat(asked()), torch.tensor(ends)))
    say = predicted() if who == "GPT" else filled(right=who == "BERT")
    return torch.cat([say(ids, places_of(ids)) for ids in asked()])


def run(who: str) -> Row:
    """Measure one of TABLES or of the models.

    Returns:
        the share of tokens that are filled in "exactly"; the same of those at the
        "start of a word" and "within a word"; and how many "tokens" are asked.
    """
    truth = torch.cat([ids[places_of(ids)] for ids in asked()])
    right = (answers(who) == truth).double()
    start = starts_word(truth)
    return {
        "exactly": float(right.mean()),
        "start of a word": float(right[start].mean()),
        "within a word": float(right[~start].mean()),
        "tokens": len(truth),
    }


def starts_word(ids: Tensor) -> Tensor:
    """Tell which tokens begin with a space: boolean (N,)."""
    words = GPT.words or ()
    return torch.tensor([words[n].startswith("Ġ") for n in ids.tolist()])


EXPERIMENT = Experiment(
    name="filling_in",
    runs=grid(who=[*TABLES, "GPT", "BERT", "left side alone"]),
    measure=run,
    models={"gpt": GPT, "bert": BERT, "left": LEFT},
    settings={"asked": ASKED, "tables": {name: [*c] for name, c in TABLES.items()}},
)
