"""Reading: what a model makes of a sentence after each snapshot of its training."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor

from explorable.inputs import sentence_words
from transformer_lib.model.transformer import Transformer
from transformer_lib.runtime.recording import Recording, record

from ...data.known import check_known, plain
from ...data.pairs import EOS, SOS
from ...models.pairs import write
from ...models.snapshots import Snapshots

MOST_WORDS = 16
WRONG = 2  # columns for words that the model predicts instead of the right ones


class Seen(NamedTuple):
    """A sentence after one snapshot.

    Attributes:
        source: its words.
        read: what the decoder is given: ⟨SOS⟩, and what the last snapshot writes.
        asked: what is to come after each of these: the same, one place on, and ⟨EOS⟩.
        scored: the ids of the words that are shown: those asked for, and others.
        model: as it was then.
        tensors: what it computed.
        written: what this snapshot writes by itself.
        slowest: the place of what all snapshots together find least likely.
    """

    source: Sequence[str]
    read: Sequence[str]
    asked: Sequence[str]
    scored: Sequence[int]
    model: Transformer
    tensors: Recording
    written: Sequence[str]
    slowest: int


class Reading:
    """Reads sentences with a model for each snapshot, and keeps the last ones.

    Args:
        found: the snapshots; none may be added later.
    """

    def __init__(self, found: Snapshots) -> None:
        self.found = found
        self.words = found.task.vocabulary
        self.known = plain(self.words.words)
        self.most = min(MOST_WORDS, found.task.max_length)
        self._model = lru_cache(maxsize=None)(self._build)
        self._passes = lru_cache(maxsize=2)(self._all_passes)
        self._written = lru_cache(maxsize=64)(self._write)

    def read(self, sentence: str, shot: int) -> Seen:
        """Read a sentence with the model of one snapshot.

        Raises:
            TypeError, ValueError: the model does not know a word, or there is none, or
                too many.
        """
        source = tuple(sentence_words(sentence, self.most))
        check_known("sentence", source, self.known)
        passes = self._passes(source)
        last = self._written(source, len(passes) - 1)
        asked = [*last, EOS]
        scored = self._scored(asked, passes)
        written = self._written(source, shot)
        read = [SOS, *last]
        model = self._model(shot)
        slowest = self._slowest(asked, passes)
        tensors = passes[shot]
        return Seen(source, read, asked, scored, model, tensors, written, slowest)

    def _build(self, shot: int) -> Transformer:
        model = self.found.model()
        model.load_state_dict(self.found.shots[shot].weights)
        return model

    def _all_passes(self, source: tuple[str, ...]) -> list[Recording]:
        """What each model computes, given the words that the last one writes."""
        last = self._written(source, len(self.found.shots) - 1)
        ids = self._ids(source), self._ids((SOS, *last))
        passes = []
        for shot in range(len(self.found.shots)):
            model = self._model(shot)
            with torch.no_grad(), record(model) as tensors:
                model(*ids)
            passes.append(tensors)
        return passes

    def _write(self, source: tuple[str, ...], shot: int) -> list[str]:
        [written] = write(self._model(shot), self.found.task, self._ids(source))
        return written

    def _ids(self, words: Sequence[str]) -> Tensor:
        return torch.tensor([self.words.encode(words)])

    def _scored(self, asked: Sequence[str], passes: Sequence[Recording]) -> list[int]:
        """The target words, in order, and the most likely others of all snapshots."""
        right = [*dict.fromkeys(self.words.encode(asked))]
        chances = torch.stack([p["logits"][0].softmax(-1) for p in passes])  # (K, T, V)
        peaks = chances.amax((0, 1))  # (V,)
        peaks[right] = -1.0
        wrong = peaks.argsort(descending=True, stable=True)[:WRONG]
        return right + wrong.tolist()

    def _slowest(self, asked: Sequence[str], passes: Sequence[Recording]) -> int:
        """Where the right word is the least likely, on the mean of all snapshots."""
        right = torch.tensor([self.words.encode(asked)])  # (1, T)
        chances = torch.stack([p["logits"][0].softmax(-1) for p in passes])  # (K, T, V)
        mean = chances.mean(0).gather(1, right.mT)  # (T, 1)
        return int(mean.argmin())
