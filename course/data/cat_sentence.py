"""The cat sentence: what each word is, and three matrices that say what to do with it.

Set by hand: they show what attention can do, not what a model has learned.
"""

import numpy as np
from numpy.typing import NDArray

SAID = "The cat sat on the mat , and it was happy"
SENTENCE = tuple(SAID.split())
#: What a row of X says of its word: 1 where it is so.
FEATURES = (
    *("alive", "thing", "furniture", "action", "place"),
    *("article", "joins", "pronoun", "quality", "mark"),
)
KINDS = (
    *("article", "alive thing", "action", "place", "article", "thing furniture"),
    *("mark", "joins", "pronoun", "action", "quality"),
)
X = np.array([[float(f in kind.split()) for f in FEATURES] for kind in KINDS])


def _rows(width: int, **rows: list[float]) -> NDArray[np.float64]:
    """A row of numbers for each feature, of zeros where none is given."""
    return np.array([rows.get(f, [0.0] * width) for f in FEATURES])


#: What a word of this kind looks for: something alive, a thing, an action, a place.
W_Q = _rows(
    4,
    alive=[0, 0, 5, 0],  # a cat looks for its action
    furniture=[0, 0, 0, 5],
    action=[6, 0, 0, 0],
    place=[-4, 6, 0, 0],
    article=[0, 4, 0, 0],
    joins=[0, 0, 5, 0],
    pronoun=[6, 2, 0, 0],  # something alive, preferably a thing
    quality=[5, 0, 0, 0],
)
#: What it can be found by: the same four.
W_K = _rows(
    4, alive=[1, 0, 0, 0], thing=[0, 1, 0, 0], action=[0, 0, 1, 0], place=[0, 0, 0, 1]
)
#: What it hands over: how much of an animal, and of furniture.
W_V = _rows(2, alive=[1, 0], furniture=[0, 1])
