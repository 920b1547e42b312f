"""Pretrained models as Hugging Face saves them, in our blocks.

These are GPT-2, BERT, Llama, Mistral, Qwen2 and Qwen3.

Nothing is downloaded: the files are on your disk.
"""

from pathlib import Path
from typing import Any

from ..checks.validation import brief
from ..model.transformer import DecoderOnlyTransformer
from ..runtime.seed import seeded
from . import bert, gpt2, llama
from .bert import PretrainedBert
from .folder import CONFIG, copy_weights, naming, read_files, read_tensors
from .tokenizers import load_tokenizer

__all__ = ["PretrainedBert", "load_pretrained", "load_tokenizer"]

KINDS: dict[str, Any] = {"gpt2": gpt2, "bert": bert}
KINDS |= dict.fromkeys(("llama", "mistral", "qwen2", "qwen3"), llama)


def load_pretrained(folder: Path | str) -> DecoderOnlyTransformer | PretrainedBert:
    """Build our GPT-2, BERT, Llama, Mistral or Qwen with the weights of a folder.

        model = load_pretrained("gpt2")  # the folder of config.json, model.safetensors
        logits = model(ids)              # (B, T, V)

        model = load_pretrained("bert-base-uncased")
        hidden = model(ids, padding_mask(ids, pad_id=0))  # (B, T, D)
        logits = model.logits(hidden)                     # (B, T, V)

    Hugging Face's `save_pretrained` writes such a folder: config.json, and
    model.safetensors or its shards with their index. A pooler, a classifier or a second
    copy of a matrix is not read (see LEFT_OUT in `gpt2`, `bert` and `llama`). The model
    is a DecoderOnlyTransformer or a PretrainedBert, in evaluation mode and in float32,
    and has no dropout, even in training.

    Raises:
        TypeError: folder is neither a Path nor a string.
        FileNotFoundError: there is no such folder, or a file is missing.
        ValueError: the model is of another kind, or has a setting that we do not know
            or follow; a file is broken; a weight is missing, misshapen or unknown.

    Source: Radford et al. (2019), §2.3; Devlin et al. (2019), §3; D1.18.3, D3.10;
    Touvron et al. (2023), §2.2; Jiang et al. (2023), §2; Yang et al. (2024, 2025).
    """
    (settings,) = read_files(folder, CONFIG)
    name = settings.get("model_type")
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        wanted = f"model_type of {CONFIG} must be {' or '.join(map(repr, KINDS))}"
        raise ValueError(f"{wanted}, got {brief(name)} in {str(folder)!r}")
    tensors = read_tensors(folder)
    model: DecoderOnlyTransformer | PretrainedBert
    with naming(folder):
        with seeded(0):
            model = kind.build(settings, tensors)
        copy_weights(model, tensors, kind.NAMES, kind.LEFT_OUT)
    return model.eval()
