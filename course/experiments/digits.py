"""Who reads digits of new writers, and who still does if they are pushed by a pixel."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from statistics import mean
from typing import Any

import torch
from torch import Tensor, nn

from transformer_lib.runtime.seed import derive_seed
from transformer_lib.training import seeded

from ..data.digits import CLASSES, SIDE, Digits, augmented, digits, folds, shifted
from ..models.vit import MODEL, Augment, ViT, ViTConfig, model_of, probabilities
from .experiment import Experiment, grid
from .results import Row

#: By how many pixels digits are shifted, to the right and down.
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


#: The augmentations to choose from: how pictures are changed while a model learns.
AUGMENTATIONS: Mapping[str, Augment] = {
    "nothing": as_they_are,
    "½ pixel, 5°": partial(augmented, push=0.5, turn=5.0, stretch=0.05),
    "¾ pixel, 10°": augmented,
    "1 pixel, 10°": partial(augmented, push=1.0),
}
CHOSEN = "¾ pixel, 10°"
STEPS = MODEL.recipe.steps
LENGTHS = (STEPS // 2, STEPS)  # steps of the trainings whose results are kept
FEWER = STEPS // 3  # to choose an augmentation by


def vit() -> nn.Module:
    """Build a ViT of the course's sizes."""
    return ViT(ViTConfig())


def mlp() -> nn.Module:
    """Build a network with no attention: 64 pixels to 256, 256 and 10 numbers."""
    layers = [nn.Flatten(), nn.Linear(SIDE**2, 256), nn.ReLU(), nn.Linear(256, 256)]
    return nn.Sequential(*layers, nn.ReLU(), nn.Dropout(0.1), nn.Linear(256, CLASSES))


NETWORKS: Mapping[str, Make] = {"ViT": vit, "MLP": mlp}
RULES = ("logistic regression", "nearest neighbors", "SVM")  # of scikit-learn


def network(
    name: str,
    augmentation: str,
    steps: int,
    seed: int = 0,
    known: Digits | None = None,
) -> Says:
    """Train a network of NETWORKS, and give what it says.

    That of the course is not trained again.

    Args:
        name: one of NETWORKS.
        augmentation: one of AUGMENTATIONS.
        steps: how many batches.
        seed: of the first weights, the batches and dropout.
        known: what it learns from; the first half of all digits without it.
    """
    if (name, augmentation, known) == ("ViT", CHOSEN, None):
        model: nn.Module = MODEL.after(steps, seed)
    else:
        small = model_of(NETWORKS[name], known, AUGMENTATIONS[augmentation])
        with seeded(derive_seed(seed, "dropout")):
            model = small.train(seed, steps)
    return lambda pictures: probabilities(model, pictures).argmax(-1)


@cache
def best_rule(name: str) -> Says:
    """Fit a rule to the first half, with the settings that are best on the folds."""
    tried = rules()[name]
    shares = [
        mean(accuracy(fitted(rule, known), asked) for known, asked in folds())
        for rule in tried
    ]
    return fitted(tried[shares.index(max(shares))], digits("first half"))


def rules() -> dict[str, list[Any]]:
    """Return the classifiers of scikit-learn, each with settings to choose from."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC

    return {
        "logistic regression": [
            LogisticRegression(C=C, max_iter=5000) for C in (0.1, 1.0, 10.0)
        ],
        "nearest neighbors": [KNeighborsClassifier(k) for k in (1, 3, 5)],
        "SVM": [SVC(C=C) for C in (1.0, 10.0)],
    }


def fitted(rule: Any, known: Digits) -> Says:
    """Fit a classifier, and give what it says."""
    rule.fit(known.pictures.flatten(1).numpy(), known.digits.numpy())
    return lambda pictures: torch.tensor(rule.predict(pictures.flatten(1).numpy()))


def accuracy(says: Says, asked: Digits) -> float:
    """Return the share of pictures of which the digit is said."""
    return float((says(asked.pictures) == asked.digits).double().mean())


def measure(says: Says) -> Row:
    """Return the shares of new digits that are read: as they are, and pushed."""
    pictures, names = digits("held out")
    return {
        what: accuracy(says, Digits(shifted(pictures, *push), names))
        for what, push in PUSHES.items()
    }


def run(reader: str, augmentation: str, steps: int, seed: int) -> Row:
    """Fit one of the rules, or train one of NETWORKS, and measure it."""
    if reader in NETWORKS:
        return measure(network(reader, augmentation, steps, seed))
    return measure(best_rule(reader))


def choice(augmentation: str, steps: int) -> Row:
    """Return the accuracies of a ViT on the folds: see `AUGMENTATIONS`."""
    shares = [
        accuracy(network("ViT", augmentation, steps, known=known), asked)
        for known, asked in folds()
    ]
    return {"accuracy": shares}


EXPERIMENT = Experiment(
    name="digits",
    runs=[
        *grid(reader=RULES, augmentation=["nothing"], steps=[0], seed=[0]),
        *grid(
            reader=NETWORKS,
            augmentation=["nothing", CHOSEN],
            steps=LENGTHS,
            seed=range(5),
        ),
    ],
    measure=run,
    models={name: model_of(build) for name, build in NETWORKS.items()},
    settings={"pushes": PUSHES},
)
CHOICE = Experiment(
    name="digits_choice",
    runs=grid(augmentation=AUGMENTATIONS, steps=[FEWER]),
    measure=choice,
    models={"ViT": MODEL},
)
