"""Checkpoints: weights in a file, with the configuration that they belong to."""

import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from ..checks.validation import brief, require
from ..model.transformer import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
)
from ..runtime.seed import seeded
from .files import (
    keep_each,
    read_part,
    read_results,
    read_weights,
    reading,
    write_parts,
    write_weights,
)
from .registry import REGISTRY, configured, described, registered

__all__ = [
    "keep_each",
    "load_checkpoint",
    "read_part",
    "read_results",
    "read_weights",
    "reading",
    "registered",
    "save_checkpoint",
    "write_parts",
    "write_weights",
]

for ours in (Transformer, EncoderOnlyTransformer, DecoderOnlyTransformer):
    registered(ours)


def save_checkpoint(
    model: nn.Module, path: Path | str, *, half: bool = False, **about: Any
) -> None:
    """Write a model's weights, its kind and its configuration.

    Args:
        model: one of the three models, or of a class that is `registered`.
        path: the file, of safetensors; its folder is made.
        half: write float32 weights as float16, in half the room. They are rounded to
            3 digits or so, and whoever reads them gets a model in float32.
        about: what else belongs to the weights, as JSON can say it, such as the words.

    Raises:
        TypeError: the model is of no such class, or path neither a Path nor a string.
        ValueError: about holds a configuration, which is the model's to say; that holds
            what JSON cannot say; or a weight has no float16.
    """
    told = described(model)
    require("config" not in about, "about", "not hold config", repr(about))
    try:
        json.dumps(about)
    except (TypeError, ValueError):
        wanted = "about must hold what JSON can say"
        raise ValueError(f"{wanted}, got {brief(about)}") from None
    weights = model.state_dict()
    if half:
        weights = {name: _halved(name, x) for name, x in weights.items()}
        told["half"] = True
    write_weights(weights, path, {**told, **about})


def load_checkpoint(path: Path | str) -> tuple[nn.Module, dict[str, Any]]:
    """Build the model that was saved, in evaluation mode, and what is said about it.

    Raises:
        TypeError: path is neither a Path nor a string.
        FileNotFoundError: there is no such file.
        ValueError: the file is broken, is none of safetensors, does not say which model
            it is of, or does not hold its weights; or that model is not `registered`,
            as one is whose module was not imported.
    """
    weights, about = read_weights(path)
    name = about.pop("model", "DecoderOnlyTransformer")  # the first files named none
    config = about.pop("config", None)
    if not isinstance(name, str) or not isinstance(config, dict):
        wanted = "path must name a model of ours and its configuration"
        raise ValueError(f"{wanted}, got {str(path)!r}")
    if name not in REGISTRY:
        wanted = f"path must be of a model that is imported, of {', '.join(REGISTRY)}"
        raise ValueError(f"{wanted}, got {brief(name)} in {str(path)!r}")
    with reading(path):
        if about.pop("half", False):
            weights = {name: x.float() for name, x in weights.items()}
        dtype, *others = {weight.dtype for weight in weights.values()}
        real = not others and dtype.is_floating_point
        require(real, "its weights", "be of one real type", [dtype, *others])
        kind, asked = REGISTRY[name]
        with seeded(0):
            model = kind(configured(asked, config))
        model.to(dtype).load_state_dict(weights)
    return model.eval(), about


def _halved(name: str, x: Tensor) -> Tensor:
    """Round a weight to float16, which holds numbers up to 65,504."""
    require(x.dtype == torch.float32, name, "be float32, to be halved", x.dtype)
    largest = x.abs().max().item() if x.numel() else 0.0
    require(bool(x.half().isfinite().all()), name, "be at most 65504", largest)
    return x.half()
