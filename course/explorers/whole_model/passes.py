"""Passes of a model: the words that it read, and what it computed of them."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import torch
from torch import Tensor

from explorable.inputs import sentence_words
from transformer_lib.checks.validation import check_type, require
from transformer_lib.runtime.module import evaluating
from transformer_lib.runtime.patching import Changes, patch
from transformer_lib.runtime.recording import Recording, record
from transformer_lib.text.vocabulary import Vocabulary

from ...data.known import check_known

MOST_WORDS = 16


class Seen(NamedTuple):
    """Two passes over the same words.

    Attributes:
        words: those of the decoder, or of a model that reads alone.
        source: those of the encoder where there is a decoder too.
        vocabulary: all words by their ids.
        before: what the model computed.
        after: the same with the patches; None where there are none.
    """

    words: Sequence[str]
    source: Sequence[str]
    vocabulary: Sequence[str]
    before: Recording
    after: Recording | None


class Passes:
    """Makes the passes of a model, and keeps the last ones while nothing changes.

    Args:
        model: one of ours, with embeddings; it is run without dropout.
        vocabulary: the words by the model's ids.
        patches: what `patch` takes, or None.

    Raises:
        TypeError, ValueError: it is not the model's vocabulary, or no patches.
    """

    def __init__(
        self, model: Any, vocabulary: Vocabulary, patches: Changes | None
    ) -> None:
        V = model.config.vocabulary_size
        wanted = f"be the {V} words of the model"
        require(len(vocabulary) == V, "vocabulary", wanted, f"{len(vocabulary)} words")
        if patches is not None:
            check_type("patches", patches, Mapping)
        self.model = model
        self.vocabulary = vocabulary
        self.patches = patches
        self.most = min(MOST_WORDS, int(model.config.max_length))
        self._kept = lru_cache(maxsize=4)(self._make)

    @property
    def patched(self) -> list[str]:
        """The names of the tensors that are replaced, or have a head replaced."""
        places: list[Any] = [*(self.patches or ())]
        return [place if isinstance(place, str) else place[0] for place in places]

    def read(self, source: str, target: str | None) -> Seen:
        """The passes over these sentences.

        Raises:
            TypeError, ValueError: a word is not in the vocabulary, or there is none, or
                too many.
        """
        reads_alone = not hasattr(self.model, "decoder")
        given = [("source", source, target is None and not reads_alone)]
        given += [] if target is None else [("target", target, True)]
        first, second, *_ = *self._words_of(given), ()
        # What is learned may have changed since: then there is another pass to see.
        learned = tuple(p._version for p in self.model.parameters())
        before, after = self._kept(first, second, learned)
        words, source_words = (second, first) if second else (first, ())
        return Seen(words, source_words, self.vocabulary.words, before, after)

    def _words_of(
        self, given: Sequence[tuple[str, str, bool]]
    ) -> list[tuple[str, ...]]:
        """The words of each sentence; where both cannot be read, it says so of both."""
        read: list[tuple[str, ...]] = []
        refused: list[TypeError | ValueError] = []
        for each in given:
            try:
                read.append(self.words(*each))
            except (TypeError, ValueError) as error:
                refused.append(error)
        if refused:
            raise type(refused[0])("; ".join(map(str, refused)))
        return read

    def words(self, name: str, sentence: str, starts: bool) -> tuple[str, ...]:
        """The words of a sentence; one that is written begins with the start's sign."""
        words = sentence_words(sentence, self.most, name)
        sos = self.vocabulary.sos_id
        if starts and sos is not None:
            sign = self.vocabulary.words[sos]
            words = words if words[0] == sign else [sign, *words]
        fits = len(words) <= self.most
        require(fits, name, f"have at most {self.most} words", len(words))
        if self.vocabulary.unknown_id is None:
            check_known(name, words, self.vocabulary.words)
        return tuple(words)

    def _make(
        self, first: tuple[str, ...], second: tuple[str, ...], learned: tuple[int, ...]
    ) -> tuple[Recording, Recording | None]:
        device = next(self.model.parameters()).device
        ids = [self.vocabulary.encode(words) for words in (first, second) if words]
        given = [torch.tensor([each], device=device) for each in ids]
        before = self._recorded(given)
        if self.patches is None:
            return before, None
        try:
            with patch(self.model, self.patches):
                return before, self._recorded(given)
        except (TypeError, ValueError, IndexError, KeyError) as error:
            raise type(error)(f"patches: {error.args[0]}") from None

    def _recorded(self, given: Sequence[Tensor]) -> Recording:
        with torch.no_grad(), evaluating(self.model), record(self.model) as tensors:
            self.model(*given)
        return tensors
