"""When a tiny GPT begins to memorize definitions, and what puts that off."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

import torch
from torch import Tensor, nn

from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.transformer import DecoderOnlyTransformer
from transformer_lib.training import seeded

from ..data.dictionary import Entry, in_ids, sample
from ..models.dictionary import LENGTH, in_definition, next_token_loss, padded
from ..models.small_model import batch_seed
from .experiment import Experiment
from .results import Row

SIZES = TransformerConfig(
    vocabulary_size=2048,
    d_model=64,
    n_heads=4,
    n_decoder_layers=2,
    d_ff=256,
    dropout=0.0,
    max_length=LENGTH,
    positions="learned",
    activation="gelu",
    norm_first=True,
)
#: The number of steps, by the number of definitions to learn from (there are 996).
#: With neither method, the validation loss is lowest in the first half of them.
STEPS: Mapping[int, int] = {100: 160, 300: 240, 996: 480}
EVALUATIONS = 16  # after the first one, at equal distances
PEAK, WARMUP = 0.003, 20  # the learning rate rises to PEAK, and stays there
BATCH = 16  # definitions
#: What is changed: the dropout rate, and AdamW's weight decay.
METHODS: Mapping[str, tuple[float, float]] = {
    "neither": (0.0, 0.0),
    "dropout": (0.3, 0.0),
    "weight decay": (0.0, 0.3),
    "both": (0.3, 0.3),
}


def learning_rates(steps: int) -> list[float]:
    """Return the learning rate of each step: a linear warm-up, then constant."""
    return [PEAK * min(1.0, (n + 1) / WARMUP) for n in range(steps)]


def as_tensor(entry: Entry) -> Tensor:
    """Return the ids of an entry, cut to the length that the model can read."""
    return torch.tensor(in_ids(entry)[:LENGTH])


def training_definitions(count: int, seed: int = 0) -> list[Tensor]:
    """Draw some of the learned entries of `sample`, as ids (T,) each.

    Raises:
        ValueError: there are fewer entries.
    """
    entries = sample().learned
    if not 0 < count <= len(entries):
        raise ValueError(f"count must be 1 to {len(entries)}, got {count}")
    order = torch.randperm(len(entries), generator=torch.Generator().manual_seed(seed))
    return [as_tensor(entries[n]) for n in order[:count].tolist()]


@cache
def validation_definitions() -> Tensor:
    """Return the nouns among the validation entries of `sample`, padded: (287, T)."""
    nouns = [e for e in sample().validation if e.part_of_speech == "noun"]
    return padded([as_tensor(entry) for entry in nouns])


def tiny_gpt(seed: int = 0, dropout: float = 0.0) -> DecoderOnlyTransformer:
    """Return an untrained GPT with two blocks and 64 features."""
    with seeded(seed):
        return DecoderOnlyTransformer(replace(SIZES, dropout=dropout)).eval()


def draw_from(texts: Sequence[Tensor], seed: int = 0) -> Callable[[], Tensor]:
    """Return a function that draws a batch of texts, padded: (BATCH, T)."""
    draw = torch.Generator().manual_seed(batch_seed(seed))

    def batch() -> Tensor:
        chosen = torch.randint(len(texts), (BATCH,), generator=draw)
        return padded([texts[n] for n in chosen.tolist()])

    return batch


def train(
    model: DecoderOnlyTransformer,
    draw_batch: Callable[[], Tensor],
    loss_of: Callable[[DecoderOnlyTransformer, Tensor], Tensor],
    rates: Sequence[float],
    weight_decay: float = 0.0,
) -> Iterator[float]:
    """Take one step for each learning rate, and yield the loss of each batch.

    Notebook 12 shows this loop.
    """
    adam = torch.optim.AdamW(
        model.parameters(), betas=(0.9, 0.98), weight_decay=weight_decay
    )
    for rate in rates:
        model.train()
        loss = loss_of(model, draw_batch())
        adam.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.param_groups[0]["lr"] = rate
        adam.step()
        model.eval()
        yield loss.item()


def evaluate(model: DecoderOnlyTransformer, texts: Tensor) -> float:
    """Return the mean −log p of the tokens of definitions (B, T), without dropout."""
    with torch.inference_mode():
        return next_token_loss(model.eval(), texts).item()


def unigram_loss(texts: Sequence[Tensor], unseen: Tensor) -> float:
    """Return the loss of a rule that predicts each token by how often it was seen.

    It counts the tokens of the definitions in texts, and adds 1 to each count.

    Args:
        texts: ids (T,) of entries to learn from.
        unseen: ids (B, T) of entries whose definitions are predicted.
    """
    known = padded([*texts])
    counts = known[in_definition(known)].bincount(minlength=SIZES.vocabulary_size) + 1
    p = counts / counts.sum()
    return float(-p[unseen[in_definition(unseen)]].log().mean())


def run(method: str, count: int, seed: int) -> Row:
    """Train a tiny GPT on some definitions, and follow both losses.

    Args:
        method: one of METHODS.
        count: of the definitions that it learns from, one of STEPS.
        seed: of the weights, the batches, dropout and the choice of definitions.

    Returns:
        the losses "training" and "validation", before the first step and at 16 equal
        distances, and the "steps" taken by then. The training loss is that of the
        first 50 definitions.
    """
    dropout, weight_decay = METHODS[method]
    texts = training_definitions(count, seed)
    model = tiny_gpt(seed, dropout)
    seen, unseen = padded(texts[:50]), validation_definitions()
    rates = learning_rates(STEPS[count])
    every = STEPS[count] // EVALUATIONS
    curves = [(0, evaluate(model, seen), evaluate(model, unseen))]
    with seeded(seed):  # dropout
        steps = train(
            model, draw_from(texts, seed), next_token_loss, rates, weight_decay
        )
        for taken, _ in enumerate(steps, 1):
            if taken % every == 0:
                curves.append((taken, evaluate(model, seen), evaluate(model, unseen)))
    at, training, validation = (list(curve) for curve in zip(*curves, strict=True))
    return {"steps": at, "training": training, "validation": validation}


#: Three numbers of definitions with neither method, and the methods where there are
#: enough definitions for a comparison.
CASES = [
    *({"count": count, "method": "neither"} for count in STEPS),
    {"count": 300, "method": "both"},
    *({"count": 996, "method": m} for m in METHODS if m != "neither"),
]

EXPERIMENT = Experiment(
    name="thousand_definitions",
    runs=[{"seed": seed, **case} for seed in range(5) for case in CASES],
    measure=run,
    settings={
        "sizes": {"d_model": SIZES.d_model, "blocks": SIZES.n_decoder_layers},
        "steps": {str(count): steps for count, steps in STEPS.items()},
        "evaluations": EVALUATIONS,
        "peak": PEAK,
        "warmup": WARMUP,
        "batch": BATCH,
        "methods": METHODS,
    },
)
