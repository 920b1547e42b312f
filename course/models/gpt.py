"""A small GPT: decoder-only, it predicts the next character of real English."""

from math import log

import torch
from torch import Tensor

from transformer_lib.checks.validation import check_size, check_type, require
from transformer_lib.generation.sampling import greedy, sample
from transformer_lib.generation.settings import Decoding, Sampling
from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.transformer import DecoderOnlyTransformer

from ..data.documentation import VOCABULARY, batch, in_ids, parts
from .baselines import NGrams
from .measures import token_log_probabilities
from .small_model import Recipe, SmallModel
from .stories import next_word_loss

SIZES = TransformerConfig(
    vocabulary_size=len(VOCABULARY),
    d_model=96,
    n_heads=4,
    n_decoder_layers=4,
    d_ff=384,
    dropout=0.0,
    max_length=128,
    positions="learned",
    activation="gelu",
    norm_first=True,
)
RECIPE = Recipe(steps=2400, peak=0.004, warmup=100, batch_size=16)
GRAMS = (1, 3, 5)  # n-grams that are measured beside it


def write(
    model: DecoderOnlyTransformer,
    prompt: str,
    length: int = 300,
    sampling: Sampling | None = None,
    seed: int = 0,
) -> str:
    """Write on from a prompt, character by character.

    Args:
        model: see `trained`.
        prompt: what the text begins with.
        length: how many characters are written; the text slides where it outgrows what
            the model can read.
        sampling: how each is drawn; without it the likeliest is taken.
        seed: of chance.

    Returns:
        the prompt and what was written.

    Raises:
        TypeError, ValueError: the prompt is no string, is empty, or holds a character
            that is not in the vocabulary; or length is no integer of at least 1.
    """
    check_type("prompt", prompt, str)
    check_size("length", length)
    require(bool(prompt), "prompt", "hold a character", repr(prompt))
    ids = in_ids(prompt)[None]  # (1, T)
    decoding = Decoding(max_length=ids.size(1) + length, slides=True)
    if sampling is None:
        found = greedy(model, ids, decoding)
    else:
        draw = torch.Generator().manual_seed(seed)
        found = sample(model, ids, decoding, sampling, draw)
    return "".join(VOCABULARY.decode(found.ids[0]))


def bits(model: DecoderOnlyTransformer, text: str) -> float:
    """Return the mean −log₂ p of every character of a text but the first.

    The text is read in windows as long as the model reads, each half a window behind
    the one before. In all but the first only the newer half counts: so a character is
    said behind at least half a window of others, where there are so many.

    Raises:
        ValueError: the text does not fill a window, or holds an unknown character.
    """
    C = model.config.max_length
    ids = _filling(text, C)
    new = max(1, C // 2)
    costs = _in_windows(model, ids, new)  # (N, C)
    own = [costs[0], costs[1:, C - new :].flatten()]
    if rest := (len(ids) - 1 - C) % new:  # no window ends with the text
        own.append(_costs(model, ids[None, -C - 1 :])[0, C - rest :])
    return float(torch.cat(own).mean()) / log(2)


def by_context(model: DecoderOnlyTransformer, text: str) -> Tensor:
    """Return the mean −log₂ p of a character, given the last 1, 2, … characters: (C,).

    Raises:
        ValueError: as `bits`.
    """
    C = model.config.max_length
    costs = _in_windows(model, _filling(text, C), max(1, C // 8))  # (N, C)
    return costs.mean(0) / log(2)


def _filling(text: str, C: int) -> Tensor:
    """Turn a text into ids, if it fills a window of C characters and the next."""
    ids = in_ids(text)
    require(len(ids) > C, "text", f"hold over {C} characters", len(ids))
    return ids


def _in_windows(model: DecoderOnlyTransformer, ids: Tensor, stride: int) -> Tensor:
    """Return the costs in windows of a text (T,) that begin so far apart: (N, C)."""
    windows = ids.unfold(0, model.config.max_length + 1, stride)
    starts = range(0, len(windows), 64)
    return torch.cat([_costs(model, windows[i : i + 64]) for i in starts])


def _costs(model: DecoderOnlyTransformer, ids: Tensor) -> Tensor:
    """Return −log p of each character of ids (B, T) but the first: (B, T − 1)."""
    with torch.inference_mode():
        return -token_log_probabilities(model, ids)


def measure(model: DecoderOnlyTransformer) -> dict[str, float]:
    """Measure the bits per character of new text, of the model and of n-grams."""
    known, _, test = parts()
    found = {"bits per character": bits(model, test)}
    for n in GRAMS:
        found[f"{n}-gram"] = NGrams(known, n, len(VOCABULARY)).bits(test)
    return found


#: A batch is 16 pieces of the text of 129 characters; each but the first is to be
#: predicted from those before it. (Radford et al., 2018, §3.1)
MODEL = SmallModel(
    name="gpt",
    build=lambda: DecoderOnlyTransformer(SIZES),
    batch=lambda draw, count: batch(draw, SIZES.max_length + 1, count),
    loss=next_word_loss,
    recipe=RECIPE,
    words=VOCABULARY.words,
    measure=measure,
    half=True,
)
begin, trained = MODEL.begin, MODEL.trained
