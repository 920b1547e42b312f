"""What a reader says of pictures: captions, of the words that the models know."""

from explorable.inputs import sentence_words

from ...data.captions import LENGTH, VOCABULARY
from ...data.known import check_known, plain

MOST_WORDS = LENGTH - 1  # one more is ⟨SOS⟩
KNOWN = plain(VOCABULARY.words)


def caption_of(name: str, text: str) -> str:
    """Return a caption with one space between its words, which the models know.

    Raises:
        TypeError, ValueError: it is no string, has no word or over 12, or one that the
            models do not know; the error names the argument by `name`.
    """
    words = sentence_words(text, MOST_WORDS, name)
    check_known(name, words, KNOWN)
    return " ".join(words)
