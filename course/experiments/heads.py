"""What the heads of two next-word models do, and what is lost without one."""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from typing import cast

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.transformer import DecoderOnlyTransformer
from transformer_lib.runtime.patching import patch
from transformer_lib.runtime.recording import Recording, record
from transformer_lib.text.vocabulary import Vocabulary

from ..data.grammar import ROLES, asks, targets
from ..data.grammar_sentences import learned, padded, read, unseen
from ..models.baselines import majority_accuracy, most_frequent
from ..models.measures import fraction
from ..models.next_word import ATTENTION, Training, load_heads


def attend(
    sentence: str | Sequence[str],
    removed: Sequence[int] = (),
    training: Training = "taught",
) -> dict[str, NDArray[np.float64]]:
    """Read a sentence with every head, and once more with some heads removed.

        output = Σ_h head_h W_O^h + b_O, without the removed h in the "after"

    A removed head looks as before; its part is left out of the sum. n counts ⟨SOS⟩,
    which stands before the words: its row 0 predicts the first of them.

    Args:
        sentence: up to 16 words of the model's vocabulary: see `read`.
        removed: heads, counted from 0.
        training: "taught", or "free" for the model whose heads nobody taught.

    Returns:
        "weights" (H, n, n), "parts" (H, n, D), "output.before" and "output.after"
        (n, D), "predictions.before" and "predictions.after" (n, V): each word's
        probability to be the next.

    Raises:
        TypeError, ValueError: the sentence cannot be read, a head is none of the
            model's, or the training is neither.

    Source: Vaswani et al. (2017), §3.2.2; D0.3.3, D1.15.2, D2.3.3.
    """
    model, vocabulary = _loaded(training)
    ids = torch.tensor([vocabulary.encode(read(sentence))])  # (1, n)
    _check_heads(removed, model.config.n_heads)
    before = _pass(model, ids)
    after = _pass(model, ids, removed)
    attention = cast(MultiHeadAttention, model.get_submodule(ATTENTION))
    W_O = attention.W_O.weight.detach().view(-1, attention.n_heads, attention.d_k)
    named = {
        "weights": before[f"{ATTENTION}.weights"],
        "parts": torch.einsum("bhnk,dhk->bhnd", before[f"{ATTENTION}.heads"], W_O),
    }
    for when, tensors in (("before", before), ("after", after)):
        named[f"output.{when}"] = tensors[ATTENTION]
        named[f"predictions.{when}"] = tensors["logits"].softmax(-1)
    return {name: x[0].double().numpy() for name, x in named.items()}


def roles(
    training: Training = "taught", sentences: int = 200, *, asked: bool = False
) -> NDArray[np.float64]:
    """Measure how much each head looks at what each role says, on unseen sentences.

        roles[h, r] = mean over rows of weights[h, row, target_r(row)]

    Only rows whose target has been said count.

    Args:
        training: which model.
        sentences: how many to write.
        asked: whether only rows count whose next word hangs on it: see `grammar.asks`.

    Returns:
        (H, 4): a head's mean weight on each target, in the order of `ROLES`.
    """
    model, vocabulary = _loaded(training)
    written = unseen(sentences)
    ids = padded(vocabulary, written)[:, :-1]
    weights = _pass(model, ids)[f"{ATTENTION}.weights"]  # (B, H, n, n)
    found: list[list[Tensor]] = [[] for _ in ROLES]
    for w, words in zip(weights, written, strict=True):
        rows = zip(targets(words), asks(words), strict=True)
        for row, (wanted, needs) in enumerate(rows, start=1):
            for role, target in enumerate(wanted):
                if target and (needs[role] or not asked):
                    found[role].append(w[:, row, target])
    return torch.stack([torch.stack(w).mean(0) for w in found], 1).double().numpy()


def ablation(
    training: Training = "taught", sentences: int = 200
) -> dict[str, NDArray[np.float64]]:
    """Measure how often the next word is right without a head, and with one alone.

    A share for each role: of the words after which the next hangs on it (see
    `grammar.asks`), on unseen sentences. No head is trained anew.

    Args:
        training: which model.
        sentences: how many to write.

    Returns:
        "all" (4,): with every head, in the order of `ROLES`; "none" (4,): without any;
        "removed" (H, 4): without head h; "kept" (H, 4): with head h alone.

    Source: Michel et al. (2019), §3.
    """
    model, vocabulary = _loaded(training)
    written = unseen(sentences)
    ids = padded(vocabulary, written)
    rows = torch.zeros(len(ROLES), *ids[:, 1:].shape, dtype=torch.bool)
    for n, words in enumerate(written):  # the last word has no next one to ask for
        rows[:, n, 1 : len(words)] = torch.tensor(asks(words)[:-1]).T

    def right(removed: Iterable[int]) -> list[float]:
        logits = _pass(model, ids[:, :-1], removed)["logits"]  # (B, n, V)
        hit = logits.argmax(-1) == ids[:, 1:]  # (B, n)
        return [float(hit[asked].double().mean()) for asked in rows]

    heads = range(model.config.n_heads)
    return {
        "all": np.array(right(())),
        "none": np.array(right(heads)),
        "removed": np.array([right((h,)) for h in heads]),
        "kept": np.array([right(set(heads) - {h}) for h in heads]),
    }


def baselines(sentences: int = 200) -> dict[str, NDArray[np.float64]]:
    """Measure how often two rules without a network are right, as `ablation` asks.

    Args:
        sentences: how many to write.

    Returns:
        "one word" (4,): always the same word, the best there is for these sentences;
        "last word" (4,): what most often follows the last word in those learned.
    """
    follows = most_frequent(pair for words in learned() for pair in pairwise(words))
    asked: list[list[tuple[str, str]]] = [[] for _ in ROLES]
    for words in unseen(sentences):
        for pair, needs in zip(pairwise(words), asks(words), strict=False):
            for role in np.flatnonzero(needs):
                asked[role].append(pair)
    one = [majority_accuracy(wanted for _, wanted in pairs) for pairs in asked]
    table = [
        fraction(follows[last] == wanted for last, wanted in pairs) for pairs in asked
    ]
    return {"one word": np.array(one), "last word": np.array(table)}


def cross_entropy(training: Training = "taught", sentences: int = 200) -> float:
    """Measure the mean of −log p(next word), ⟨EOS⟩ included, on unseen sentences."""
    model, vocabulary = _loaded(training)
    written = unseen(sentences)
    ids = padded(vocabulary, written)
    with torch.no_grad():
        logits = model(ids[:, :-1])  # (B, n, V)
    return float(F.cross_entropy(logits.mT, ids[:, 1:], ignore_index=0))


def _pass(
    model: DecoderOnlyTransformer, ids: Tensor, removed: Iterable[int] = ()
) -> Recording:
    """Run the model on ids (B, n) without what the removed heads give."""
    nothing = {(f"{ATTENTION}.heads", head): torch.zeros_like for head in removed}
    with torch.no_grad(), record(model) as tensors, patch(model, nothing):
        model(ids)
    return tensors


def _check_heads(removed: Sequence[int], n_heads: int) -> None:
    for head in removed:
        if isinstance(head, bool) or not isinstance(head, int):
            raise TypeError(f"removed must hold integers, got {head!r}")
        if not 0 <= head < n_heads:
            raise ValueError(f"removed must hold heads 0 to {n_heads - 1}, got {head}")


@cache
def _loaded(training: Training) -> tuple[DecoderOnlyTransformer, Vocabulary]:
    return load_heads(training)
