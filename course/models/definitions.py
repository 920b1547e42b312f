"""Writing a text piece by piece, with what may come next instead of each piece.

    writer = dictionary_writer()
    given = prompt("glorpitis", "noun")
    ids = writer.write(given)  # the same, and the pieces of a definition
    made = writer.read(ids, len(given))

A piece is a token of a `BytePairs` tokenizer. Nothing is written that the course does
not show (`is_shown`): a piece that would complete such a word has probability 0, and
the others share what it had. So the probabilities here are those of the model given
that it writes what can be shown.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

import torch
from torch import Tensor

from transformer_lib.checks.validation import brief, check_type, require
from transformer_lib.generation.prediction import Decoding, predicting
from transformer_lib.generation.sampling import Sampling
from transformer_lib.model.transformer import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
)
from transformer_lib.runtime.module import evaluating
from transformer_lib.runtime.recording import record
from transformer_lib.text.subwords import BytePairs

from ..data.dictionary import (
    EOS,
    is_shown,
    not_shown,
    pieces,
    tokenizer,
    unfinished,
)
from .dictionary import BERT, GPT, LENGTH, MASK_ID, masked_logits

WEIGHTS = "decoder.blocks.{}.self_attention.weights"
WORDS = 3  # behind a piece, at most, in what is not shown
BETWEEN = "|"  # two pieces that are not what the tokenizer makes of their text


class Pieces:
    """The pieces that a text may be written with, so that a page may show all of it.

    They are written with an English keyboard, and shown by themselves too; the end is
    always one of them.

    Args:
        tokenizer: whose tokens they are.
        end: the id that ends a text.

    Attributes:
        texts: what each id says, by id.
    """

    def __init__(self, tokenizer: BytePairs, end: int) -> None:
        self.tokenizer = tokenizer
        self.end = end
        words = tokenizer.vocabulary.words
        self.texts = [tokenizer.decode([n]) for n in range(len(words))]
        self._ids = {text: n for n, text in enumerate(self.texts)}
        self._plain = [
            text.isascii()
            and text.isprintable()
            and BETWEEN not in text
            and is_shown(text)
            for text in self.texts
        ]
        self._starts = [re.sub(r"^[^\w'-]+", "", text.lower()) for text in self.texts]
        self._after = lru_cache(maxsize=1024)(self._fitting)

    def after(self, text: str) -> Tensor:
        """Tell which pieces may follow a text that is shown: boolean (V,)."""
        return self._after(unfinished(text))

    def between(self, left: str, right: str) -> Tensor:
        """Tell which pieces may stand between two texts that are shown: (V,)."""
        fits = self.after(left).clone()
        begun, rest = unfinished(left), " ".join(right.split()[:WORDS])
        if rest:
            for n in fits.nonzero()[:, 0].tolist():
                fits[n] = is_shown(f"{begun}{self.texts[n]} {rest}")
        return fits

    def _fitting(self, begun: str) -> Tensor:
        """Tell which pieces may follow what `unfinished` has found at a text's end."""
        if begun in ("", "0"):
            both = zip(self._plain, self.texts, strict=True)
            alone = [plain and is_shown(begun + text) for plain, text in both]
            alone[self.end] = True
            return torch.tensor(alone)
        fits = self._after("0" if re.search(r"\w$", begun) else "").clone()
        rests = tuple(rests_of(begun))
        for n, text in enumerate(self._starts):
            if text.startswith(rests) and n != self.end:
                fits[n] &= is_shown(begun + self.texts[n])
        return fits

    def says(self, ids: Sequence[int]) -> str:
        """Write ids as a text, without the end."""
        return self.tokenizer.decode([n for n in ids if n != self.end])

    def spelled(self, ids: Sequence[int]) -> str:
        """Write ids so that `read` gives them back."""
        text = self.tokenizer.decode(ids)
        if self.read(text[1:]) == [*ids]:
            return text[1:]
        parts = BETWEEN.join(self.texts[n] for n in ids)
        return parts[1:] if parts[0] == " " else BETWEEN + parts

    def read(self, text: str) -> list[int]:
        """Read a text behind a space; a "|" stands between two of its pieces.

        Where the first piece has no space before it, the text begins with a "|".
        """
        if not text:
            return []
        if BETWEEN not in text:
            return self.tokenizer.encode(f" {text}")
        behind = text[1:] if text[0] == BETWEEN else f" {text}"
        found: list[int] = []
        for part in behind.split(BETWEEN):
            known = self._ids.get(part)
            found += self.tokenizer.encode(part) if known is None else [known]
        return found

    def apart(self, ids: Sequence[int]) -> list[list[int]]:
        """Split ids into what can be shown by itself: pieces, most often.

        A piece that is not shown alone stands with the one before it, or behind it if
        it begins a word: "glass" and "assured" have such pieces.
        """
        says = self.tokenizer.decode
        groups = [[n] for n in ids]
        n = 0
        while n < len(groups):
            if is_shown(says(groups[n])) or len(groups) == 1:
                n += 1
                continue
            behind = n + 1 < len(groups) and (n == 0 or says(groups[n])[0] == " ")
            n -= not behind
            groups[n : n + 2] = [groups[n] + groups[n + 1]]
        return groups


