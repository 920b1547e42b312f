"""A small convolutional network classifies the digits of the experiment `digits`."""

from torch import nn

from ..data.digits import CLASSES, SIDE
from ..models.vit import model_of, probabilities
from .digits import AUGMENTATIONS, CHOSEN, LENGTHS, PUSHES, measure
from .experiment import Experiment, grid
from .results import Row


def cnn() -> nn.Module:
    """Build a network of two convolutions, each with ReLU and max pooling after it."""
    return nn.Sequential(
        nn.Unflatten(1, (1, SIDE)),  # (B, 1, 8, 8)
        nn.Conv2d(1, 32, kernel_size=3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),  # (B, 32, 4, 4)
        nn.Conv2d(32, 64, kernel_size=3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),  # (B, 64, 2, 2)
        nn.Flatten(),
        nn.Linear(64 * (SIDE // 4) ** 2, CLASSES),  # (B, 10)
    )


def run(reader: str, augmentation: str, steps: int, seed: int) -> Row:
    """Train the network and measure its accuracy, on shifted digits too."""
    small = model_of(cnn, augment=AUGMENTATIONS[augmentation])
    model = small.train(seed, steps)
    return measure(lambda pictures: probabilities(model, pictures).argmax(-1))


EXPERIMENT = Experiment(
    name="convolution",
    runs=grid(
        reader=["CNN"],
        augmentation=["nothing", CHOSEN],
        steps=LENGTHS,
        seed=range(5),
    ),
    measure=run,
    models={"CNN": model_of(cnn)},
    settings={"pushes": PUSHES},
)
