"""What a translator says behind right words, and behind its own.

The kept results are made by `python -m course.experiments.own_words`.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.functional import pad

from transformer_lib.checkpoints import keep_each, read_results
from transformer_lib.generation.sampling import greedy
from transformer_lib.model.masks import padding_mask
from transformer_lib.model.transformer import Transformer

from ..data.french_sentences import PAD_ID, French
from ..data.pairs import Pairs
from ..models.french import begin
from ..models.pairs import decoding
from ..trained import CHECKPOINTS

TASK = French()
STEPS = 400
STAGES = (100, 200, 400)  # steps after which a model is asked
SEEDS = range(5)


def say(model: Transformer, pairs: Pairs) -> tuple[Tensor, Tensor, Tensor]:
    """Let a model say every target, behind the right words and behind its own.

    Returns:
        ids (B, T) of what has to be said, and of what is said in both ways: the
        likeliest word at each place.
    """
    source, target = pairs
    with torch.no_grad():
        mask = padding_mask(source, pad_id=PAD_ID)
        forced = model(source, target[:, :-1], mask).argmax(-1)  # (B, T)
    alone = greedy(model, source, decoding(TASK)).ids[:, 1:]
    three = target[:, 1:], forced, alone
    width = max(ids.size(1) for ids in three)
    has_to, behind, own = (pad(x, (0, width - x.size(1)), value=PAD_ID) for x in three)
    return has_to, behind, own


def measure(model: Transformer, pairs: Pairs) -> dict[str, float]:
    """Measure what a mistake does to the words behind it.

    Returns:
        shares of right words, in both ways: of all ("forced", "alone"), and of those
        behind the first mistake that the model makes alone ("forced after", "alone
        after"); of these in texts that it ends at the right place, so that no word has
        moved ("forced ended", "alone ended"); and of texts without a mistake ("texts
        forced", "texts alone"). "after" and "ended" count the words that were asked.
    """
    has_to, behind, own = say(model, pairs)
    asked = has_to != PAD_ID
    right = {"forced": behind == has_to, "alone": own == has_to}
    wrong = ~right["alone"] & asked
    after = asked & (wrong.cumsum(1) - wrong.int() > 0)
    ended = after & ((own != PAD_ID) == asked).all(1, keepdim=True)
    parts = {"": asked, " after": after, " ended": ended}
    found = {"after": float(after.sum()), "ended": float(ended.sum())}
    for way, hits in right.items():
        for name, part in parts.items():
            found[f"{way}{name}"] = float(hits[part].double().mean())
        found[f"texts {way}"] = float((hits | ~asked).all(1).double().mean())
    return found


def commonest(pairs: Pairs) -> float:
    """Give the share of places at which the commonest word of that place is right."""
    has_to = pairs.target[:, 1:]
    asked = has_to != PAD_ID
    at_each = [has_to[asked[:, t], t].bincount() for t in range(has_to.size(1))]
    hits = sum(int(counts.max()) for counts in at_each if len(counts))
    return hits / int(asked.sum())


def load_results(folder: Path = CHECKPOINTS) -> list[dict[str, float]]:
    """The kept results: of each training its seed, and what `measure` gave by steps.

    Raises:
        FileNotFoundError: the folder does not hold them.
        ValueError: their file is broken.
    """
    return read_results(folder / "own_words.json")


def main(
    folder: Path = CHECKPOINTS,
    steps: int = STEPS,
    stages: Sequence[int] = STAGES,
    seeds: Sequence[int] = SEEDS,
) -> None:
    """Train a translator from each seed, and ask it on its way; keep what came."""
    new = TASK.new()

    def came() -> Iterator[dict[str, float]]:
        for seed in seeds:
            model, training = begin(seed, steps)
            for taken, _ in enumerate(training, 1):
                if taken in stages:
                    found = measure(model, new).items()
                    rounded = {what: round(x, 4) for what, x in found}
                    yield {"seed": seed, "steps": taken, **rounded}

    keep_each(came(), folder / "own_words.json")


if __name__ == "__main__":
    main()
