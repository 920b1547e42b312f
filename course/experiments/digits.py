"""Who reads digits of new writers, and who still does once they are pushed by a pixel.

The kept results are made by `python -m course.experiments.digits`.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from statistics import mean
from typing import Any

import torch
from torch import Tensor, nn

from transformer_lib.checkpoints import keep_each, read_results
from transformer_lib.training import seeded

from ..data.digits import CLASSES, SIDE, Digits, digits, folds, pushed, varied
from ..models.vit import (
    SEED,
    STEPS,
    Vary,
    ViT,
    ViTConfig,
    learn,
    probabilities,
    trained,
)
from ..trained import CHECKPOINTS

SEEDS = range(3)
#: By how many pixels digits are pushed, to the right and down.
PUSHES = {
    "as they are": (0, 0),
    "right": (1, 0),
    "left": (-1, 0),
    "down": (0, 1),
    "up": (0, -1),
}
Says = Callable[[Tensor], Tensor]  # pictures (B, 8, 8) to digits (B,)
Make = Callable[[], nn.Module]


def as_they_are(pictures: Tensor, _: torch.Generator) -> Tensor:
    """Leave the pictures of a batch as they are: no augmentation."""
    return pictures


#: How a model's pictures are changed while it learns, to choose from.
WAYS: Mapping[str, Vary] = {
    "nothing": as_they_are,
    "½ pixel, 5°": partial(varied, push=0.5, turn=5.0, stretch=0.05),
    "¾ pixel, 10°": varied,
    "1 pixel, 10°": partial(varied, push=1.0),
}
CHOSEN = "¾ pixel, 10°"
#: What the ViT's settings were chosen from: its way, of WAYS, and its steps.
TRIED = (("½ pixel, 5°", 2000), ("1 pixel, 10°", 2000), (CHOSEN, STEPS))


def vit() -> nn.Module:
    """Build a ViT of the course's sizes."""
    return ViT(ViTConfig())


def mlp() -> nn.Module:
    """Build a network with no attention: 64 pixels to 256, 256 and 10 numbers."""
    layers = [nn.Flatten(), nn.Linear(SIDE**2, 256), nn.ReLU(), nn.Linear(256, 256)]
    return nn.Sequential(*layers, nn.ReLU(), nn.Dropout(0.1), nn.Linear(256, CLASSES))


NETWORKS: Mapping[str, Make] = {"ViT": vit, "MLP": mlp}


def network(
    name: str,
    way: str,
    steps: int = STEPS,
    seed: int = 0,
    known: Digits | None = None,
) -> Says:
    """Train a network of NETWORKS, and give what it says.

    That of the course is not trained again.

    Args:
        name: one of NETWORKS.
        way: one of WAYS.
        steps: how many batches.
        seed: of the first weights, the batches and dropout.
        known: what it learns from; the first half of all digits without it.
    """
    kept = name == "ViT", way == CHOSEN, steps == STEPS, seed == SEED, known is None
    if all(kept):
        return lambda pictures: probabilities(trained(), pictures).argmax(-1)
    with seeded(seed):
        model = NETWORKS[name]()
        training = learn(model, steps, seed, known, WAYS[way])
        deque(training, maxlen=0)  # dropout, too, is drawn from the seed
    return lambda pictures: probabilities(model, pictures).argmax(-1)


def rules(known: Digits) -> Iterator[tuple[str, Says]]:
    """Fit the classifiers of scikit-learn, each with settings to choose from."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC

    for C in (0.1, 1.0, 10.0):
        yield (
            "logistic regression",
            _fitted(LogisticRegression(C=C, max_iter=5000), known),
        )
    for k in (1, 3, 5):
        yield "nearest neighbours", _fitted(KNeighborsClassifier(k), known)
    for C in (1.0, 10.0):
        yield "SVM", _fitted(SVC(C=C), known)


def _fitted(rule: Any, known: Digits) -> Says:
    rule.fit(known.pictures.flatten(1).numpy(), known.digits.numpy())
    return lambda pictures: torch.tensor(rule.predict(pictures.flatten(1).numpy()))


def best_rules() -> dict[str, Says]:
    """Fit each rule to the first half, with the settings that the choice found best."""
    by_fold = [
        [share(says, asked) for _, says in rules(known)] for known, asked in folds()
    ]
    tried = zip(*by_fold, strict=True)  # of each setting, the shares of all folds
    found: dict[str, tuple[float, Says]] = {}
    for shares, (name, says) in zip(tried, rules(digits("first half")), strict=True):
        came = mean(shares)
        if name not in found or came > found[name][0]:
            found[name] = came, says
    return {name: says for name, (_, says) in found.items()}


def share(says: Says, asked: Digits) -> float:
    """Give the share of pictures of which the digit is said."""
    return float((says(asked.pictures) == asked.digits).double().mean())


def measure(says: Says) -> dict[str, float]:
    """Give the shares of new digits that are read: as they are, and pushed."""
    pictures, names = digits("new")
    return {
        what: round(share(says, Digits(pushed(pictures, *push), names)), 4)
        for what, push in PUSHES.items()
    }


def load_results(folder: Path = CHECKPOINTS) -> list[dict[str, Any]]:
    """The kept results: of each reader, its seed and what `measure` gave.

    Raises:
        FileNotFoundError: the folder does not hold them.
        ValueError: their file is broken.
    """
    return read_results(folder / "digits.json")


def load_choice(folder: Path = CHECKPOINTS) -> list[dict[str, Any]]:
    """What the ViT's settings were chosen by: shares of digits of the folds.

    Raises:
        FileNotFoundError, ValueError: as `load_results`.
    """
    return read_results(folder / "digits_choice.json")


def main(
    folder: Path = CHECKPOINTS, steps: int = STEPS, seeds: Sequence[int] = SEEDS
) -> None:
    """Train the ViT in every setting and all readers; measure; keep what came."""

    def choice() -> Iterator[dict[str, Any]]:
        for way, most in TRIED:
            taken = min(steps, most)
            shares = [
                share(network("ViT", way, taken, known=known), asked)
                for known, asked in folds()
            ]
            came = [round(one, 4) for one in shares]
            yield {"way": way, "steps": taken, "right": came}

    def readers() -> Iterator[dict[str, Any]]:
        for name, says in best_rules().items():
            yield {"reader": name, "way": "nothing", "seed": 0, **measure(says)}
        for name, way, seed in product(NETWORKS, ("nothing", CHOSEN), seeds):
            came = measure(network(name, way, steps, seed))
            yield {"reader": name, "way": way, "seed": seed, **came}

    keep_each(choice(), folder / "digits_choice.json")
    keep_each(readers(), folder / "digits.json")


if __name__ == "__main__":
    main()
