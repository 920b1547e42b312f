"""What a reader says of pictures: captions, of the words that the models know."""

from explorable.inputs import sentence_words
from transformer_lib.checks.validation import require

from ...data.captions import LENGTH, VOCABULARY
from ...data.pairs import PAD, SOS

MOST_WORDS = LENGTH - 1  # one more is ⟨SOS⟩
KNOWN = {*VOCABULARY.words} - {PAD, SOS}


def caption_of(name: str, text: str) -> str:
    """Return a caption with one space between its words, which the models know.

    Raises:
        TypeError, ValueError: it is no string, has no word or over 12, or one that the
            models do not know; the error names the argument by `name`.
    """
    words = sentence_words(text, MOST_WORDS, name)
    for word in words:
        known = "hold words that the model knows, such as “a red box at the top left”"
        require(word in KNOWN, name, known, repr(word))
    return " ".join(words)
