"""Exercises of notebook 02: from words to ids, from ids to rows, and how far apart."""

import math

import numpy as np
import torch

from ..models import nearness
from .exercise import Array, Exercise, draw

SOME = "Ajish works as an AI ⟨UNK⟩ the is"


def _encode(sentence: str, vocabulary: str, unknown: str) -> Array:
    ids = {word: n for n, word in enumerate(vocabulary.split())}
    return np.array([ids.get(word, ids[unknown]) for word in sentence.split()])


encode = Exercise(
    solution='''def encode(sentence, vocabulary, unknown):
    """Give the id of each word, from 0; a word outside has that of `unknown`."""
    words = vocabulary.split()
    known = [w if w in words else unknown for w in sentence.split()]
    return np.array([words.index(w) for w in known])''',
    right=_encode,
    cases=(
        ("AI is an AI", SOME, "⟨UNK⟩"),
        ("the quantum AI is an ai", SOME, "⟨UNK⟩"),
        ("is Ajish a Engineer", "⟨SOS⟩ Ajish ⟨UNK⟩ is an", "⟨UNK⟩"),
    ),
    holds="Each word has an id, also one that was never seen. Next: what has the "
    "sentence lost when `decode` writes it again?",
    mistakes={
        "The ids are counted from 1. The first row of a matrix has the "
        "number 0.": "words.index(w) for → words.index(w) + 1 for",
        "Words outside the list were left out: the sentence is shorter. What "
        "stands in their place?": (
            "w if w in words else unknown for w in sentence.split() → "
            "w for w in sentence.split() if w in words"
        ),
        "A word outside has the id −1. As a row number, −1 is the *last* row: a real "
        "word. Which entry is meant for it?": (
            "words.index(w) for w in known → "
            "words.index(w) if w in words else -1 for w in sentence.split()"
        ),
        "A word outside has the number of words as its id. E has no such row. Which "
        "entry is meant for it?": (
            "words.index(w) for w in known → "
            "words.index(w) if w in words else len(words) for w in sentence.split()"
        ),
        "A word outside has the id 0. That is the first word of the list. Which entry "
        "is meant for it?": "else unknown → else words[0]",
        "Capital letters were ignored: “ai” became “AI”. In the list "
        "they are two strings.": (
            "w if w in words else unknown → "
            "(words + [unknown])[[v.lower() for v in words + [w]].index(w.lower())]"
        ),
        "A word that comes twice has one id only. "
        "Every place of the sentence has its own.": (
            "w in sentence.split() → w in dict.fromkeys(sentence.split())"
        ),
    },
)

embed = Exercise(
    solution='''def embed(ids, E):
    """Look the rows of E (V, D) up for ids (T,), times √D: the vectors (T, D)."""
    return E[ids] * E.shape[1] ** 0.5''',
    right=lambda ids, E: E[list(ids)] * math.sqrt(len(E.T)),
    cases=(
        (np.array([2, 0, 2]), np.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 9]])),
        (np.array([1, 4, 4, 0]), *draw(2, (5, 5))),
        (np.array([3]), *draw(3, (6, 6))),
        (np.array([0, 2]), *draw(4, (4, 3))),
    ),
    holds="These lines are the layer `TokenEmbedding`. Next: which rows of E can a "
    "sentence change in training?",
    mistakes={
        "The rows are right, but as they stand in E. By what does the paper multiply "
        "them?": " * E.shape[1] ** 0.5 → ",
        "The factor is D. Lengths grow with the root of "
        "the number of features.": " ** 0.5 → ",
        "The rows were divided. A vector of small numbers is to become as large as "
        "the positions.": "* E → / E",
        "The factor comes from the number of words. Which side of E are the "
        "features?": "E.shape[1] → E.shape[0]",
        "Columns were picked. One row of E belongs to one word: "
        "which axis do the ids count?": "E[ids] → E[:, ids].T",
        "The ids were counted from 1. Row 0 belongs to "
        "the id 0.": "E[ids] → E[ids - 1]",
    },
)


