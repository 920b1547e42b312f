"""What is measured of a model's predictions, once for all models and experiments."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, overload

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from transformer_lib.model.masks import padding_mask
from transformer_lib.text.vocabulary import Vocabulary
from transformer_lib.training import smoothed_cross_entropy

from ..data.pairs import Pairs

Probabilities = Mapping[str, float]


class TeacherForced(NamedTuple):
    """How an encoder-decoder predicts each target token after the correct ones.

    loss: the mean of −log p of the correct token.
    token_accuracy: the fraction of tokens that are predicted correctly.
    confidence: the mean p of the predicted token.
    """

    loss: float
    token_accuracy: float
    confidence: float


def teacher_forced(model: nn.Module, pairs: Pairs, pad_id: int | None) -> TeacherForced:
    """Measure an encoder-decoder on pairs, where it reads the correct tokens."""
    source, target = on_device_of(model, pairs)
    asked = target[:, 1:]  # (B, T)
    with torch.inference_mode():
        mask = padding_mask(source, pad_id=pad_id)
        logits = model(source, target[:, :-1], mask)  # (B, T, V)
        loss = smoothed_cross_entropy(logits, asked, pad_id=pad_id)
    is_token = asked != pad_id
    p, predicted = logits.softmax(-1).max(-1)  # (B, T)
    accuracy = fraction((predicted == asked)[is_token])
    return TeacherForced(float(loss), accuracy, float(p[is_token].mean()))


def exact_match(written: Tensor, target: Tensor, pad_id: int) -> Tensor:
    """Tell which texts were written as they should be, to the end: boolean (B,).

    Args:
        written: ids (B, N), padded behind.
        target: ids (B, T), padded behind; N and T may differ.
        pad_id: the id of padding.
    """
    width = max(written.size(1), target.size(1))
    one, other = (
        pad(ids, (0, width - ids.size(1)), value=pad_id)
        for ids in (written, target.to(written))
    )
    return (one == other).all(1)


def token_log_probabilities(model: nn.Module, ids: Tensor) -> Tensor:
    """Return a decoder-only model's log p of each token but the first, of texts (B, T).

    Returns:
        (B, T − 1); the probability is that of the token after all those before it.
    """
    log_p = model(ids[:, :-1]).log_softmax(-1)  # (B, T − 1, V)
    own: Tensor = log_p.gather(-1, ids[:, 1:, None])[..., 0]  # (B, T − 1)
    return own


def by_probability(logits: Tensor, vocabulary: Vocabulary) -> dict[str, float]:
    """Return the probability of each word from logits (V,), the most likely first."""
    p = logits.softmax(-1)
    order = p.argsort(descending=True, stable=True).tolist()
    return {vocabulary.words[i]: float(p[i]) for i in order}


@overload
def total_variation(p: Tensor, q: Tensor) -> Tensor: ...
@overload
def total_variation(p: Probabilities, q: Probabilities) -> float: ...
def total_variation(
    p: Tensor | Probabilities, q: Tensor | Probabilities
) -> Tensor | float:
    """Measure how far two distributions are apart: 0 if they are equal, at most 1.

        d(p, q) = ½ Σ |p(word) − q(word)|

    Args:
        p: tensors (..., V), or probabilities by word, where a missing word has 0.
        q: the same.

    Returns:
        (...), or a number.
    """
    if isinstance(p, Tensor) and isinstance(q, Tensor):
        return (p - q).abs().sum(-1) / 2
    if isinstance(p, Mapping) and isinstance(q, Mapping):
        return sum(abs(p.get(word, 0) - q.get(word, 0)) for word in {*p, *q}) / 2
    raise TypeError(f"p and q must be of one kind, got {type(p)} and {type(q)}")


def fraction(hits: Tensor | Iterable[bool]) -> float:
    """Return the fraction of hits: a boolean tensor of any shape, or booleans.

    Raises:
        ValueError: there is none to count.
    """
    listed = hits.flatten().tolist() if isinstance(hits, Tensor) else [*hits]
    if not listed:
        raise ValueError("hits must hold at least one, got none")
    return float(sum(listed) / len(listed))


def on_device_of(model: nn.Module, pairs: Pairs) -> Pairs:
    """Move pairs to where a model computes."""
    device = next(model.parameters()).device
    return Pairs(*(ids.to(device) for ids in pairs))
