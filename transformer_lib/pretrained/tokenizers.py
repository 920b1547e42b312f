"""The tokenizer of a pretrained model: its files, each setting followed or refused."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..checks.validation import brief, require
from ..text.byte_pairs import BytePairs
from ..text.word_pieces import WordPieces
from .folder import CONFIG, check_settings, naming, read_files

WHOLE = "tokenizer.json"
SETTINGS, SPECIAL = "tokenizer_config.json", "special_tokens_map.json"
#: What tokenizer.json may say, for each kind of model: see `check_settings`.
PARTS = {
    "version": ("1.0",),
    "truncation|padding": (None,),
    "added_tokens": list,
    "post_processor|decoder": ...,
}
BPE = PARTS | {
    "normalizer": (None,),
    "pre_tokenizer": {
        "type": ("ByteLevel",),
        "add_prefix_space": (False,),
        "use_regex": (True,),
        "trim_offsets": ...,
    },
    "model": {
        "type": ("BPE",),
        "dropout|unk_token": (None,),
        "continuing_subword_prefix|end_of_word_suffix": ("", None),
        "byte_fallback|ignore_merges": (False,),
        "vocab": dict,
        "merges": list,
        "fuse_unk": ...,
    },
}
WORD_PIECE = PARTS | {
    "normalizer": {
        "type": ("BertNormalizer",),
        "clean_text|handle_chinese_chars": (True,),
        "lowercase": bool,
        "strip_accents": ...,
    },
    "pre_tokenizer": {"type": ("BertPreTokenizer",)},
    "model": {
        "type": ("WordPiece",),
        "unk_token": ("[UNK]",),
        "continuing_subword_prefix": ("##",),
        "max_input_chars_per_word": (100,),
        "vocab": dict,
    },
}
TOKEN = {
    "content": str,
    "id": int,
    "special|normalized": bool,
    "single_word|lstrip|rstrip": (False,),
}
#: What the files beside tokenizer.json may say; which special tokens transformers adds.
TOKENS = "(bos|eos|unk|sep|pad|cls|mask)_token|(additional|extra)_special_tokens"
BESIDE = {
    TOKENS: ...,
    "add_prefix_space|add_(bos|eos)_token|split_special_tokens": (False, None),
    "tokenize_chinese_chars|do_basic_tokenize": (True,),
    "never_split|init_inputs": (None, []),
    "errors": ("replace",),
    "model_max_length|max_len|model_input_names|chat_template|processor_class": ...,
    "(padding|truncation)_side|clean_up_tokenization_spaces|trim_offsets": ...,
    "backend|is_local|local_files_only|use_fast|verbose|name_or_path": ...,
    "special_tokens_map_file|(full_)?tokenizer_file": ...,
}
GPT2 = {f"{key}_token": "<|endoftext|>" for key in ("unk", "bos", "eos")}
BERT = {
    f"{key}_token": f"[{key.upper()}]" for key in ("unk", "sep", "pad", "cls", "mask")
}
#: Classes of transformers that add none.
GENERIC = "PreTrainedTokenizerFast", "TokenizersBackend"


def load_tokenizer(folder: Path | str) -> BytePairs | WordPieces:
    """Read the tokenizer of a folder: GPT-2's byte pairs or BERT's word pieces.

        tokenizer = load_tokenizer("gpt2")
        ids = torch.tensor([tokenizer.encode("The cat sat on the mat")])  # (1, T)
        words = tokenizer.tokens("The cat sat on the mat")  # "The", "Ġcat", …
        walk(model, tokenizer.vocabulary, " ".join(words))

    Its ids are those of `transformers`. The folder holds tokenizer.json; and
    tokenizer_config.json, special_tokens_map.json and config.json, if any.

    Raises:
        TypeError: folder is neither a Path nor a string.
        FileNotFoundError: there is no such folder, or it has no tokenizer.json.
        ValueError: a file is broken, or has a setting that we do not know or follow.
    """
    names = WHOLE, SETTINGS, SPECIAL, CONFIG
    files = dict(zip(names, read_files(folder, *names), strict=True))
    with naming(folder):
        return _build(files)


def _build(files: Mapping[str, dict[str, Any]]) -> BytePairs | WordPieces:
    """Build the tokenizer that the files describe."""
    whole = files[WHOLE]
    kind = _kind(whole.get("model"))
    bert = kind == "WordPiece"
    known = bert or kind == "BPE"
    require(known, f"model of {WHOLE}", "be BPE or WordPiece", brief(kind))
    check_settings(WHOLE, whole, WORD_PIECE if bert else BPE)
    added = whole["added_tokens"]
    for token in added:
        check_settings(f"an added token of {WHOLE}", token, TOKEN)
    words = _words(whole["model"]["vocab"], added)
    normalized = {token["content"]: token["normalized"] for token in added}
    lower = bert and whole["normalizer"]["lowercase"]
    _check_beside(files, bert, lower, normalized)
    _check_post_processor(whole.get("post_processor"), bert, words)
    if bert:
        return WordPieces(words, lower, normalized)
    return BytePairs(words, map(_pair, whole["model"]["merges"]), normalized)


def _kind(model: Any) -> Any:
    """Find the kind of a model; the first files do not name it, but what it needs."""
    if not isinstance(model, dict) or "type" in model:
        return model and model["type"]
    return "BPE" if "merges" in model else "WordPiece"


def _words(vocabulary: Mapping[str, Any], added: list[Any]) -> list[str]:
    """List the tokens by id, 0 … V − 1; the ids of new added ones come last."""
    words = {n: word for word, n in vocabulary.items() if type(n) is int}
    whole = sorted(words) == list(range(len(vocabulary)))
    require(whole, "the ids of the vocabulary", "be 0, 1, 2 …", brief(sorted(words)))
    ids = {words[n]: n for n in range(len(words))}
    for token in added:
        n = ids.setdefault(token["content"], len(ids))
        name = f"the id of {token['content']!r}"
        require(token["id"] == n, name, f"be {n}", token["id"])
    return [*ids]


def _check_beside(
    files: Mapping[str, dict[str, Any]],
    bert: bool,
    lower: bool,
    normalized: Mapping[str, bool],
) -> None:
    """Raise an error unless the files beside tokenizer.json agree with it."""
    own, model_type = ("BertTokenizer", "bert") if bert else ("GPT2Tokenizer", "gpt2")
    check_settings(CONFIG, files[CONFIG], {"model_type": (model_type,), ".*": ...})
    settings = files[SPECIAL] | files[SETTINGS]
    if settings.get("tokenizer_class") not in GENERIC:
        settings = (BERT | {"do_lower_case": True} if bert else GPT2) | settings
    bare = {
        str(token["id"]): {key: token[key] for key in token if key != "id"}
        for token in files[WHOLE]["added_tokens"]
    }
    known = BESIDE | {
        "tokenizer_class": (None, own, f"{own}Fast", *GENERIC),
        "do_lower_case": (lower,),
        "strip_accents": (None, lower),
        "added_tokens_decoder": (bare,),
    }
    accents = files[WHOLE].get("normalizer") or {}
    check_settings(WHOLE, {"strip_accents": accents.get("strip_accents")}, known)
    for name, file in (SPECIAL, files[SPECIAL]), (SETTINGS, settings):
        check_settings(name, file, known)
        for key in file:
            for token in _contents(file[key]) if re.fullmatch(TOKENS, key) else ():
                fits = token in normalized and not (
                    bert and (normalized[token] or token != BERT.get(key, token))
                )
                require(fits, f"{key} of {name}", f"agree with {WHOLE}", brief(token))


def _contents(told: Any) -> list[Any]:
    """List the tokens of a setting: one, one with settings of its own, or several."""
    if isinstance(told, dict):
        return _contents(told.get("content", [*told.values()]))
    if isinstance(told, list):
        return [token for part in told for token in _contents(part)]
    return [] if told is None else [told]


def _check_post_processor(told: Any, bert: bool, words: list[str]) -> None:
    """Raise an error unless GPT-2 adds no tokens, and BERT adds [CLS] and [SEP]."""
    text = {"Sequence": {"id": "A", "type_id": 0}}
    name = f"post_processor of {WHOLE}"
    if not bert:
        known = {"type": ("ByteLevel", "TemplateProcessing"), "single": ([text],)}
        check_settings(name, told or {}, known | {".*": ...})
        return
    start, end, last = (
        {"SpecialToken": {"id": token, "type_id": n}}
        for token, n in (("[CLS]", 0), ("[SEP]", 0), ("[SEP]", 1))
    )
    wanted = {
        "type": "TemplateProcessing",
        "single": [start, text, end],
        "pair": [start, text, end, {"Sequence": {"id": "B", "type_id": 1}}, last],
        "special_tokens": {
            token: {"id": token, "ids": [words.index(token)], "tokens": [token]}
            for token in ("[CLS]", "[SEP]")
            if token in words
        },
    }
    require(told == wanted, name, "put [CLS] first and [SEP] last", brief(told))


def _pair(merge: Any) -> tuple[str, str]:
    """Read a merge: two strings, or one with a space between them."""
    parts = merge.split(" ") if isinstance(merge, str) else merge
    two = isinstance(parts, list) and len(parts) == 2
    require(two, "a merge", "be of two tokens", brief(merge))
    first, second = parts
    return str(first), str(second)