def rests_of(begun: str) -> set[str]:
    """Find how the next word, or the rest of this one, completes what is not shown."""
    ends = [begun[at.start() :] for at in re.finditer(r"\b(?=\w)", begun)]
    lines = [line.removesuffix("*") for line in not_shown()]
    found = ((end, line) for end in ends for line in lines if line.startswith(end))
    return {word for end, line in found for word in line[len(end) :].split()[:1]}


@dataclass(frozen=True)
class Written:
    """A text, and what its model has computed of it.

    Attributes:
        ids: the L tokens that were given, and those that were written.
        begun: how many were given.
        log_p: log p (L − begun, V) of what may be written at each step; −∞ for what
            may not.
        weights: of each layer (H, L − 1, L − 1): a row looks at all up to itself.
    """

    ids: list[int]
    begun: int
    log_p: Tensor
    weights: list[Tensor]


class Writer:
    """A model that goes on from tokens, and the pieces that it writes.

    Args:
        model: predicts the next token; it is run without dropout.
        tokenizer: of its vocabulary.
        end: the token that ends a text.
        longest: tokens of a text, what is given included.

    Raises:
        TypeError: it is no such model, or no such tokenizer.
        ValueError: they do not have the same number of tokens, or the end is none of
            them, or the model cannot read such a text.
    """

    def __init__(
        self,
        model: DecoderOnlyTransformer,
        tokenizer: BytePairs,
        end: str,
        longest: int,
    ) -> None:
        check_type("model", model, DecoderOnlyTransformer)
        check_type("tokenizer", tokenizer, BytePairs)
        V, words = model.config.vocabulary_size, tokenizer.vocabulary
        wanted = f"have the {V} tokens of the model"
        require(len(words) == V, "tokenizer", wanted, len(words))
        known = isinstance(end, str) and end in words
        require(known, "end", "be a token of the tokenizer", brief(end))
        most = model.config.max_length
        fits = 2 <= longest <= most
        require(fits, "longest", f"be 2 to {most}, as the model reads", longest)
        self.model = model
        self.longest = longest
        [self.end] = words.encode([end])
        self.pieces = Pieces(tokenizer, self.end)
        self._composed = lru_cache(maxsize=32)(self._compose)

    def write(
        self,
        given: Sequence[int],
        begins: Sequence[int] = (),
        sampling: Sampling | None = None,
        seed: int = 0,
    ) -> list[int]:
        """Go on from what is given until the text ends or is as long as it may be.

        Each token is the most likely of those that may be written, or one that is
        drawn.
        Pieces to begin with do not change what is drawn behind them: each step draws
        its own random numbers.

        Args:
            given: tokens to go on from.
            begins: pieces that are written first, whatever their probabilities.
            sampling: how the others are drawn; without it, the most likely is taken.
            seed: of what is drawn.

        Returns:
            all of them: given, begins, and what was written.

        Raises:
            ValueError: begins hold a piece that may not be written where it stands; or
                the tokens leave no room for another one.
        """
        ids = [*given, *begins]
        self.check_begins(begins)
        fits = len(ids) < self.longest
        require(fits, "tokens", f"be fewer than {self.longest}", len(ids))
        draw = torch.Generator().manual_seed(seed)
        for _ in begins:
            torch.multinomial(torch.ones(len(self.pieces.texts)), 1, generator=draw)
        if self.end in begins:
            return ids
        told = Decoding(max_length=self.longest, end_id=self.end)
        new = torch.tensor([ids])
        with predicting(self.model, new, told) as predictor:
            while len(ids) < self.longest and ids[-1] != self.end:
                log_p = self.of_shown(predictor.read(new)[0], ids[len(given) :])
                token = log_p.argmax()
                if sampling is not None:
                    p = sampling.probabilities(log_p)
                    token = torch.multinomial(p, 1, generator=draw)
                new = token.view(1, 1)
                ids.append(int(token))
        return ids

    def compose(
        self,
        given: Sequence[int],
        begins: Sequence[int] = (),
        sampling: Sampling | None = None,
        seed: int = 0,
    ) -> Written:
        """Do `write`, then `read`; what was found is kept while the model is the same.

        Raises:
            ValueError: as `write`.
        """
        learned = sum(p._version for p in self.model.parameters())
        return self._composed(tuple(given), tuple(begins), sampling, seed, learned)

    def _compose(
        self,
        given: tuple[int, ...],
        begins: tuple[int, ...],
        sampling: Sampling | None,
        seed: int,
        learned: int,
    ) -> Written:
        return self.read(self.write(given, begins, sampling, seed), len(given))

    def check_begins(self, begins: Sequence[int]) -> None:
        """Raise unless a text may begin with these pieces.

        Raises:
            ValueError: one of them may not be written where it stands.
        """
        for n, token in enumerate(begins):
            fits = self.pieces.after(self.pieces.says(begins[:n]))
            ended = n and begins[n - 1] == self.end
            if ended or not fits[token]:
                raise ValueError(
                    "begins must hold what this course shows: try “a small”"
                )

    def read(self, ids: Sequence[int], begun: int) -> Written:
        """Compute what may come at each step of a text, and where its pieces look.

        Args:
            ids: the whole text.
            begun: how many of them were given.
        """
        model = self.model
        with torch.no_grad(), evaluating(model), record(model) as tensors:
            logits = model(torch.tensor([ids[:-1]]))[0, begun - 1 :]
        rows = [
            self.of_shown(row, ids[begun : begun + n]) for n, row in enumerate(logits)
        ]
        layers = range(model.config.n_decoder_layers)
        weights = [tensors[WEIGHTS.format(n)][0] for n in layers]
        return Written([*ids], begun, torch.stack(rows), weights)

    def of_shown(self, logits: Tensor, written: Sequence[int]) -> Tensor:
        """Return log p (V,) of what may follow the written pieces."""
        fits = self.pieces.after(self.pieces.says(written))
        masked = logits.masked_fill(~fits.to(logits.device), -torch.inf)
        return masked.log_softmax(-1)


