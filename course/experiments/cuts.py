"""Which words, edges and heads of attention an answer hangs on, over many sentences.

An edge is cut as a mask would: its score becomes −∞, and the other edges of its query
share the weight. The model is that of `models.jobs`.

"""

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from transformer_lib.model.transformer import Transformer
from transformer_lib.runtime.patching import Change, Name, patch
from transformer_lib.runtime.recording import Recording, record

from ..data.jobs import HELD_OUT, TOLD, VOCABULARY, written
from ..data.pairs import SOS
from ..models.jobs import MODEL, SEEDS
from ..models.measures import total_variation
from .experiment import Experiment, grid
from .finishing import LENGTHS, exchanged
from .results import Row

#: All sentences that say what was studied, and what stands at their eight places.
STARTS = (*TOLD, *HELD_OUT)
PLACES = ("name", "studied", "subject", "and", "works", "as", "a or an", "field")
SUBJECT = PLACES.index("subject")
ENCODER = "encoder.blocks.0.self_attention"
CROSS = "decoder.blocks.0.cross_attention"
LAST = -1  # the row of the last word that is written: it asks for the next one
Changes = Mapping[Name, Change]
UNCUT: Changes = {}
IDLE = 0.02  # a distance that hardly anybody would see


def encode(starts: Sequence[str]) -> tuple[Tensor, Tensor]:
    """Encode starts: what the encoder reads (B, S), and what is written of them (B, T).

    Raises:
        ValueError: they are not of as many words each, or a word is unknown.
    """
    read = [VOCABULARY.encode(start) for start in starts]
    wrote = [VOCABULARY.encode(f"{SOS} {written(start)}") for start in starts]
    if len({(len(a), len(b)) for a, b in zip(read, wrote, strict=True)}) != 1:
        raise ValueError(f"starts must be of as many words each, got {starts!r}")
    return torch.tensor(read), torch.tensor(wrote)


def run(
    model: Transformer, starts: Sequence[str], changes: Changes = UNCUT
) -> Recording:
    """Read all starts in one pass, with tensors replaced, and keep every tensor."""
    with torch.inference_mode(), record(model) as tensors, patch(model, changes):
        model(*encode(starts))
    return tensors


def answers(
    model: Transformer, starts: Sequence[str], changes: Changes = UNCUT
) -> Tensor:
    """Return the probabilities of every word to follow each start, (B, V)."""
    return run(model, starts, changes)["logits"][:, LAST].softmax(dim=-1)


def attention_weights(model: Transformer, starts: Sequence[str] = STARTS) -> Tensor:
    """Return the weights of each start's last word in every head, (B, H, S)."""
    return run(model, starts)[f"{CROSS}.weights"][:, :, LAST]


def cut(key: int, query: int | slice = slice(None)) -> Callable[[Tensor], Tensor]:
    """Make a change of scores (…, T, S): a query, or each, cannot look at a key."""

    def change(scores: Tensor) -> Tensor:
        scores[..., query, key] = -torch.inf
        return scores

    return change


def edges(model: Transformer, starts: Sequence[str] = STARTS) -> Tensor:
    """Measure how far each answer moves when one edge of its last word is cut.

    Returns:
        a distance for each start, head and key, (B, H, S), as `attention_weights`.
    """
    before = answers(model, starts)
    moved = torch.empty_like(attention_weights(model, starts))
    for h in range(moved.size(1)):
        for key in range(moved.size(2)):
            change: Changes = {(f"{CROSS}.scores", h): cut(key, LAST)}
            moved[:, h, key] = total_variation(before, answers(model, starts, change))
    return moved


def words(model: Transformer, starts: Sequence[str] = STARTS) -> Tensor:
    """Measure how far each answer moves when no head lets the last word look at a word.

    Returns:
        a distance for each start and key, (B, S).
    """
    before = answers(model, starts)
    S = attention_weights(model, starts).size(-1)
    moved = []
    for key in range(S):
        change: Changes = {f"{CROSS}.scores": cut(key, LAST)}
        moved.append(total_variation(before, answers(model, starts, change)))
    return torch.stack(moved, dim=1)