def _cosine_distance(E: Array) -> Array:
    return np.asarray(nearness.cosine_distance(torch.tensor(E)).numpy())


cosine_distance = Exercise(
    solution='''def cosine_distance(E):
    """Give 1 minus the cosine of every two rows of E (V, D): a matrix (V, V)."""
    unit = E / np.sqrt((E**2).sum(axis=1, keepdims=True))
    return 1 - unit @ unit.T''',
    right=_cosine_distance,
    cases=(
        (np.array([[1.0, 0], [3, 0], [0, 2], [-1, 0]]),),
        draw(5, (3, 4)),
        draw(6, (4, 4)),
    ),
    holds="0 for the same direction, 1 for perpendicular rows, 2 for opposite ones. "
    "Next: give it the identity matrix, which is all one-hot rows.",
    mistakes={
        "The diagonal is 1: this is how alike two rows are. How far is a row from "
        "itself?": "1 - unit → unit",
        "Longer rows have other results: rows 0 and 1 of the first case point the "
        "same way. What makes a row's length 1?": (
            "E / np.sqrt((E**2).sum(axis=1, keepdims=True)) → E"
        ),
        "The rows were divided by their squared lengths. "
        "A root is missing.": "np.sqrt((E**2).sum(axis=1, keepdims=True)) → "
        "(E**2).sum(axis=1, keepdims=True)",
        "The columns got length 1, not the rows. Along which axis are a word's numbers "
        "added?": "axis=1 → axis=0",
        "The rows were divided by the sum of their numbers, not by their "
        "length. Pythagoras helps.": "np.sqrt((E**2) → ((E)",
    },
)

merge = Exercise(
    solution='''def merge(ids, a, b, new):
    """From left to right, replace each a that is followed by b with one `new`."""
    out, i = [], 0
    while i < len(ids):
        pair = i + 1 < len(ids) and ids[i] == a and ids[i + 1] == b
        out, i = out + [new if pair else ids[i]], i + 1 + pair
    return np.array(out)''',
    right=lambda ids, a, b, new: _merge(ids, a, b, new),
    cases=(
        (np.array([1, 2, 3, 1, 2]), 1, 2, 9),
        (np.array([2, 1, 2, 1, 1]), 1, 2, 9),
        (np.array([4, 4, 4, 4, 4, 3]), 4, 4, 7),
        (np.array([3, 1]), 1, 2, 9),
    ),
    holds="One step of byte-pair encoding: the sentence is shorter, the vocabulary has "
    "one token more. Next: which pair would you merge now?",
    mistakes={
        "The second of the two is still there. How far does a merge move "
        "on?": "i + 1 + pair → i + 1",
        "The pair in the other order was merged too. “ab” and “ba” "
        "are different pairs.": (
            "ids[i] == a and ids[i + 1] == b → sorted(ids[i : i + 2]) == sorted([a, b])"
        ),
        "Only the first pair was merged. It is done wherever the pair "
        "stands.": "and ids[i] == a → and new not in out and ids[i] == a",
        "The pairs were merged from the right: of five in a row, the first was left "
        "over. From which side?": (
            "return np.array(out) → "
            "text = ''.join(map(chr, ids))[::-1].replace(chr(b) + chr(a), chr(new))\n"
            "    return np.array([*map(ord, text[::-1])])"
        ),
        "Every a was replaced. What must come after it?": " and ids[i + 1] == b → ",
        "The pair was thrown away. One new token takes "
        "its place.": "[new if pair else ids[i]] → ([] if pair else [ids[i]])",
    },
)


def _merge(ids: Array, a: int, b: int, new: int) -> Array:
    text = "".join(chr(100 + i) for i in ids)
    merged = text.replace(chr(100 + a) + chr(100 + b), chr(100 + new))
    return np.array([ord(c) - 100 for c in merged])


EXERCISES = (encode, embed, cosine_distance, merge)
