"""A GPT and a BERT that learn from one dictionary.

They have the same blocks, the same sizes and the same text. They differ in one mask and
one objective: the GPT reads from left to right and predicts the next token of the
definition; the BERT reads both sides and predicts tokens that were masked. So the BERT
takes more steps, and only the GPT needs dropout. `LEFT` is a BERT that sees only the
left side, and `DRAFT` a GPT of a seventh of the size.
"""

from array import array
from dataclasses import replace
from functools import cache, partial
from itertools import accumulate
from math import log
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.model.transformer import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
)

from ..data.dictionary import (
    MASK,
    MEANS,
    SPECIAL,
    Entry,
    everything,
    in_ids,
    sample,
    tokenizer,
)
from .measures import token_log_probabilities
from .small_model import Recipe, SmallModel

LENGTH = 72  # tokens of the longest entry that is learned
SIZES = TransformerConfig(
    vocabulary_size=2048,
    d_model=160,
    n_heads=5,
    n_encoder_layers=4,
    n_decoder_layers=4,
    d_ff=640,
    dropout=0.0,
    max_length=LENGTH,
    positions="learned",
    activation="gelu",
    norm_first=True,
)
DRAFT_SIZES = replace(
    SIZES, d_model=64, n_heads=2, n_encoder_layers=2, n_decoder_layers=2, d_ff=256
)
#: Without it the GPT, which reads each text 8.6 times, learns them too well: after
#: 24,000 steps it needs 1.41 bits per character of a held-out definition.
DROPOUT = 0.1
RECIPE = Recipe(steps=23_000, peak=0.003, warmup=300)
#: The BERT is asked for other tokens each time, and has more to learn.
MASKED_RECIPE = Recipe(steps=32_000, peak=0.003, warmup=300)
WORDS = 3  # of an entry, at most, each with the definition as a text of its own
WITHOUT_WORD = 0.05  # of the texts that are read without their word
MASKED = 0.3  # of the tokens of a definition
MIXED = 16  # batches that are sorted by length together
PAD_ID, MEANS_ID, MASK_ID = (SPECIAL.index(token) for token in ("⟨PAD⟩", MEANS, MASK))
NOTHING = -100  # what cross-entropy does not count


class Texts(NamedTuple):
    """Texts of different lengths, one after the other in one tensor.

    ids: the tokens of all texts.
    ends: where each text ends; the first number is 0.
    """

    ids: Tensor
    ends: Tensor


@cache
def learned() -> Texts:
    """Return the texts that are learned: each entry with each of its first words."""
    ids, lengths = array("h"), [0]
    for entry in everything().learned:
        for word in range(min(WORDS, len(entry.words))):
            text = in_ids(entry, word)
            if len(text) <= LENGTH:
                ids.extend(text)
                lengths.append(len(text))
    return Texts(torch.tensor(ids), torch.tensor([*accumulate(lengths)]))


def batch(draw: torch.Generator, count: int) -> Tensor:
    """Draw texts of similar length: ids (B, T), padded behind.

    16 batches are drawn and sorted by length, and one of them is taken, so that little
    of it is padding. One text in twenty is read without its word.
    """
    ids, ends = learned()
    chosen = torch.randint(len(ends) - 1, (MIXED * count,), generator=draw)
    order = (ends[chosen + 1] - ends[chosen]).argsort(stable=True)
    first = int(torch.randint(MIXED, (), generator=draw)) * count
    without = torch.rand(count, generator=draw) < WITHOUT_WORD
    texts = []
    for n, drop in zip(
        chosen[order[first : first + count]].tolist(), without.tolist(), strict=True
    ):
        text = ids[ends[n] : ends[n + 1]]
        texts.append(without_word(text) if drop else text)
    return padded(texts)


def without_word(text: Tensor) -> Tensor:
    """Leave out the word of a text: ⟨SOS⟩, ⟨noun⟩, ⟨MEANS⟩ and the definition."""
    means = int((text == MEANS_ID).nonzero()[0])
    return torch.cat([text[:2], text[means:]])


def padded(texts: list[Tensor]) -> Tensor:
    """Pad texts behind to the same length: (B, T)."""
    return torch.nn.utils.rnn.pad_sequence(texts, True, PAD_ID).long()


def in_definition(ids: Tensor) -> Tensor:
    """Tell which tokens belong to a definition, ⟨EOS⟩ included: boolean (B, T)."""
    after = (ids == MEANS_ID).cumsum(1).bool() & (ids != MEANS_ID)
    return after & (ids != PAD_ID)


def next_token_loss(model: DecoderOnlyTransformer, ids: Tensor) -> Tensor:
    """Return the mean −log p of each token of the definitions of texts (B, T)."""
    asked = in_definition(ids)[:, 1:]
    logits = model(ids[:, :-1])[asked]
    return F.cross_entropy(logits, ids[:, 1:][asked])