def heads(model: Transformer, starts: Sequence[str] = STARTS) -> Tensor:
    """Measure how far each answer moves when one head hands over nothing, (B, H)."""
    before = answers(model, starts)
    moved = []
    for h in range(model.n_heads):
        change: Changes = {(f"{CROSS}.heads", h): torch.zeros_like}
        moved.append(total_variation(before, answers(model, starts, change)))
    return torch.stack(moved, dim=1)


def agreement(model: Transformer) -> dict[str, float]:
    """Measure how far the weights of the last word tell what a cut of them does.

    Returns:
        over all edges of STARTS, the "rank correlation" of weight and effect, what
        `edges` gives; the share of starts in which one edge is "first in both"; and of
        the edges above a half, the share of those that are "large and idle": they move
        the answer by less than IDLE.
    """
    weight = attention_weights(model).flatten(1)  # (B, H·S)
    effect = edges(model).flatten(1)
    both = torch.stack([ranks(weight.flatten()), ranks(effect.flatten())])
    first = weight.argmax(dim=1) == effect.argmax(dim=1)
    idle = effect[weight > 0.5] < IDLE
    return {
        "rank correlation": float(torch.corrcoef(both)[0, 1]),
        "first in both": float(first.double().mean()),
        "large and idle": float(idle.double().mean()),
    }


def ranks(x: Tensor) -> Tensor:
    """Rank numbers from 0; equal numbers share the mean of their ranks."""
    _, value, counts = torch.unique(x, return_inverse=True, return_counts=True)
    of_value = counts.cumsum(0) - (counts + 1) / 2
    found: Tensor = of_value.double()[value]
    return found


def follows(model: Transformer, changes: Changes = UNCUT) -> float:
    """Measure how much of the subject still reaches the answer when edges are cut.

    Returns:
        how far the answer moves in the mean when the subject is another one, over
        STARTS; before and after it the same edges are cut.
    """
    pairs = [(s, other) for s in STARTS for other in exchanged(s)["subject"]]
    own, others = (answers(model, side, changes) for side in zip(*pairs, strict=True))
    return float(total_variation(own, others).mean())


def paths(model: Transformer) -> dict[str, float]:
    """Measure by which path the subject reaches the answer: see `follows`.

    Directly, the writer looks at the subject's own vector. By others, the words of the
    source look at the subject, and the writer at them.

    Returns:
        how much of it arrives with "nothing cut", with the edges of one path cut, "not
        direct" and "not by others", and with those of "neither" path left.
    """
    direct: Changes = {f"{CROSS}.scores": cut(SUBJECT)}
    others: Changes = {f"{ENCODER}.scores": blind_to(SUBJECT)}
    return {
        "nothing cut": follows(model),
        "not direct": follows(model, direct),
        "not by others": follows(model, others),
        "neither": follows(model, {**direct, **others}),
    }


def blind_to(key: int) -> Callable[[Tensor], Tensor]:
    """Make a change of scores (…, S, S): no word but itself can look at a word."""

    def change(scores: Tensor) -> Tensor:
        scores[..., :key, key] = -torch.inf
        scores[..., key + 1 :, key] = -torch.inf
        return scores

    return change


def measure(model: Transformer) -> Row:
    """Return what notebook 11 tells of a model: means over STARTS.

    Returns:
        "words" (S,), of `words`; "paths" and "agreement" as they are; and of each head
        its weight "on the subject" (H,) and what its removal does, "removed" (H,).
    """
    found = {
        "words": words(model).mean(dim=0),
        "on the subject": attention_weights(model)[..., SUBJECT].mean(dim=0),
        "removed": heads(model).mean(dim=0),
    }
    rows = {name: x.tolist() for name, x in found.items()}
    return rows | {"paths": paths(model), "agreement": agreement(model)}


EXPERIMENT = Experiment(
    name="cuts",
    runs=grid(seed=SEEDS, steps=LENGTHS),
    measure=lambda steps, seed: measure(MODEL.after(steps, seed)),
    models={"stories": MODEL},
    settings={"idle": IDLE},
    decimals=3,
)
