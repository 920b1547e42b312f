"""What speculative decoding gains: accepted drafts, tokens per pass, and time."""

import time
from collections.abc import Sequence
from typing import NamedTuple

import torch

from transformer_lib.model.transformer import DecoderOnlyTransformer

from ..data.dictionary import EOS, SPECIAL, Entry, prompt
from ..models.dictionary import LENGTH
from ..models.speculative import acceptance, probabilities_of, speculate

END = SPECIAL.index(EOS)


class Gain(NamedTuple):
    """What was measured while definitions were written in rounds.

    accepted: the fraction of the checked tokens that were accepted.
    formula: the mean of 1 − Σ |p − q| / 2 at these tokens.
    per_pass: tokens per pass of the large model.
    milliseconds: processor time per token.
    """

    accepted: float
    formula: float
    per_pass: float
    milliseconds: float


def in_rounds(
    models: tuple[DecoderOnlyTransformer, DecoderOnlyTransformer],
    entries: Sequence[Entry],
    temperature: float,
    k: int,
) -> Gain:
    """Write definitions by speculative decoding, without a cache.

    Args:
        models: the large one and the draft model.
        entries: whose first words are defined.
        temperature: of both models.
        k: tokens of a draft.
    """
    p_of, q_of = (probabilities_of(model, temperature) for model in models)
    draw, found = torch.Generator().manual_seed(0), []
    began = time.process_time()
    for entry in entries:
        ids = prompt(entry.words[0], entry.part_of_speech)
        while len(ids) < LENGTH - k and ids[-1] != END:
            found.append(speculate(p_of, q_of, ids, k, draw, END))
            ids += found[-1].tokens
    spent = 1000 * (time.process_time() - began)
    checked = [(made.p[: made.checked], made.q[: made.checked]) for made in found]
    chances = torch.cat([acceptance(p, q) for p, q in checked])
    accepted = sum(made.accepted for made in found) / len(chances)
    tokens = sum(len(made.tokens) for made in found)
    formula = float(chances.mean())
    return Gain(accepted, formula, tokens / len(found), spent / tokens)


def one_by_one(
    model: DecoderOnlyTransformer, entries: Sequence[Entry], temperature: float
) -> float:
    """Write definitions by plain sampling, without a cache: milliseconds per token."""
    p_of, draw = probabilities_of(model, temperature), torch.Generator().manual_seed(0)
    count, began = 0, time.process_time()
    for entry in entries:
        ids = prompt(entry.words[0], entry.part_of_speech)
        while len(ids) < LENGTH and ids[-1] != END:
            ids.append(int(torch.multinomial(p_of(ids, 1)[0], 1, generator=draw)))
            count += 1
    return 1000 * (time.process_time() - began) / count