def masked_logits(
    model: EncoderOnlyTransformer, ids: Tensor, *, right: bool = True
) -> Tensor:
    """Score every token at every position: ids (B, S) to (B, S, V).

    Without `right`, each position sees only itself and the positions on its left.
    """
    mask = padding_mask(ids, pad_id=PAD_ID)  # (B, 1, 1, S)
    if not right:
        mask = mask & causal_mask(ids.size(1))  # (B, 1, S, S)
    return model.embedding.logits(model(ids, mask))


def masked_batch(draw: torch.Generator, count: int) -> tuple[Tensor, Tensor]:
    """Draw texts in which three in ten of the definition's tokens are chosen.

    Of the chosen tokens 80 % become ⟨MASK⟩, 10 % another token, and 10 % stay.

    Returns:
        what is read (B, S), and what is asked (B, S): the token where it was chosen,
        and NOTHING elsewhere.

    Source: Devlin et al. (2019), §3.1.
    """
    ids = batch(draw, count)
    chance = torch.rand(ids.shape, generator=draw)
    chosen = in_definition(ids) & (chance < MASKED)
    other = torch.randint(
        len(SPECIAL), SIZES.vocabulary_size, ids.shape, generator=draw
    )
    read = ids.where(chance >= MASKED * 0.9, other).where(chance >= MASKED * 0.8, ids)
    read = torch.where(chance < MASKED * 0.8, MASK_ID, read)
    return ids.where(~chosen, read), ids.where(chosen, NOTHING)


def masked_loss(
    model: EncoderOnlyTransformer,
    asked: tuple[Tensor, Tensor],
    *,
    right: bool = True,
) -> Tensor:
    """Return the mean −log p of the tokens that were chosen by `masked_batch`."""
    read, targets = asked
    logits = masked_logits(model, read, right=right)[targets != NOTHING]
    return F.cross_entropy(logits, targets[targets != NOTHING])


def bits_per_character(
    model: DecoderOnlyTransformer, entries: list[Entry] | None = None
) -> float:
    """Return the mean −log₂ p of a character of definitions, given their words.

    The end of a definition counts as a character.

    Args:
        model: predicts the tokens.
        entries: whose definitions; by default the held-out ones. The first word counts.
    """
    entries = sample().held_out if entries is None else entries
    nats = 0.0
    for first in range(0, len(entries), 50):
        texts = [torch.tensor(in_ids(e)) for e in entries[first : first + 50]]
        ids = padded(texts)[:, : LENGTH + 1]
        with torch.inference_mode():
            log_p = token_log_probabilities(model, ids)
        nats -= float(log_p[in_definition(ids)[:, 1:]].sum())
    return nats / log(2) / sum(len(e.definition) + 1 for e in entries)


def hits(
    model: EncoderOnlyTransformer,
    entries: list[Entry] | None = None,
    *,
    right: bool = True,
) -> float:
    """Return how often the most likely token is the masked one.

    Args:
        model: fills in the tokens.
        entries: whose definitions; each of their tokens is masked once. By default they
            are the first 300 held-out ones.
        right: whether the model sees the right side.
    """
    found = []
    for entry in sample().held_out[:300] if entries is None else entries:
        ids = torch.tensor(in_ids(entry)[:LENGTH])[None]
        places = in_definition(ids)[0].nonzero()[:-1, 0]  # but ⟨EOS⟩
        masked = ids.repeat(len(places), 1)
        masked[range(len(places)), places] = MASK_ID
        with torch.inference_mode():
            logits = masked_logits(model, masked, right=right)
        said = logits[range(len(places)), places].argmax(-1)
        found.append(said == ids[0, places])
    return float(torch.cat(found).float().mean())


GPT = SmallModel(
    name="dictionary_gpt",
    build=lambda: DecoderOnlyTransformer(replace(SIZES, dropout=DROPOUT)),
    batch=batch,
    loss=next_token_loss,
    recipe=RECIPE,
    words=tokenizer().vocabulary.words,
    measure=lambda model: {"bits per character": bits_per_character(model)},
    half=True,
)

#: A small GPT of the same text, whose guesses are cheap.
DRAFT = SmallModel(
    name="dictionary_draft",
    build=lambda: DecoderOnlyTransformer(DRAFT_SIZES),
    batch=batch,
    loss=next_token_loss,
    recipe=RECIPE,
    words=tokenizer().vocabulary.words,
    measure=lambda model: {"bits per character": bits_per_character(model)},
    half=True,
)


def bert(
    name: str, *, right: bool
) -> SmallModel[EncoderOnlyTransformer, tuple[Tensor, Tensor]]:
    """Return the small model that fills in masked tokens, from one side or both."""
    return SmallModel(
        name=name,
        build=lambda: EncoderOnlyTransformer(SIZES),
        batch=masked_batch,
        loss=partial(masked_loss, right=right),
        recipe=MASKED_RECIPE,
        words=tokenizer().vocabulary.words,
        measure=lambda model: {"accuracy": hits(model, right=right)},
        half=True,
        settings={"right": right, "masked": MASKED},
    )


BERT = bert("dictionary_bert", right=True)
LEFT = bert("dictionary_left", right=False)
