"""Writings: the texts that a strategy has written, and what it had to choose from."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from explorable.drawing import Array
from explorable.inputs import sentence_words
from transformer_lib.checks.validation import brief, check_type, require
from transformer_lib.generation.beam_search import Beams, check_beams, growing
from transformer_lib.generation.prediction import Decoding, predicting
from transformer_lib.generation.sampling import Sampling, greedy, sample
from transformer_lib.model.transformer import DecoderOnlyTransformer, Transformer
from transformer_lib.runtime.module import evaluating
from transformer_lib.text.vocabulary import Vocabulary

from ...data.known import check_known, plain

LONGEST = 24  # tokens of a text that is shown
BESIDE = 2  # words that greedy does not take, and that are shown beside its own
UNLIKELY = 0.005  # words below it are not shown there
ROOT = 14  # characters that a tree shows of a prompt
CANDIDATES = 8  # texts that are shown of those that beams choose among


@dataclass
class Writing:
    """Texts as nodes that grow from one root: each token behind the one before it.

    Attributes:
        parents: for each node the one that it stands behind; −1 for the root.
        tokens: for each its id; −1 for the root, which is what was given.
        totals: for each Σ log p of the tokens from the root to it.
        fronts: after 0, 1, … steps the nodes where the texts stand then, in order. A
            text that was ended by an earlier step is among the samples still, but no
            more among the beams.
        after: by node, where something follows it, log p (V,) of what may.
        ended: the nodes that end a text.
        tried: the nodes that were tried, and not kept.
        best: the node of the text that is given out in the end; of samples the first.
        beams: whether the texts were beams, which leave one another behind.
    """

    parents: list[int] = field(default_factory=lambda: [-1])
    tokens: list[int] = field(default_factory=lambda: [-1])
    totals: list[float] = field(default_factory=lambda: [0.0])
    fronts: list[list[int]] = field(default_factory=lambda: [[0]])
    after: dict[int, Array] = field(default_factory=dict)
    ended: set[int] = field(default_factory=set)
    tried: set[int] = field(default_factory=set)
    best: int = 0
    beams: bool = False

    @property
    def steps(self) -> int:
        """How many steps it took."""
        return len(self.fronts) - 1

    def path(self, node: int) -> list[int]:
        """The nodes behind the root, up to one."""
        return [] if node <= 0 else [*self.path(self.parents[node]), node]

    def behind(self, node: int, token: int) -> int | None:
        """The node of a token behind another one, if it was written."""
        found = zip(self.parents, self.tokens, strict=True)
        return next((n for n, one in enumerate(found) if one == (node, token)), None)

    def depth(self, node: int) -> int:
        """How many tokens stand between the root and a node, its own included."""
        return len(self.path(node))

    def add(self, node: int, token: int) -> int:
        """Write a token behind a node, unless that is done, and give its node."""
        known = self.behind(node, token)
        if known is not None:
            return known
        self.parents.append(node)
        self.tokens.append(token)
        self.totals.append(self.totals[node] + float(self.after[node][token]))
        return len(self.tokens) - 1


class Writer:
    """A model that writes, its words, and where its texts end.

    Args:
        model: a DecoderOnlyTransformer or a Transformer; it is run without dropout.
        vocabulary: the words by the model's ids.
        end: the word that ends a text; by default the vocabulary's sign for it, if any.
        longest: tokens that there is room for in a picture.

    Raises:
        TypeError, ValueError: it is no such model, not its vocabulary, or no word of
            it; or a Transformer has no sign to start with.
    """

    def __init__(
        self,
        model: Any,
        vocabulary: Vocabulary,
        end: str | None,
        longest: int = LONGEST,
    ) -> None:
        check_type("model", model, DecoderOnlyTransformer, Transformer)
        check_type("vocabulary", vocabulary, Vocabulary)
        V = model.config.vocabulary_size
        wanted = f"be the {V} words of the model"
        require(len(vocabulary) == V, "vocabulary", wanted, f"{len(vocabulary)} words")
        self.model = model
        self.words = vocabulary.words
        self.offered = plain(vocabulary.words)
        self.vocabulary = vocabulary
        self.translates = isinstance(model, Transformer)
        self.given = "source" if self.translates else "prompt"
        self.start_id = vocabulary.sos_id if self.translates else None
        starts = self.start_id is not None or not self.translates
        require(starts, "vocabulary", "have a sign for the start", "none")
        self.end_id = vocabulary.eos_id
        if end is not None:
            known = isinstance(end, str) and end in vocabulary
            require(known, "end", "be a word of the vocabulary", brief(end))
            [self.end_id] = vocabulary.encode([end])
        self.most = min(longest, int(model.config.max_length))
        self.texts_of = lru_cache(maxsize=4)(self._write)

    def read(self, source: str, longest: int) -> tuple[str, ...]:
        """The words of a source or a prompt, which leaves room for another one.

        Raises:
            TypeError, ValueError: a word is not in the vocabulary, or there is none, or
                too many.
        """
        words = sentence_words(source, self.most, "source")
        if self.vocabulary.unknown_id is None:
            check_known("source", words, self.words)
        room = f"be shorter than the longest text, {longest} tokens"
        fits = self.translates or len(words) < longest
        require(fits, "source", room, f"{len(words)} words")
        return tuple(words)

    def root(self, words: Sequence[str]) -> str:
        """What a text begins with: the sign for a start, or the end of the prompt."""
        if self.start_id is not None:
            return self.words[self.start_id]
        text = " ".join(words)
        return text if len(text) <= ROOT else f"…{text[1 - ROOT :]}"

    def told(self, longest: int) -> Decoding:
        """Where texts start and end."""
        start, end = self.start_id, self.end_id
        return Decoding(max_length=longest, start_id=start, end_id=end)

    def ids(self, words: Sequence[str]) -> Tensor:
        """The ids (1, S) of words."""
        device = self.model.embedding.weight.device
        return torch.tensor([self.vocabulary.encode(words)], device=device)

    def write(
        self, source: str, longest: int, strategy: "Greedy | Sampled | Searched"
    ) -> Writing:
        """What a strategy writes; it is kept while nothing changes.

        Raises:
            TypeError, ValueError: as `read`, or the strategy cannot be followed.
        """
        words = self.read(source, longest)
        return self.texts_of(words, longest, strategy, self.learned())

    def learned(self) -> tuple[int, ...]:
        """What changes when the model learns: then it may write other texts."""
        return tuple(p._version for p in self.model.parameters())

    def _write(
        self,
        words: tuple[str, ...],
        longest: int,
        strategy: "Greedy | Sampled | Searched",
        learned: tuple[int, ...],
    ) -> Writing:
        return strategy.write(self, self.ids(words), self.told(longest))

    def followed(self, ids: Tensor, texts: Tensor) -> Writing:
        """Texts (K, L) that were written of ids (1, S), one in each row.

        One pass over the whole of them gives what may follow each of their tokens.
        """
        source = ids.expand(len(texts), -1)
        with torch.inference_mode(), evaluating(self.model):
            read = texts[:, :-1]
            given = (source, read) if self.translates else (read,)
            logits = self.model(*given)
        begun = 1 if self.translates else ids.size(1)
        exact = torch.promote_types(logits.dtype, torch.float32)
        log_p = logits[:, begun - 1 :].log_softmax(-1, dtype=exact)  # (K, steps, V)
        made = Writing()
        stand = [0] * len(texts)
        for n, tokens in enumerate(texts[:, begun:].T.tolist()):
            for row, token in enumerate(tokens):
                if stand[row] not in made.ended:
                    made.after[stand[row]] = log_p[row, n].double().cpu().numpy()
                    stand[row] = made.add(stand[row], token)
                    if token == self.end_id or begun + n + 1 == texts.size(1):
                        made.ended.add(stand[row])
            made.fronts.append([*stand])
        made.best = stand[0]
        return made


@dataclass(frozen=True)
class Greedy:
    """The most likely token, again and again."""

    def write(self, writer: Writer, ids: Tensor, told: Decoding) -> Writing:
        """One text, and at each step the most likely words beside its own."""
        made = writer.followed(ids, greedy(writer.model, ids, told).ids)
        for node, log_p in made.after.items():
            for token in np.argsort(-log_p, kind="stable")[1 : 1 + BESIDE].tolist():
                if log_p[token] > math.log(UNLIKELY):
                    made.tried.add(made.add(node, token))
        return made


@dataclass(frozen=True)
class Sampled:
    """Several texts, each of tokens that are drawn."""

    count: int
    sampling: Sampling
    seed: int

    def write(self, writer: Writer, ids: Tensor, told: Decoding) -> Writing:
        """As many texts as are to be drawn, with one generator."""
        many = ids.expand(self.count, -1)
        chance = torch.Generator(ids.device).manual_seed(self.seed)
        drawn = sample(writer.model, many, told, self.sampling, chance)
        return writer.followed(ids, drawn.ids)


@dataclass(frozen=True)
class Searched:
    """Beams: the most likely texts side by side."""

    beams: int
    length_penalty: float

    def write(self, writer: Writer, ids: Tensor, told: Decoding) -> Writing:
        """All texts that were kept at some step."""
        made = Writing(beams=True)
        given = self.beams, self.length_penalty, 1
        check_beams(writer.model, *given)
        stand = [0] * self.beams
        with predicting(writer.model, ids, told, self.beams) as predictor:
            found = Beams(predictor, told, *given)
            for log_p, rows, tokens in growing(predictor, found):
                goes_on = {n: row for row, n in enumerate(stand) if n not in made.ended}
                for node, row in goes_on.items():
                    made.after[node] = log_p[row].double().cpu().numpy()
                grown = zip(rows.tolist(), tokens.tolist(), strict=True)
                stand = [made.add(stand[row], token) for row, token in grown]
                self._try_others(made, [*goes_on])
                last = made.steps + 1 == predictor.steps
                over = [n for n in stand if last or made.tokens[n] == told.end_id]
                made.ended.update(over)
                made.fronts.append([n for n in stand if n not in made.ended])
            begun = predictor.prompt.ids.size(1)
            written = found.best().ids[0, 0, begun:].tolist()
        for token in written:
            if made.best not in made.ended:
                made.best = made.behind(made.best, token) or 0
        return made

    def _try_others(self, made: Writing, nodes: list[int]) -> None:
        """Note the best of those that were not kept, at most as many as the beams."""
        sums = np.stack([made.totals[n] + made.after[n] for n in nodes])
        best = np.argsort(-sums, axis=None, kind="stable")
        for place in best[: min(2 * self.beams, CANDIDATES)]:
            row, token = divmod(int(place), sums.shape[1])
            if made.behind(nodes[row], token) is None:
                made.tried.add(made.add(nodes[row], token))
