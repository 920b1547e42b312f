"""Sentences of the tiny English: those that are learned, new ones, a reader's own."""

import random
from collections.abc import Sequence

from torch import Tensor

from transformer_lib.checks.validation import check_size
from transformer_lib.text.vocabulary import Vocabulary

from . import batches
from .grammar import every_word, write
from .known import check_known
from .pairs import EOS, PAD, SOS
from .split import Part, Split

MOST_WORDS = 16
WRITTEN = 6000
SENTENCES = (
    "the cat sat on the mat and it was",
    "the cat sat on the mat and it",
    "the cats sleep under the tree and",
    "the dog waits near the tree which is",
    "the little horse played on the street which was long because it was",
    "Ajish works as an AI",
    "AI is",
    "I love AI",
)


def learned(seed: int = 0) -> list[list[str]]:
    """Write the 6,000 sentences that a model of this seed learns; many come twice."""
    draw = random.Random(seed)
    return [write(draw) for _ in range(WRITTEN)]


def unseen(sentences: int = 200, seed: int = 2017) -> list[list[str]]:
    """Write sentences that are not among those that the models of seed 0 learned.

    Every sentence of a name or a topic is: what is new is of a being, most at a place.
    """
    check_size("sentences", sentences)
    known = set(map(tuple, learned()))

    def part(words: list[str]) -> Part:
        return "learned" if tuple(words) in known else "held out"

    return Split(write, part).held_out(sentences, seed)


def read(sentence: str | Sequence[str]) -> list[str]:
    """Split a sentence into ⟨SOS⟩ and words, as the models know them.

    Commas and full stops are dropped, and capitals do not matter.

    Raises:
        TypeError: it is neither a string nor a list of strings.
        ValueError: it holds no word, more than 16, or one the models do not know.
    """
    words = sentence.split() if isinstance(sentence, str) else sentence
    if not isinstance(words, Sequence) or not all(isinstance(w, str) for w in words):
        raise TypeError(f"sentence must be text or a list of words, got {sentence!r}")
    words = [bare for word in words if (bare := word.strip(".,"))]
    if not 1 <= len(words) <= MOST_WORDS:
        raise ValueError(
            f"sentence must hold 1 to {MOST_WORDS} words, got {len(words)}"
        )
    known = {word.casefold(): word for word in every_word()}
    words = [known.get(word.casefold(), word) for word in words]
    check_known("sentence", words, known.values())
    return [SOS, *words]


def make_vocabulary(words: Sequence[str]) -> Vocabulary:
    """Number the words behind ⟨PAD⟩, ⟨SOS⟩ and ⟨EOS⟩."""
    return Vocabulary(words, pad=PAD, sos=SOS, eos=EOS)


def padded(vocabulary: Vocabulary, sentences: Sequence[Sequence[str]]) -> Tensor:
    """Turn sentences into ids (B, 18), from ⟨SOS⟩ to ⟨EOS⟩ and ⟨PAD⟩ after it."""
    ids = [vocabulary.encode([SOS, *words, EOS]) for words in sentences]
    [pad_id] = vocabulary.encode([PAD])
    return batches.padded(ids, pad_id, MOST_WORDS + 2)
