"""Checkpoints: weights in a file, with the configuration that they belong to.

The files in this folder are made by commands in `tasks`.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from safetensors import safe_open
from safetensors.torch import save_file

from ..checks.validation import check_type, require
from ..model.config import TransformerConfig
from ..model.transformer import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
)

Model = Transformer | EncoderOnlyTransformer | DecoderOnlyTransformer
KINDS = (Transformer, EncoderOnlyTransformer, DecoderOnlyTransformer)


def save_checkpoint(model: Model, path: Path, **about: Any) -> None:
    """Write a model's weights, its kind and its configuration.

    Args:
        model: one of the three models.
        path: the file, of safetensors; its folder is made.
        about: what else belongs to the weights, as JSON can say it, such as the words.

    Raises:
        TypeError: the model is none of the three.
    """
    check_type("model", model, *KINDS)
    made = {"model": type(model).__name__, "config": asdict(model.config), **about}
    path.parent.mkdir(parents=True, exist_ok=True)
    words = {"made": json.dumps(made, ensure_ascii=False)}
    save_file(model.state_dict(), path, words)
    path.chmod(0o644)  # safetensors lets only its maker read the file


def load_checkpoint(path: Path) -> tuple[Model, dict[str, Any]]:
    """Build the model that was saved, in evaluation mode, and what is said about it.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file does not say which model it is of.
    """
    if not path.exists():
        raise FileNotFoundError(f"path must be a checkpoint, got {path}")
    with safe_open(path, framework="pt") as file:
        words = file.metadata() or {}
        weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    kinds = {kind.__name__: kind for kind in KINDS}
    about = json.loads(words.get("made", "{}"))
    kind = about.pop("model", "DecoderOnlyTransformer")  # the first files named none
    known = kind in kinds and "config" in about
    require(
        known, "path", "name a model of ours and its configuration", repr(str(path))
    )
    model = kinds[kind](TransformerConfig(**about.pop("config")))
    model.load_state_dict(weights)
    return model.eval(), about
