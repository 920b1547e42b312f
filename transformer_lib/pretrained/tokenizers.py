"""The tokenizer of a pretrained model: its files, each setting followed or refused."""

import re
import unicodedata
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ..checks.validation import brief, require
from ..text.subwords import BytePairs, SentencePieces, WordPieces
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
    "normalizer|pre_tokenizer": ...,
    "model": {
        "type": ("BPE",),
        "dropout": (None,),
        "unk_token": (None, "<unk>"),
        "continuing_subword_prefix|end_of_word_suffix": ("", None),
        "byte_fallback|ignore_merges": (False, True),
        "vocab": dict,
        "merges": list,
        "fuse_unk": ...,
    },
}
#: How a text is split before bytes are merged: as GPT-2 does, or by a pattern.
BYTE_LEVEL = {
    "type": ("ByteLevel",),
    "add_prefix_space": (False,),
    "use_regex": (True,),
    "trim_offsets": ...,
}
#: The patterns of Llama 3 and of Qwen, which differ in how many digits are together.
PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%s"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
DIGITS = {PATTERN % "": 1, PATTERN % "{1,3}": 3}
SPLIT = {
    "type": ("Split",),
    "pattern": tuple({"Regex": pattern} for pattern in DIGITS),
    "behavior": ("Isolated",),
    "invert": (False,),
}
#: The same in an older form: a space before a text, and each written as ▁.
OLDER = {
    "type": "Sequence",
    "normalizers": [
        {"type": "Prepend", "prepend": "▁"},
        {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
    ],
}
STRIP = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
METASPACE = {
    "type": ("Metaspace",),
    "replacement": ("▁",),
    "prepend_scheme": ("first", "always", "never"),
    "split": (False,),
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
#: The special tokens that each class adds where the files do not name them.
END_OF_TEXT = "<|endoftext|>"
TOKENIZERS = {
    "BertTokenizer": {
        f"{key}_token": f"[{key.upper()}]"
        for key in ("unk", "sep", "pad", "cls", "mask")
    },
    "GPT2Tokenizer": {f"{key}_token": END_OF_TEXT for key in ("unk", "bos", "eos")},
    "Qwen2Tokenizer": {f"{key}_token": END_OF_TEXT for key in ("unk", "eos", "pad")},
    "LlamaTokenizer": {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"},
}
BERT = TOKENIZERS["BertTokenizer"]
#: Classes of transformers that add none, and follow tokenizer.json alone.
GENERIC = "PreTrainedTokenizerFast", "TokenizersBackend"
Tokenizer = BytePairs | SentencePieces | WordPieces


def load_tokenizer(folder: Path | str) -> Tokenizer:
    """Read the tokenizer of a folder: of GPT-2, BERT, Llama, Mistral or Qwen.

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


def _build(files: Mapping[str, dict[str, Any]]) -> Tokenizer:
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
    post_processor = whole.get("post_processor")
    if bert:
        lower = whole["normalizer"]["lowercase"]
        own = {"do_lower_case": (lower,), "strip_accents": (None, lower)}
        accents = {"strip_accents": whole["normalizer"].get("strip_accents")}
        check_settings(WHOLE, accents, own)
        _check_beside(files, "BertTokenizer", own, normalized)
        _check_frame(post_processor, words)
        return WordPieces(words, lower, normalized)
    start = _start(post_processor, words)
    merges = map(_pair, whole["model"]["merges"])
    if whole["model"].get("byte_fallback"):
        prefix = _prefix(files)
        how: dict[str, Any] = {"add_prefix_space|legacy": (True, False, None)}
        how |= {"sp_model_kwargs": ({}, None), "use_default_system_prompt": ...}
        how |= _says(start, files[SETTINGS])
        _check_beside(files, "LlamaTokenizer", how, normalized)
        return SentencePieces(words, merges, normalized, prefix, start)
    digits, nfc, takes = _byte_level(whole)
    usual = {(None, False, False): "GPT2Tokenizer", (1, True, False): "Qwen2Tokenizer"}
    name = usual.get((digits, nfc, takes), "")
    _check_beside(files, name, _says(start, files[SETTINGS]), normalized)
    normalize = partial(unicodedata.normalize, "NFC") if nfc else str
    options: dict[str, Any] = {"digits": digits, "normalize": normalize}
    return BytePairs(words, merges, normalized, **options, whole=takes, start=start)


def _byte_level(whole: Mapping[str, Any]) -> tuple[int | None, bool, bool]:
    """Read how byte pairs are made: digits, NFC, and whether whole words are taken."""
    model, normalizer = whole["model"], whole.get("normalizer")
    unknown = {"unk_token": model.get("unk_token"), "normalizer": normalizer}
    fits = {"unk_token": (None,), "normalizer": (None, {"type": "NFC"})}
    check_settings(WHOLE, unknown, fits)
    told: Any = whole.get("pre_tokenizer")
    digits, name = None, f"pre_tokenizer of {WHOLE}"
    if isinstance(told, dict) and told.get("type") == "Sequence":
        parts: Any = told.get("pretokenizers")
        two = isinstance(parts, list) and len(parts) == 2
        require(two, name, "split by a pattern and then to bytes", brief(parts))
        check_settings(name, parts[0], SPLIT)
        check_settings(name, parts[1], BYTE_LEVEL | {"use_regex": (False,)})
        digits = DIGITS[parts[0]["pattern"]["Regex"]]
    else:
        check_settings(name, told, BYTE_LEVEL)
    takes = model.get("ignore_merges", False)
    return digits, normalizer is not None, takes


def _prefix(files: Mapping[str, dict[str, Any]]) -> Any:
    """Read where a space is put before a text: see `SentencePieces`.

    LlamaTokenizer reads it from other settings than tokenizer.json, which may be in an
    older form. But transformers does not use that class for Mistral.
    """
    whole, settings = files[WHOLE], files[SETTINGS]
    takes = {"ignore_merges": whole["model"].get("ignore_merges", False)}
    check_settings(f"model of {WHOLE}", takes, {"ignore_merges": (False,)})
    told: Any = whole.get("pre_tokenizer")
    normalizer = {"normalizer": whole.get("normalizer")}
    allowed = (OLDER,) if told is None else (None,)
    check_settings(WHOLE, normalizer, {"normalizer": allowed})
    if told is not None:
        # What a file leaves out, tokenizers takes as True.
        told = {"split": True} | told if isinstance(told, dict) else told
        check_settings(f"pre_tokenizer of {WHOLE}", told, METASPACE)
    said = told["prepend_scheme"] if told else "doubled"
    mistral = files[CONFIG].get("model_type") == "mistral"
    if mistral or settings.get("tokenizer_class") in GENERIC:
        decoder: Any = whole.get("decoder") or {}
        parts = decoder.get("decoders") if isinstance(decoder, dict) else None
        strips = STRIP in parts if isinstance(parts, list) else False
        wanted = "take a space away if the tokenizer puts it there"
        require(strips == (said != "never"), f"decoder of {WHOLE}", wanted, strips)
        changed = [t["content"] for t in whole["added_tokens"] if t["normalized"]]
        wanted = f"be False beside the normalizer of {WHOLE}"
        fits = said != "doubled" or not changed
        require(fits, "normalized of an added token", wanted, f"True for {changed}")
        return said
    legacy, asked = settings.get("legacy", False), settings.get("add_prefix_space")
    prefix = "always" if legacy else "first"
    prefix = "never" if asked is False else prefix
    wanted = f"be {prefix}, as legacy and add_prefix_space of {SETTINGS} say"
    fits = told is None or said == prefix
    require(fits, f"prepend_scheme of {WHOLE}", wanted, said)
    return prefix


def _says(start: list[str], settings: Mapping[str, Any]) -> dict[str, Any]:
    """What the files beside may say of the tokens that a text begins with."""
    if start and settings.get("add_bos_token"):
        first = _contents(settings.get("bos_token"))
        wanted = f"be {start}, at the start of a text"
        require(first == start, f"bos_token of {SETTINGS}", wanted, first)
    return {"add_bos_token": (True,) if start else (False, None)}


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
    name: str,
    own: Mapping[str, Any],
    normalized: Mapping[str, bool],
) -> None:
    """Raise an error unless the files beside tokenizer.json agree with it.

    `name` is the class of transformers that works as tokenizer.json says, if any, and
    `own` what it may be told; see `check_settings`.
    """
    bert = name == "BertTokenizer"
    models = ("bert",) if bert else ("gpt2", "llama", "mistral", "qwen2", "qwen3")
    check_settings(CONFIG, files[CONFIG], {"model_type": models, ".*": ...})
    settings = files[SPECIAL] | files[SETTINGS]
    if settings.get("tokenizer_class") not in GENERIC:
        lower = {"do_lower_case": True} if bert else {}
        settings = TOKENIZERS.get(name, {}) | lower | settings
    bare = {
        str(token["id"]): {key: token[key] for key in token if key != "id"}
        for token in files[WHOLE]["added_tokens"]
    }
    classes = (name, f"{name}Fast") if name in TOKENIZERS else ()
    unsaid = (None,) if name in ("BertTokenizer", "GPT2Tokenizer") else ()
    known = {
        **own,
        **BESIDE,
        "tokenizer_class": (*unsaid, *classes, *GENERIC),
        "added_tokens_decoder": (bare,),
    }
    if not unsaid:  # the class must be named, or else the kind of model chooses it
        settings.setdefault("tokenizer_class", None)
    for place, file in (SPECIAL, files[SPECIAL]), (SETTINGS, settings):
        check_settings(place, file, known)
        for key in file:
            for token in _contents(file[key]) if re.fullmatch(TOKENS, key) else ():
                fits = token in normalized and not (
                    bert and (normalized[token] or token != BERT.get(key, token))
                )
                require(fits, f"{key} of {place}", f"agree with {WHOLE}", brief(token))


def _contents(told: Any) -> list[Any]:
    """List the tokens of a setting: one, one with settings of its own, or several."""
    if isinstance(told, dict):
        return _contents(told.get("content", [*told.values()]))
    if isinstance(told, list):
        return [token for part in told for token in _contents(part)]
    return [] if told is None else [told]


TEXT = {"Sequence": {"id": "A", "type_id": 0}}


def _start(told: Any, words: list[str]) -> list[str]:
    """Read which tokens a text begins with; raise an error if any are behind it."""
    name = f"post_processor of {WHOLE}"
    told = {} if told is None else told
    check_settings(name, told, {".*": ...})
    parts = told.get("processors") if told.get("type") == "Sequence" else [told]
    start: list[str] = []
    for part in parts or []:
        known = {"type": ("ByteLevel", "TemplateProcessing"), ".*": ...}
        check_settings(name, part, known)
        single = part.get("single", [TEXT])
        if single == [TEXT]:
            continue
        tokens = part.get("special_tokens")
        for token, said in tokens.items() if isinstance(tokens, dict) else ():
            n = words.index(token) if token in words else None
            fits = said == {"id": token, "ids": [n], "tokens": [token]}
            require(fits, f"special_tokens of {name}", "be of the vocabulary", said)
            if single == [{"SpecialToken": {"id": token, "type_id": 0}}, TEXT]:
                start.append(token)
        wanted = "be the text, perhaps behind one special token"
        require(len(start) == 1, f"single of {name}", wanted, brief(single))
    return start


def _check_frame(told: Any, words: list[str]) -> None:
    """Raise an error unless BERT adds [CLS] and [SEP]."""
    start, end, last = (
        {"SpecialToken": {"id": token, "type_id": n}}
        for token, n in (("[CLS]", 0), ("[SEP]", 0), ("[SEP]", 1))
    )
    wanted = {
        "type": "TemplateProcessing",
        "single": [start, TEXT, end],
        "pair": [start, TEXT, end, {"Sequence": {"id": "B", "type_id": 1}}, last],
        "special_tokens": {
            token: {"id": token, "ids": [words.index(token)], "tokens": [token]}
            for token in ("[CLS]", "[SEP]")
            if token in words
        },
    }
    name = f"post_processor of {WHOLE}"
    require(told == wanted, name, "put [CLS] first and [SEP] last", brief(told))


def _pair(merge: Any) -> tuple[str, str]:
    """Read a merge: two strings, or one with a space between them."""
    parts = merge.split(" ") if isinstance(merge, str) else merge
    two = isinstance(parts, list) and len(parts) == 2
    require(two, "a merge", "be of two tokens", brief(merge))
    first, second = parts
    return str(first), str(second)