class Guesses(NamedTuple):
    """What two models take a hidden word for: of its first piece, p (V,).

    Pieces that would complete what is not shown have p = 0, and the others share what
    they had.

    both: by the BERT, which sees both sides.
    left: by the GPT, which sees the left side, and predicts what comes next.
    taken: the piece that stood there.
    """

    both: Tensor
    left: Tensor
    taken: int


def words_of(definition: str) -> list[list[int]]:
    """Split a definition into words and marks: the ids of each one's pieces."""
    texts = dictionary_writer().pieces.texts
    found: list[list[int]] = []
    before = " "
    for token in pieces(definition):
        text = texts[token]
        joins = before == " " or text[0].isalnum() == before.isalnum()
        if not found or text[0] == " " or not joins:
            found.append([])
        found[-1].append(token)
        before = text[-1]
    return found


def guesses(given: Sequence[int], words: Sequence[Sequence[int]], n: int) -> Guesses:
    """Hide word n of a definition, and ask both models for its first piece.

    All pieces of the word are hidden, each behind a ⟨MASK⟩.

    Args:
        given: what the models read before the definition: see `prompt`.
        words: of the definition: see `words_of`.
        n: which of them is hidden, from 0.

    Raises:
        ValueError: the text is longer than the models can read.
    """
    writer = dictionary_writer()
    left = [token for word in words[:n] for token in word]
    right = [token for word in words[n + 1 :] for token in word]
    hidden = [MASK_ID] * len(words[n])
    ids = [*given, *left, *hidden, *right, writer.end]
    require(len(ids) <= LENGTH, "tokens", f"be at most {LENGTH}", len(ids))
    at = len(given) + len(left)
    with torch.inference_mode():
        both = masked_logits(_bert(), torch.tensor([ids]))[0, at]
        alone = writer.model(torch.tensor([ids[:at]]))[0, -1]
    says = writer.pieces.says
    fits = writer.pieces.between(says(left), says(right))
    fits[writer.end] = False
    both, alone = (x.masked_fill(~fits, -torch.inf) for x in (both, alone))
    return Guesses(both.softmax(-1), alone.softmax(-1), words[n][0])


@cache
def _bert() -> EncoderOnlyTransformer:
    return BERT.trained()


@cache
def dictionary_writer() -> Writer:
    """Return the GPT that defines words, with its tokenizer."""
    return Writer(GPT.trained(), tokenizer(), EOS, LENGTH)
