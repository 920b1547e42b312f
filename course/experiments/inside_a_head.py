"""Inside a trained head: what x · x finds, and what keys and values do."""

from collections.abc import Sequence
from functools import cache, partial
from itertools import permutations, product

import torch
from torch import Tensor

from transformer_lib.checks.validation import require
from transformer_lib.model.transformer import DecoderOnlyTransformer
from transformer_lib.runtime.patching import patch
from transformer_lib.runtime.recording import Recording, record
from transformer_lib.text.vocabulary import Vocabulary

from ..data.grammar import BEINGS, PLACES, ROLES, every_word
from ..data.grammar_sentences import read, unseen
from ..data.pairs import SOS
from ..models.next_word import ATTENTION, Training, load_heads

FRAME = "the {} sat on the mat and"
#: A pronoun follows each of these; notebook 04 shows the first.
FRAMES = (
    FRAME,
    "the {} slept under the tree and",
    "the {} played near the box because",
    "the {} waited on the chair and",
    "the {} sat and",
)
PLACE = 2  # of the word in a frame, after ⟨SOS⟩ and "the"
WHO_HEAD = ROLES.index("who")


def finds_itself(sentences: int = 200) -> tuple[float, float, float]:
    """Measure which token x · x finds, for every token of unseen sentences.

    x is the input of the attention layer: embedding plus position. No word is masked.

    Returns:
        the fraction of tokens whose largest x · x is with themselves; the fraction
        whose largest x · x is with themselves or the same word elsewhere; and the
        chance level of the first fraction, the mean of 1/n.
    """
    model, vocabulary = _loaded("taught")
    rows: list[tuple[bool, bool, float]] = []
    for written in unseen(sentences):
        words = [SOS, *written]
        with torch.no_grad(), record(model) as tensors:
            model(torch.tensor([vocabulary.encode(words)]))
        x = tensors["input"][0]  # (n, D)
        for i, j in enumerate((x @ x.T).argmax(-1).tolist()):
            rows.append((i == j, words[i] == words[j], 1 / len(words)))
    own, same, guess = (sum(column) / len(rows) for column in zip(*rows, strict=True))
    return own, same, guess


def best_keys(head: int) -> list[tuple[str, float]]:
    """Put every word into "the … sat on the mat and", and rank the words by score.

        score = q · k / √d_k, with q of the last word and k of the one put in

    Args:
        head: of the model with attention supervision, counted from 0.

    Returns:
        all words of the model with their scaled scores, the largest score first.

    Raises:
        IndexError: there is no such head.
    """
    words = every_word()
    scores = _read(words, "taught")[f"{ATTENTION}.scores"][:, head, -1, PLACE]
    return sorted(zip(words, scores.tolist(), strict=True), key=lambda pair: -pair[1])


def next_words(
    words: Sequence[str],
    key_of: Sequence[str] = (),
    value_of: Sequence[str] = (),
    training: Training = "taught",
    frame: str = FRAME,
) -> list[str]:
    """Predict what follows "the … sat on the mat and", with replaced keys or values.

    In all heads, the key of each word is replaced by the key that a word of `key_of`
    has at the same position, or its value by the value of a word of `value_of`. Its
    query, all other words and the residual stream do not change.

    Args:
        words: each is put into a sentence of its own.
        key_of: the words whose keys they get; without it, they keep their own.
        value_of: the words whose values they get; without it, they keep their own.
        training: which model.
        frame: one of `FRAMES`.

    Returns:
        the most likely next word for each.

    Raises:
        ValueError: the model does not know a word, or the lists differ in length.
    """
    tensors = _reread(words, key_of, value_of, training, frame)
    most_likely = tensors["logits"][:, -1].argmax(-1)  # (words,)
    return _loaded(training)[1].decode(most_likely.tolist())


def looks_at(
    words: Sequence[str], key_of: Sequence[str] = (), frame: str = FRAME
) -> list[float]:
    """Return how much "and" attends to each word in "the … sat on the mat and".

    Args:
        words: as in `next_words`.
        key_of: as in `next_words`.
        frame: one of `FRAMES`; its last word is the query.

    Returns:
        the weight from the last word to each, in the head that attends to the subject:
        the second head of the model with attention supervision.

    Raises:
        ValueError: the model does not know a word, or the lists differ in length.
    """
    weights = _reread(words, key_of, (), "taught", frame)[f"{ATTENTION}.weights"]
    found: list[float] = weights[:, WHO_HEAD, -1, PLACE].tolist()
    return found


def count_replacements(training: Training = "taught") -> dict[str, tuple[int, int]]:
    """Count whose pronoun follows when a subject gets the key or value of another one.

    Args:
        training: which model.

    Returns:
        for "key" and "value": in how many sentences the pronoun of the subject itself
        follows, and in how many the pronoun of the other one. There is a sentence for
        each pair of subjects with different pronouns and each of the `FRAMES`.
    """
    pairs = permutations(BEINGS.items(), 2)
    different = [(a, b) for a, b in pairs if a[1].pronoun != b[1].pronoun]
    words = [own for (own, _), _ in different]
    others = [other for _, (other, _) in different]
    found = {}
    for part in ("key", "value"):
        own = other = 0
        for frame in FRAMES:
            given = {f"{part}_of": others}
            said = next_words(words, **given, training=training, frame=frame)
            for word, ((_, kind), (_, other_kind)) in zip(said, different, strict=True):
                own += word == kind.pronoun
                other += word == other_kind.pronoun
        found[part] = (own, other)
    return found


def with_keys_of_places() -> tuple[int, int, float]:
    """Give each subject that needs no "it" the key of every place, in all `FRAMES`.

    "it" is left out, because the model mostly predicts it when it finds no subject.

    Returns:
        in how many sentences the subject's own pronoun still follows, in how many we
        tried; and the largest weight that the head of subjects gives to any of them.
    """
    not_it = [word for word, kind in BEINGS.items() if kind.pronoun != "it"]
    words, places = zip(*product(not_it, PLACES), strict=True)
    own = largest = 0.0
    for frame in FRAMES:
        said = next_words(words, places, frame=frame)
        own += sum(BEINGS[w].pronoun == x for w, x in zip(words, said, strict=True))
        largest = max(largest, *looks_at(words, places, frame))
    return int(own), len(words) * len(FRAMES), largest


def _read(words: Sequence[str], training: Training, frame: str = FRAME) -> Recording:
    """Record what the model computes for the sentence, with each word put into it."""
    model, vocabulary = _loaded(training)
    ids = [vocabulary.encode(read(frame.format(word))) for word in words]
    with torch.no_grad(), record(model) as tensors:
        model(torch.tensor(ids))
    return tensors


def _reread(
    words: Sequence[str],
    key_of: Sequence[str],
    value_of: Sequence[str],
    training: Training,
    frame: str,
) -> Recording:
    """Record what the model computes with keys or values of different words."""
    changes = {}
    for part, others in {"key_of": key_of, "value_of": value_of}.items():
        if others:
            wanted = f"hold {len(words)} words, as many as words"
            require(len(others) == len(words), part, wanted, len(others))
            name = f"{ATTENTION}.{part[0]}"  # (words, H, n, d_k)
            theirs = _read(others, training, frame)[name][:, :, PLACE]
            changes[name] = partial(_put, theirs=theirs)
    with patch(_loaded(training)[0], changes):
        return _read(words, training, frame)


def _put(x: Tensor, theirs: Tensor) -> Tensor:
    x[:, :, PLACE] = theirs
    return x


@cache
def _loaded(training: Training) -> tuple[DecoderOnlyTransformer, Vocabulary]:
    return load_heads(training)
