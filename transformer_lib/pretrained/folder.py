"""The files of a folder: its settings, each followed or refused, and its weights."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from ..checkpoints.files import read_weights, reading
from ..checks.validation import LARGEST_SIZE, brief, check_type, require
from ..model.config import Activation

CONFIG = "config.json"
WHOLE = "model.safetensors"
INDEX = "model.safetensors.index.json"
#: Older files call a norm's γ and β by their letters.
OLDER = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}
PREFIX = re.compile(r"^(transformer|bert|model)\.")
#: What transformers calls our activations.
ACTIVATIONS: dict[str, Activation] = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_python": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "silu": "silu",
    "swish": "silu",
}
#: What a configuration may say besides sizes: what our blocks do, and what does not
#: change logits, such as dropout, other heads, or how text is generated.
KNOWN: dict[str, Any] = {
    "model_type": ...,
    "activation_function|hidden_act": (*ACTIVATIONS,),
    "tie_word_embeddings": (True, False),
    "scale_attn_weights": (True,),
    "scale_attn_by_inverse_layer_idx": (False,),
    "reorder_and_upcast_attn": (True, False),  # the same, in another order
    "is_decoder|is_encoder_decoder|add_cross_attention": (False,),
    "position_embedding_type": ("absolute",),
    "directionality": ("bidi",),
    "pruned_heads": ({},),
    r"layer_norm_eps(ilon)?|initializer_range|\w*_pdrop|\w*_dropout(_prob)?": ...,
    r"_?name_or_path|architectures|transformers_version|tokenizer_class|n_ctx": ...,
    r"(torch_)?dtype|use_cache|gradient_checkpointing|chunk_size_feed_forward": ...,
    r"_?attn_implementation\w*|output_(attentions|hidden_states|past)|return_dict": ...,
    r"summary_\w+|pooler_\w+|(id2|_?num_)labels?|label2id|problem_type": ...,
    r"finetuning_task|task_specific_params|(bos|eos|pad|sep)_token_id|do_sample": ...,
    r"(min|max)_length|num_beams|temperature|top_[kp]|(repetition|length)_penalty": ...,
}
SIZE = range(1, LARGEST_SIZE + 1)


def read_files(folder: Path | str, needed: str, *others: str) -> list[dict[str, Any]]:
    """Read a JSON file of a folder, and others, which are {} if they are missing."""
    check_type("folder", folder, Path, str)
    directory = Path(folder)
    if not directory.is_dir():
        wanted = "folder must be a folder on the disk, for nothing is downloaded"
        raise FileNotFoundError(f"{wanted}, got {str(folder)!r}")
    if not (directory / needed).exists():
        raise _lacking(directory, needed)
    paths = [directory / name for name in (needed, *others)]
    return [_read_json(path) if path.exists() else {} for path in paths]


def _lacking(folder: Path, wanted: str) -> FileNotFoundError:
    """Build the error that says what a folder lacks, and what it has instead."""
    files = brief(" ".join(sorted(file.name for file in folder.iterdir())))
    told = f"folder must hold {wanted}, got {files} in {str(folder)!r}"
    return FileNotFoundError(told)


def _read_json(path: Path) -> dict[str, Any]:
    with reading(path):
        told = json.loads(path.read_text("utf-8"))
        fits = isinstance(told, dict)
        require(fits, path.name, "hold an object of JSON", brief(told))
    return dict(told)


def read_tensors(folder: Path | str) -> dict[str, Tensor]:
    """Read model.safetensors, or the shards that its index names, without prefixes."""
    directory = Path(folder)
    tensors: dict[str, Tensor] = {}
    for name in _files(directory):
        for key, x in read_weights(directory / name)[0].items():
            key = PREFIX.sub("", key)
            for older, own in OLDER.items():
                key = key.replace(older, own)
            require(key not in tensors, key, "be in the files once", f"two in {folder}")
            tensors[key] = x
    return tensors


def _files(folder: Path) -> Sequence[str]:
    """List the names of the files that hold the weights."""
    if (folder / WHOLE).exists():
        return [WHOLE]
    if (folder / INDEX).exists():
        parts = _read_json(folder / INDEX).get("weight_map")
        names = sorted({*map(str, parts.values())}) if isinstance(parts, dict) else []
        with reading(folder / INDEX):  # none may lead out of the folder
            plain = [re.fullmatch(r"[\w.-]+\.safetensors", name) for name in names]
            require(
                all(plain) and plain != [], "weight_map", "name files", brief(parts)
            )
        return names
    wanted = f"{WHOLE}, or its shards and {INDEX}"
    if any(folder.glob("*.bin")):
        wanted += " (a .bin is not read, for it may hold code that runs: open it with "
        wanted += "transformers, and write it with its save_pretrained)"
    raise _lacking(folder, wanted)


@contextmanager
def naming(folder: Path | str) -> Iterator[None]:
    """Add the folder to any ValueError about what its files say."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{error}, in {str(folder)!r}") from None


