"""Sentences that say which words stand side by side, and what stands beside a word."""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor

from transformer_lib.checks.validation import check_option
from transformer_lib.text.vocabulary import Vocabulary

#: "AI" and "Engineer" stand between the same words, and so do "mat" and "chair".
SENTENCES = """\
the AI works .
the AI asks Ajish .
the AI is powerful .
the AI is weak .
Ajish asks an AI .
I love AI .
the Engineer works .
the Engineer asks Ajish .
the Engineer is powerful .
the Engineer is weak .
Ajish asks an Engineer .
Ajish works as an Engineer .
the cat sat on a mat .
the dog sat on a mat .
a mat lies here .
I love a mat .
a soft mat .
an old mat .
the cat sat on a chair .
the dog sat on a chair .
a chair lies here .
I love a chair .
a soft chair .
an old chair .""".splitlines()
UNKNOWN = "⟨UNK⟩"


def make_vocabulary() -> Vocabulary:
    """Number the words of `SENTENCES` behind ⟨UNK⟩."""
    words = [word for sentence in SENTENCES for word in sentence.split()]
    return Vocabulary(words, unknown=UNKNOWN)


def exchanged(a: str, b: str, sentences: Sequence[str] = SENTENCES) -> list[str]:
    """Write b wherever a stands, and a wherever b stands.

    Raises:
        ValueError: a or b is no word of the data.
    """
    for name, word in (("a", a), ("b", b)):
        check_option(name, word, make_vocabulary().words)
    other = {a: b, b: a}
    return [" ".join(other.get(w, w) for w in s.split()) for s in sentences]


def pairs(sentences: Sequence[str] = SENTENCES) -> Tensor:
    """List each word's id and that of one beside it, both ways round: (N, 2).

    Raises:
        ValueError: no two words stand side by side.
    """
    vocabulary = make_vocabulary()
    found = []
    for ids in map(vocabulary.encode, sentences):
        for i, j in pairwise(ids):
            found += [(i, j), (j, i)]
    if not found:
        raise ValueError(f"sentences must hold two words in a row, got {sentences}")
    return torch.tensor(found)


def neighbors(
    words: Sequence[str], sentences: Sequence[str] = SENTENCES
) -> tuple[Tensor, list[str]]:
    """Count what stands beside some words: counts (len(words), C), and the C words."""
    vocabulary = make_vocabulary()
    counts = torch.zeros(len(vocabulary), len(vocabulary))
    for i, j in pairs(sentences):
        counts[i, j] += 1
    rows = counts[vocabulary.encode(words)]
    beside = rows.any(0).nonzero().flatten()  # (C,)
    return rows[:, beside], vocabulary.decode(beside)
