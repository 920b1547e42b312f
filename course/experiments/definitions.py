"""What definitions the GPT writes with different decoding strategies.

Three measures: the mean log-probability of a token, the share of repeated 3-grams, and
the number of different words in all definitions. WordNet's own definitions of the same
words are measured too.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import mean
from typing import Any, NamedTuple

import torch
from torch import Tensor

from transformer_lib.generation.beam_search import beam_search
from transformer_lib.generation.prediction import Decoding
from transformer_lib.generation.sampling import Sampling, greedy
from transformer_lib.generation.sampling import sample as draw_texts
from transformer_lib.model.transformer import DecoderOnlyTransformer

from ..data.dictionary import EOS, SPECIAL, Entry, pieces, prompt, sample, tokenizer
from ..models.dictionary import GPT, LENGTH, PAD_ID, padded
from ..models.measures import token_log_probabilities
from .experiment import Experiment, grid
from .results import Row

Write = Callable[[DecoderOnlyTransformer, Tensor, int], Tensor]
ASKED = 300  # held-out entries, whose first words are defined
N = 3  # tokens of an n-gram that is looked for again
HUMAN = "WordNet"
EOS_ID = SPECIAL.index(EOS)
DECODING = Decoding(max_length=LENGTH, end_id=EOS_ID, pad_id=PAD_ID)


class Written(NamedTuple):
    """A definition: its tokens without ⟨EOS⟩, and whether ⟨EOS⟩ followed."""

    ids: list[int]
    ended: bool

    @property
    def text(self) -> str:
        """The definition as a text."""
        return tokenizer().decode(self.ids).strip()


def searched(beams: int) -> Write:
    """Make a way of writing: greedy search with one beam, or beam search."""

    def write(model: DecoderOnlyTransformer, ids: Tensor, seed: int) -> Tensor:
        if beams == 1:
            return greedy(model, ids, DECODING).ids
        return beam_search(model, ids, DECODING, beams).ids[:, 0]

    return write


def drawn(**settings: Any) -> Write:
    """Make a way of writing that draws each token: see `Sampling`."""
    sampling = Sampling(**settings)

    def write(model: DecoderOnlyTransformer, ids: Tensor, seed: int) -> Tensor:
        generator = torch.Generator().manual_seed(seed)
        return draw_texts(model, ids, DECODING, sampling, generator).ids

    return write


SEARCHES: Mapping[str, Write] = {
    "greedy": searched(1),
    **{f"{n} beams": searched(n) for n in (2, 4, 8)},
}
DRAWS: Mapping[str, Write] = {
    **{f"temperature {t:g}": drawn(temperature=t) for t in (0.3, 0.5, 0.7, 1.0)},
    **{f"temperature {t:g}": drawn(temperature=t) for t in (1.3, 1.5)},
    "top-k 10": drawn(top_k=10),
    "top-k 40": drawn(top_k=40),
    "top-p 0.9": drawn(top_p=0.9),
    "temperature 0.7, top-k 40": drawn(temperature=0.7, top_k=40),
}


def define(
    model: DecoderOnlyTransformer,
    entries: Sequence[Entry],
    write: Write = SEARCHES["greedy"],
    seed: int = 0,
) -> list[Written]:
    """Let a model define the first word of each entry.

    Args:
        model: a GPT.
        entries: whose words and parts of speech are read.
        write: one of SEARCHES or DRAWS.
        seed: of what is drawn.
    """
    before = [prompt(entry.words[0], entry.part_of_speech) for entry in entries]
    texts = write(model, padded([torch.tensor(ids) for ids in before]), seed).tolist()
    found = []
    for ids, text in zip(before, texts, strict=True):
        behind = text[len(ids) :]
        ended = EOS_ID in behind
        end = behind.index(EOS_ID) if ended else LENGTH - len(ids)
        found.append(Written(behind[:end], ended))
    return found


def own(entries: Iterable[Entry]) -> list[Written]:
    """Return WordNet's own definitions."""
    return [Written(pieces(entry.definition), True) for entry in entries]


def repeated(ids: Sequence[int], n: int = N) -> tuple[int, int]:
    """Count the n-grams of a text that stood in it before, and all of them."""
    grams = [tuple(ids[i : i + n]) for i in range(len(ids) - n + 1)]
    return len(grams) - len({*grams}), len(grams)


def log_probabilities(
    model: DecoderOnlyTransformer, entries: Sequence[Entry], texts: Sequence[Written]
) -> list[list[float]]:
    """Return log p of each token of definitions, ⟨EOS⟩ included where it stands."""
    found: list[list[float]] = []
    for first in range(0, len(entries), 50):
        some = slice(first, first + 50)
        before = [prompt(e.words[0], e.part_of_speech) for e in entries[some]]
        after = [[*text.ids, *[EOS_ID] * text.ended] for text in texts[some]]
        rows = [torch.tensor(b + a) for b, a in zip(before, after, strict=True)]
        with torch.inference_mode():
            log_p = token_log_probabilities(model, padded(rows)[:, : LENGTH + 1])
        found += [
            p[len(b) - 1 : len(row) - 1].tolist()
            for p, b, row in zip(log_p, before, rows, strict=True)
        ]
    return found


def look(
    model: DecoderOnlyTransformer, entries: Sequence[Entry], texts: Sequence[Written]
) -> Row:
    """Measure definitions.

    Returns:
        the mean "log p" of a token, before temperature, top-k and top-p; the share of
        "repeated" 3-grams of tokens; how many different "words" there are in all
        definitions; the mean number of "tokens" of a definition; the share that
        "ended"; and the mean "log p of all" tokens of a definition.
    """
    by_text = log_probabilities(model, entries, texts)
    again, grams = map(sum, zip(*(repeated(t.ids) for t in texts), strict=True))
    words = {w for t in texts for w in re.findall(r"[a-z]+", t.text.lower())}
    return {
        "log p": mean(p for log_p in by_text for p in log_p),
        "repeated": again / max(grams, 1),
        "words": len(words),
        "tokens": mean(len(t.ids) for t in texts),
        "ended": mean(t.ended for t in texts),
        "log p of all": mean(map(sum, by_text)),
    }


def run(strategy: str, seed: int) -> Row:
    """Measure the definitions that a strategy writes, or those of WordNet."""
    model, entries = GPT.trained(), sample().held_out[:ASKED]
    if strategy == HUMAN:
        return look(model, entries, own(entries))
    write = {**SEARCHES, **DRAWS}[strategy]
    return look(model, entries, define(model, entries, write, seed))


EXPERIMENT = Experiment(
    name="definitions",
    runs=[
        *grid(strategy=[HUMAN, *SEARCHES], seed=[0]),
        *grid(strategy=DRAWS, seed=range(5)),
    ],
    measure=run,
    models={"gpt": GPT},
    settings={"asked": ASKED, "n": N},
)
