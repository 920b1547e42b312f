"""Checkpoints: weights in a file, with the configuration that they belong to.

The files in this folder are made by commands: those of the rooms `small_models` and
`experiments` whose module is run.
"""

from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from ..checks.validation import check_type, require
from ..model.config import TransformerConfig
from ..model.transformer import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
)
from ..runtime.seed import seeded
from .files import (
    CHECKPOINTS,
    read_part,
    read_results,
    read_weights,
    reading,
    write_parts,
    write_results,
    write_weights,
)

__all__ = [
    "CHECKPOINTS",
    "load_checkpoint",
    "read_part",
    "read_results",
    "read_weights",
    "reading",
    "save_checkpoint",
    "write_parts",
    "write_results",
    "write_weights",
]

Model = Transformer | EncoderOnlyTransformer | DecoderOnlyTransformer
KINDS = (Transformer, EncoderOnlyTransformer, DecoderOnlyTransformer)


def save_checkpoint(model: Model, path: Path | str, **about: Any) -> None:
    """Write a model's weights, its kind and its configuration.

    Args:
        model: one of the three models.
        path: the file, of safetensors; its folder is made.
        about: what else belongs to the weights, as JSON can say it, such as the words.

    Raises:
        TypeError: the model is none of the three, or path neither a Path nor a string.
        ValueError: about holds a configuration, which is the model's to say.
    """
    check_type("model", model, *KINDS)
    require("config" not in about, "about", "not hold config", repr(about))
    made = {"model": type(model).__name__, "config": asdict(model.config), **about}
    write_weights(model.state_dict(), path, made)


def load_checkpoint(path: Path | str) -> tuple[Model, dict[str, Any]]:
    """Build the model that was saved, in evaluation mode, and what is said about it.

    Raises:
        TypeError: path is neither a Path nor a string.
        FileNotFoundError: there is no such file.
        ValueError: the file is broken, is none of safetensors, does not say which model
            it is of, or does not hold its weights.
    """
    weights, about = read_weights(path)
    name = about.pop("model", "DecoderOnlyTransformer")  # the first files named none
    kind = next((kind for kind in KINDS if kind.__name__ == name), None)
    config = about.pop("config", None)
    if kind is None or not isinstance(config, dict):
        wanted = "path must name a model of ours and its configuration"
        raise ValueError(f"{wanted}, got {str(path)!r}")
    with reading(path):
        told = sorted(config)
        needed = sorted(field.name for field in fields(TransformerConfig))
        require(told == needed, "its configuration", f"say {needed}", told)
        dtype, *others = {weight.dtype for weight in weights.values()}
        real = not others and dtype.is_floating_point
        require(real, "its weights", "be of one real type", [dtype, *others])
        with seeded(0):
            model = kind(TransformerConfig(**config))
        model.to(dtype).load_state_dict(weights)
    return model.eval(), about