def check_settings(
    where: str, settings: Mapping[str, Any], known: Mapping[str, Any]
) -> None:
    """Raise a ValueError for a setting that we do not know, or do not follow.

    `where` is the file, or the part of it, that holds the settings. `known` maps each
    pattern of names to the values that we follow, or to ... for any; or to a range, a
    type, or the settings inside, and then there must be a value.
    """
    fits = isinstance(settings, Mapping)
    require(fits, where, "be an object of JSON", brief(settings))
    needed = {n: x for n, x in known.items() if isinstance(x, range | type | dict)}
    missing = {name: None for names in needed for name in names.split("|")}
    for key, value in (missing | {**settings}).items():
        rules = (rule for names, rule in known.items() if re.fullmatch(names, key))
        rule, name = next(rules, ()), f"{key} of {where}"
        if isinstance(rule, dict):
            check_settings(name, value, rule)
        elif isinstance(rule, type):
            fits = isinstance(value, rule)
            require(fits, name, f"be a {rule.__name__}", type(value).__name__)
        elif rule is not ...:
            least = rule.start if isinstance(rule, range) else None
            wanted = f"an integer of at least {least}" if least is not None else ""
            wanted = wanted or " or ".join(map(brief, rule)) or "absent: it is unknown"
            # A range would be searched number by number for what is no integer.
            fits = type(value) is int or not isinstance(rule, range)
            require(fits and value in rule, name, f"be {wanted}", brief(value))


def read_options(
    settings: Mapping[str, Any],
    sizes: Mapping[str, str],
    tensors: Mapping[str, Tensor],
    names: Mapping[str, str],
    known: Mapping[str, Any] = KNOWN,
) -> dict[str, Any]:
    """Check all settings, and read the options that every kind of model has.

    `sizes` says what the files call our sizes, and `names` our parts. Embedding and
    head share a matrix, as in transformers 5, unless the configuration or their
    weights, the first and last of the names, differ.
    """
    check_settings(CONFIG, settings, {**known, "|".join(sizes.values()): SIZE})
    first, *_, last = names.values()
    E, W = (tensors.get(f"{name}.weight") for name in (first, last))
    equal = E is None or W is None or (E.dtype == W.dtype and torch.equal(E, W))
    tied = equal and settings.get("tie_word_embeddings", True)
    read = {own: settings[theirs] for own, theirs in sizes.items()}
    return read | dict(dropout=0.0, tie_embeddings=tied, scale_embeddings=False)


@torch.no_grad()
def copy_weights(
    model: nn.Module,
    tensors: Mapping[str, Tensor],
    names: Mapping[str, str],
    left_out: Mapping[str, str],
) -> None:
    """Copy the tensors of a folder into a model; raise a ValueError unless all fit.

    `names` says what the files call our parts; of several names, the first that is
    there counts. Parts of one name lie side by side in one tensor. GPT-2's matrices are
    transposed: stored as (in, out). `left_out` has patterns of what is not read.
    """
    filled: dict[str, list[Tensor]] = {}  # ours, by the name in the files
    for own, p in model.named_parameters():
        part, _, letter = own.rpartition(".")
        n = "".join(re.findall(r"\.\d+\.", part)) or ".n."
        theirs = names[part.replace(n, ".n.")].replace(".n.", n).split("|")
        kind = "bias" if letter in ("beta", "bias") else "weight"
        places = [f"{name}.{kind}" for name in theirs]
        place = next((name for name in places if name in tensors), places[-1])
        filled.setdefault(place, []).append(p)
    for name, ours in filled.items():
        if name not in tensors:
            raise ValueError(f"{WHOLE} must hold {name}, got none")
        x, transposed = tensors[name], re.search(r"\.c_\w+\.weight$", name)
        floating = x.dtype.is_floating_point
        require(floating, name, "hold floating-point numbers", x.dtype)
        shape = sum(map(len, ours)), *ours[0].shape[1:]
        shape = shape[::-1] if transposed else shape
        fits = tuple(x.shape) == shape
        require(fits, name, f"have shape {shape}, by {CONFIG}", tuple(x.shape))
        parts = torch.split(x.T if transposed else x, [len(each) for each in ours])
        for each, numbers in zip(ours, parts, strict=True):
            each.copy_(numbers)
    known = "|".join(left_out)
    foreign = sorted(n for n in tensors.keys() - filled if not re.fullmatch(known, n))
    wanted = "hold only what our blocks have"
    require(not foreign, WHOLE, wanted, brief(", ".join(foreign)))
