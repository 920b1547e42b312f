"""The cat sat on the mat, and it was happy: who was happy? Sentences that ask for it.

"it" stands for one of two nouns of different kinds. Which of them comes first says
nothing; the last word does: only animals are happy, and only furniture is wooden.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from transformer_lib.checks.validation import brief
from transformer_lib.text.vocabulary import Vocabulary

from .batches import padded
from .known import check_known
from .pairs import PAD
from .split import Part, Split


class Kind(NamedTuple):
    """Nouns of one kind, and what is said of them alone."""

    nouns: tuple[str, ...]
    qualities: tuple[str, ...]


KINDS = (
    Kind(
        ("cat", "dog", "bird", "horse", "mouse", "fox"),
        ("happy", "hungry", "tired", "clever", "brave", "awake"),
    ),
    Kind(
        ("mat", "chair", "bed", "table", "bench", "sofa"),
        ("soft", "wooden", "dusty", "broken", "cheap", "comfortable"),
    ),
    Kind(
        ("tree", "bush", "hedge", "rose", "palm", "vine"),
        ("green", "leafy", "wild", "blooming", "watered", "evergreen"),
    ),
    Kind(
        ("street", "bridge", "road", "path", "square", "tunnel"),
        ("busy", "wide", "paved", "narrow", "closed", "noisy"),
    ),
)
KIND_OF = {word: kind for kind in KINDS for words in kind for word in words}
DEEDS = ("sat", "stood", "lay", "stayed", "was")
WHERE = ("on", "under", "near", "behind", "beside")
LINKS = ("and", "because", "but", "so")
SIZES = ("little", "big", "old", "new")
MOST_WORDS = 13  # the comma counts


class Asked(NamedTuple):
    """A sentence: its words, where "it" stands, and the place of what it stands for.

    other: the place of the noun that it does not stand for.
    """

    words: list[str]
    it: int
    antecedent: int
    other: int


def every_word() -> list[str]:
    """List the words of all sentences, in the alphabet's order."""
    words = {*KIND_OF, *DEEDS, *WHERE, *LINKS, *SIZES, "the", "it", "was", ","}
    return sorted(words)


VOCABULARY = Vocabulary(every_word(), pad=PAD)
[PAD_ID] = VOCABULARY.encode([PAD])
#: What no sentence that is learned says: of each noun one quality of its kind.
HELD_OUT_PAIRS = {pair for kind in KINDS for pair in zip(*kind, strict=True)}


def write(draw: random.Random) -> Asked:
    """Write a sentence: the big cat sat on the mat, and it was happy."""
    meant, other = draw.sample(KINDS, 2)
    nouns = draw.choice(meant.nouns), draw.choice(other.nouns)
    first, second = draw.sample(nouns, 2)
    words = [*_phrase(draw, first), draw.choice(DEEDS), draw.choice(WHERE)]
    words += [*_phrase(draw, second), ",", draw.choice(LINKS), "it", "was"]
    return found_in([*words, draw.choice(meant.qualities)])


def part(asked: Asked) -> Part:
    """Tell whether a sentence is learned: it says nothing of HELD_OUT_PAIRS."""
    said = asked.words[asked.antecedent], asked.words[-1]
    return "held out" if said in HELD_OUT_PAIRS else "learned"


SPLIT = Split(write, part)


def batch(draw: torch.Generator, count: int = 64) -> tuple[Tensor, Tensor, Tensor]:
    """Draw sentences to learn from: ids (B, T), places of "it" (B,), answers (B,)."""
    chance = random.Random(int(torch.randint(2**31, (), generator=draw)))
    return in_ids(SPLIT.learned(chance, count))


def held_out_sentences(count: int = 1000, seed: int = 1) -> list[Asked]:
    """Write sentences that say what no sentence that is learned says."""
    return SPLIT.held_out(count, seed)


def in_ids(asked: Sequence[Asked]) -> tuple[Tensor, Tensor, Tensor]:
    """Turn sentences into ids (B, T), places of "it" (B,), and answers (B,)."""
    rows = [VOCABULARY.encode(one.words) for one in asked]
    answers = [row[one.antecedent] for row, one in zip(rows, asked, strict=True)]
    its = [one.it for one in asked]
    return padded(rows, PAD_ID), torch.tensor(its), torch.tensor(answers)


def found_in(sentence: str | Sequence[str]) -> Asked:
    """Find "it" and the two nouns in a sentence, and which of them "it" stands for.

    The last word says that. Capitals and a full stop do not matter.

    Raises:
        TypeError: it is neither a string nor a list of strings.
        ValueError: it is no such sentence, or holds a word that none of them holds.
    """
    words = sentence if not isinstance(sentence, str) else _split(sentence)
    if not isinstance(words, Sequence) or not all(isinstance(w, str) for w in words):
        raise TypeError(f"sentence must be text or words, got {brief(sentence)}")
    words = [word.casefold() for word in words]
    check_known("sentence", words, [w for w in VOCABULARY.words if w != PAD])
    nouns = [n for n, word in enumerate(words) if _is_noun(word)]
    its = [n for n, word in enumerate(words) if word == "it"]
    kind = KIND_OF.get(words[-1]) if words else None
    meant = [n for n in nouns if KIND_OF[words[n]] is kind]
    one = len(its) == len(meant) == 1 and not _is_noun(words[-1])
    if not one or len(nouns) != 2 or len(words) > MOST_WORDS:
        wanted = f"it, two nouns, and a quality of one, in {MOST_WORDS} words"
        raise ValueError(f"sentence must hold {wanted}, got {brief(' '.join(words))}")
    [antecedent] = meant
    return Asked(words, its[0], antecedent, sum(nouns) - antecedent)


def _is_noun(word: str) -> bool:
    return word in KIND_OF and word in KIND_OF[word].nouns


def _phrase(draw: random.Random, noun: str) -> list[str]:
    size = [draw.choice(SIZES)] if draw.random() < 0.4 else []
    return ["the", *size, noun]


def _split(sentence: str) -> list[str]:
    return sentence.replace(",", " , ").replace(".", " ").split()
