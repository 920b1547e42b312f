"""The cat sat on the mat, and it was happy: who was happy? Sentences that ask for it.

"it" stands for one of two nouns, an animal or a thing. Which of them comes first says
nothing; the last word does, since only animals are happy and only things are soft.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ..checks.validation import brief
from ..text.batches import padded
from ..text.vocabulary import Vocabulary

PAD = "⟨PAD⟩"
ANIMALS = ("cat", "dog", "bird", "horse", "mouse", "frog", "cow", "fox")
THINGS = ("mat", "chair", "box", "bed", "table", "bench", "wall", "carpet")
OF_ANIMALS = (
    *("happy", "hungry", "tired", "clever"),
    *("thirsty", "brave", "proud", "awake"),
)
OF_THINGS = ("soft", "wooden", "dusty", "broken", "empty", "cheap", "round", "square")
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
    words = {*ANIMALS, *THINGS, *OF_ANIMALS, *OF_THINGS, *DEEDS, *WHERE, *LINKS, *SIZES}
    return sorted({*words, "the", "it", "was", ","})


VOCABULARY = Vocabulary(every_word(), pad=PAD)
#: What no sentence that is learned says: of each animal and each thing one quality.
NEW = {
    *((noun, OF_ANIMALS[i]) for i, noun in enumerate(ANIMALS)),
    *((noun, OF_THINGS[i]) for i, noun in enumerate(THINGS)),
}


def write(draw: random.Random) -> Asked:
    """Write a sentence: the big cat sat on the mat, and it was happy."""
    animal, thing = draw.choice(ANIMALS), draw.choice(THINGS)
    first, second = draw.sample([animal, thing], 2)
    alive = draw.random() < 0.5
    words = [*_phrase(draw, first), draw.choice(DEEDS), draw.choice(WHERE)]
    words += [*_phrase(draw, second), ",", draw.choice(LINKS), "it", "was"]
    words.append(draw.choice(OF_ANIMALS if alive else OF_THINGS))
    return found_in(words)


def sentences(draw: random.Random, count: int, *, new: bool) -> list[Asked]:
    """Write sentences of which each says something new of a noun, or of which none."""
    found: list[Asked] = []
    while len(found) < count:
        asked = write(draw)
        said = asked.words[asked.antecedent], asked.words[-1]
        if (said in NEW) == new:
            found.append(asked)
    return found


def batch(draw: torch.Generator, count: int = 64) -> tuple[Tensor, Tensor, Tensor]:
    """Draw sentences to learn from: ids (B, T), places of "it" (B,), answers (B,)."""
    chance = random.Random(int(torch.randint(2**31, (), generator=draw)))
    return in_ids(sentences(chance, count, new=False))


def new_sentences(count: int = 1000, seed: int = 1) -> list[Asked]:
    """Write sentences that say what no sentence that is learned says."""
    return sentences(random.Random(seed), count, new=True)


def in_ids(asked: Sequence[Asked]) -> tuple[Tensor, Tensor, Tensor]:
    """Turn sentences into ids (B, T), places of "it" (B,), and answers (B,)."""
    rows = [VOCABULARY.encode(one.words) for one in asked]
    pad_id = VOCABULARY.encode([PAD])[0]
    answers = [row[one.antecedent] for row, one in zip(rows, asked, strict=True)]
    its = [one.it for one in asked]
    return padded(rows, pad_id), torch.tensor(its), torch.tensor(answers)


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
    for word in words:
        if word not in VOCABULARY or word == PAD:
            raise ValueError(f"sentence must hold known words, got {brief(word)}")
    animals = [n for n, word in enumerate(words) if word in ANIMALS]
    things = [n for n, word in enumerate(words) if word in THINGS]
    its = [n for n, word in enumerate(words) if word == "it"]
    ends = words[-1:] and words[-1] in (*OF_ANIMALS, *OF_THINGS)
    fits = len(animals) == len(things) == len(its) == 1 and ends
    if not fits or len(words) > MOST_WORDS:
        wanted = f"an animal, a thing, it, and a quality, in {MOST_WORDS} words"
        raise ValueError(f"sentence must hold {wanted}, got {brief(' '.join(words))}")
    nouns = [*animals, *things]
    antecedent, other = nouns if words[-1] in OF_ANIMALS else reversed(nouns)
    return Asked(words, its[0], antecedent, other)


def _phrase(draw: random.Random, noun: str) -> list[str]:
    size = [draw.choice(SIZES)] if draw.random() < 0.4 else []
    return ["the", *size, noun]


def _split(sentence: str) -> list[str]:
    return sentence.replace(",", " , ").replace(".", " ").split()
