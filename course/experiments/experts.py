"""A mixture of experts in miniature: how well it predicts, and what each expert takes.

The measures of the router are taken from held-out definitions. How well a token, a
position or a part of speech predicts the expert is the accuracy of a rule that is
learned from the validation definitions: the expert most often chosen for it there.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import torch

from transformer_lib.model.transformer import DecoderOnlyTransformer

from ..data.dictionary import EOS, SPECIAL, Entry, in_ids, is_shown, sample, tokenizer
from ..models.dictionary import (
    LENGTH,
    bits_per_character,
    in_definition,
    padded,
)
from ..models.experts import EXPERTS, MODELS, RECIPE, mixtures
from .experiment import Experiment, grid
from .results import Row

STEPS = (RECIPE.steps // 3, RECIPE.steps)
SEEDS = 5
ASKED = 300  # entries whose tokens are routed, of the held-out and of the validation
SHOWN = 8  # tokens of each expert, at most
FEATURES = ("token", "position", "part of speech")
EOS_ID = SPECIAL.index(EOS)
Seen = list[tuple[tuple[Any, ...], int]]  # what a token is, and its first expert


def routed(
    model: DecoderOnlyTransformer, entries: Sequence[Entry]
) -> tuple[list[Seen], list[list[float]]]:
    """Route the tokens of definitions.

    Returns:
        for each block, the FEATURES of each token and its first expert; and for each
        block the fraction of all choices, two per token, that each expert gets.
    """
    ids = padded([torch.tensor(in_ids(entry)) for entry in entries])[:, :LENGTH]
    read = in_definition(ids) & (ids != EOS_ID)  # (B, T)
    with torch.inference_mode():
        model(ids)
    texts, positions = (x.tolist() for x in read.nonzero().T)
    tokens = ids[read].tolist()
    speech = [entries[text].part_of_speech for text in texts]
    features = [*zip(tokens, positions, speech, strict=True)]
    seen, loads = [], []
    for part in mixtures(model):
        logits = part.logits.view(*ids.shape, EXPERTS)[read]  # (n, E)
        chosen = (part.weights.view(*ids.shape, EXPERTS)[read] > 0).float().mean(0)
        seen.append([*zip(features, logits.argmax(-1).tolist(), strict=True)])
        loads.append((chosen / chosen.sum()).tolist())
    return seen, loads


def most_common(experts: Iterable[int]) -> int:
    """Return the expert that occurs most often, the smallest number first."""
    counts = Counter(experts)
    return max(sorted(counts), key=lambda expert: counts[expert])


def accuracies(learned: Seen, held_out: Seen) -> dict[str, float]:
    """Return the accuracy of predicting the first expert from each feature alone.

    "baseline" always names the most common expert.
    """
    usual = most_common(expert for _, expert in learned)
    found = {"baseline": [expert == usual for _, expert in held_out]}
    for n, name in enumerate(FEATURES):
        groups: dict[Any, list[int]] = defaultdict(list)
        for features, expert in learned:
            groups[features[n]].append(expert)
        rule = {value: most_common(experts) for value, experts in groups.items()}
        found[name] = [rule.get(f[n], usual) == expert for f, expert in held_out]
    return {name: sum(hits) / len(hits) for name, hits in found.items()}


def favorites(seen: Seen) -> list[list[str]]:
    """Return for each expert the most frequent tokens that mostly choose it first."""
    by_token: dict[int, list[int]] = defaultdict(list)
    for (token, *_), expert in seen:
        by_token[token].append(expert)
    texts: list[list[str]] = [[] for _ in range(EXPERTS)]
    for token in sorted(by_token, key=lambda t: (-len(by_token[t]), t)):
        text = tokenizer().decode([token]).strip()
        experts = by_token[token]
        expert = most_common(experts)
        mostly = 2 * experts.count(expert) > len(experts)
        if mostly and text and is_shown(text) and len(texts[expert]) < SHOWN:
            texts[expert].append(text)
    return texts


def run(variant: str, steps: int, seed: int) -> Row:
    """Train one of MODELS for some steps.

    Returns:
        "bits" per character of held-out definitions; and of a mixture, by block, the
        "load" of each expert, its "tokens", and the "accuracy" of predicting it.
    """
    model = MODELS[variant].train(seed, steps)
    entries = sample().held_out[:ASKED]
    found: Row = {"bits": bits_per_character(model, entries)}
    if mixtures(model):
        seen, found["load"] = routed(model, entries)
        learned, _ = routed(model, sample().validation[:ASKED])
        pairs = zip(learned, seen, strict=True)
        found["accuracy"] = [accuracies(*pair) for pair in pairs]
        found["tokens"] = [favorites(block) for block in seen]
    return found


EXPERIMENT = Experiment(
    name="experts",
    runs=grid(steps=reversed(STEPS), variant=MODELS, seed=range(SEEDS)),
    measure=run,
    models=MODELS,
    settings={"asked": ASKED, "shown": SHOWN},
)
