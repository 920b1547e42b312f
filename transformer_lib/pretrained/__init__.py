"""Pretrained models: GPT-2 or BERT, as Hugging Face saves them, in our blocks.

Nothing is fetched: what is read lies on the disk.
"""

from pathlib import Path
from typing import Any

from ..checks.validation import brief
from ..model.transformer import DecoderOnlyTransformer
from ..runtime.seed import seeded
from . import bert, gpt2
from .bert import PretrainedBert
from .folder import Weights, read_config, read_tensors
from .tokenizers import load_tokenizer

__all__ = ["PretrainedBert", "load_pretrained", "load_tokenizer"]

KINDS: dict[str, Any] = {"gpt2": gpt2, "bert": bert}


def load_pretrained(folder: Path | str) -> DecoderOnlyTransformer | PretrainedBert:
    """Build a GPT-2 or a BERT of ours, with the weights of a folder.

        model = load_pretrained("gpt2")      # where config.json, model.safetensors lie
        logits = model(ids)                  # (B, T, V)

        model = load_pretrained("bert-base-uncased")
        hidden = model(ids, padding_mask(ids, pad_id=0))  # (B, T, D)
        logits = model.logits(hidden)                     # (B, T, V)

    The folder is one that Hugging Face's `save_pretrained` makes, of any size and with
    any head: config.json, and model.safetensors or its parts with their index. What
    only stands beside the blocks is not read: a pooler, a classifier, a second copy of
    a matrix (LEFT_OUT in `gpt2` and `bert` says what, and why). The model is in
    evaluation mode, in float32, and drops nothing: where GPT-2 and BERT drop in
    training, ours does not.

    Args:
        folder: holds the files.

    Returns:
        a DecoderOnlyTransformer of GPT-2's weights, or a PretrainedBert.

    Raises:
        TypeError: folder is neither a Path nor a string.
        FileNotFoundError: there is no such folder, or a file is missing.
        ValueError: the model is of another kind, or has what our blocks lack; a file is
            broken; a weight is missing, of another shape, or foreign.

    Source: Radford et al. (2019), §2.3; Devlin et al. (2019), §3; D1.18.3, D3.10.
    """
    told = read_config(folder)
    name = told.pop("model_type", None)
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        wanted = f"config.json must say model_type {' or '.join(map(repr, KINDS))}"
        raise ValueError(f"{wanted}, got {brief(name)} in {str(folder)!r}")
    tensors = read_tensors(folder)
    weights = Weights(tensors, kind.LEFT_OUT)
    try:
        with seeded(0):
            model: DecoderOnlyTransformer | PretrainedBert = kind.build(told, tensors)
        kind.fill(model, weights)
        weights.check_all_read()
    except (TypeError, ValueError) as error:
        raise ValueError(f"{error}, in {str(folder)!r}") from None
    return model.eval()
