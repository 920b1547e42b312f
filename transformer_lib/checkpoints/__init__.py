"""Checkpoints: weights in a file, with their configuration and how they were made."""

from pathlib import Path

import torch
from torch import Tensor, nn

from ..checks.validation import brief, require
from ..model.transformer import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
)
from ..runtime.seed import seeded
from .files import load_weights, read_weights, reading, replacing, write_weights
from .provenance import Provenance
from .registry import REGISTRY, configured, described, registered

__all__ = [
    "Provenance",
    "load_checkpoint",
    "load_weights",
    "read_weights",
    "reading",
    "registered",
    "replacing",
    "save_checkpoint",
    "write_weights",
]

for ours in (Transformer, EncoderOnlyTransformer, DecoderOnlyTransformer):
    registered(ours)


def save_checkpoint(
    model: nn.Module,
    path: Path | str,
    provenance: Provenance | None = None,
    *,
    half: bool = False,
) -> None:
    """Write a model's weights, class and configuration, and how it was made.

    Args:
        model: one of the three models, or of a class that is `registered`.
        path: the file, in safetensors format; its folder is created.
        provenance: how the model was made, for `load_checkpoint` to compare. By
            default, the file says only which versions wrote it.
        half: round float32 weights to float16, with about 3 digits, which takes half
            the space. They are read as float32 again.

    Raises:
        TypeError: the model is of no such class, or path neither a Path nor a string.
        ValueError: JSON cannot hold its configuration, or a weight is too large for
            float16.
    """
    told = described(model)
    weights = model.state_dict()
    if half:
        weights = {name: _halved(name, x) for name, x in weights.items()}
        told["half"] = True
    write_weights(weights, path, told, provenance or Provenance())


def load_checkpoint(
    path: Path | str, expected: Provenance | None = None
) -> tuple[nn.Module, Provenance]:
    """Build the model that was saved, in evaluation mode, and return how it was made.

    Args:
        path: the file.
        expected: the recipe, seed, steps and words with which the model must have been
            made; None takes what is there.

    Raises:
        TypeError: path is neither a Path nor a string.
        FileNotFoundError: there is no such file.
        ValueError: the model was made in another way (the error names the setting and
            both values); the file is broken, or does not hold a model and its weights;
            or the model is not `registered`, because its module was not imported.
    """
    weights, made, provenance = read_weights(path, expected)
    name, config = made.get("model"), made.get("config")
    fits = isinstance(name, str) and isinstance(config, dict)
    wanted = "name a model of ours and its configuration"
    require(fits, "path", wanted, repr(str(path)))
    wanted = f"be of a model that is imported, of {', '.join(REGISTRY)}"
    require(name in REGISTRY, "path", wanted, f"{brief(name)} in {str(path)!r}")
    kind, asked = REGISTRY[str(name)]
    with reading(path):
        if made.get("half", False):
            weights = {name: x.float() for name, x in weights.items()}
        dtypes = [*{x.dtype for x in weights.values()}]
        one_kind = len(dtypes) == 1 and dtypes[0].is_floating_point
        require(one_kind, "its weights", "be of one floating-point type", dtypes)
        own = configured(asked, config)
    with seeded(0):
        model = kind(own).to(dtypes[0])
    with reading(path):
        load_weights(model, weights)
    return model.eval(), provenance


def _halved(name: str, x: Tensor) -> Tensor:
    """Round a weight to float16, which holds numbers up to 65,504."""
    require(x.dtype == torch.float32, name, "be float32, to be halved", x.dtype)
    largest = x.abs().max().item() if x.numel() else 0.0
    require(bool(x.half().isfinite().all()), name, "be at most 65504", largest)
    return x.half()
