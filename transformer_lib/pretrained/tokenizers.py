"""The tokens of a pretrained model: how its folder says that a text is cut."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..checkpoints.files import reading
from ..checks.validation import brief, check_type, require
from ..text.byte_pairs import BytePairs
from ..text.word_pieces import WordPieces
from .folder import check_folder, lacking, read_json

WHOLE = "tokenizer.json"
FOR_BYTES = "vocab.json", "merges.txt"
FOR_WORDS = "vocab.txt"
SETTINGS = "tokenizer_config.json"
#: What tokenizer.json must say, for each kind of tokens: other ways are not ours.
BYTES: dict[str, Any] = {
    "normalizer": None,
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
}
WORDS: dict[str, Any] = {
    "normalizer": {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
    },
    "pre_tokenizer": {"type": "BertPreTokenizer"},
}


def load_tokenizer(folder: Path | str) -> BytePairs | WordPieces:
    """Read how the model of a folder cuts a text: GPT-2's byte pairs, BERT's pieces.

        tokeniser = load_tokenizer("gpt2")
        ids = torch.tensor([tokeniser.encode("The cat sat on the mat")])  # (1, T)
        words = tokeniser.tokens("The cat sat on the mat")  # "The", "Ġcat", …
        walk(model, tokeniser.vocabulary, " ".join(words))

    Args:
        folder: holds tokenizer.json; or else vocab.json and merges.txt, or vocab.txt
            and, where capitals count, a tokenizer_config.json that says so.

    Raises:
        TypeError: folder is neither a Path nor a string.
        FileNotFoundError: there is no such folder, or it has no such files.
        ValueError: a file is broken, or of tokens that are cut in another way.
    """
    place = check_folder(folder)
    files = {file.name for file in place.iterdir()}
    if WHOLE in files:
        whole = read_json(place / WHOLE)
        with reading(place / WHOLE):
            return _whole(whole)
    if {*FOR_BYTES} <= files:
        words, merges = (place / name for name in FOR_BYTES)
        ids = read_json(words)
        with reading(words):
            vocabulary = _by_id(ids)
        with reading(merges):
            lines = merges.read_text("utf-8").splitlines()
            pairs = [line for line in lines if line and not line.startswith("#version")]
            return BytePairs(vocabulary, map(_pair, pairs))
    if FOR_WORDS in files:
        lower = True
        if SETTINGS in files:
            told = read_json(place / SETTINGS)
            with reading(place / SETTINGS):
                lower = _lower(told.get("do_lower_case", True))
        with reading(place / FOR_WORDS):
            text = (place / FOR_WORDS).read_text("utf-8").removesuffix("\n")
            return WordPieces(text.split("\n"), lower)
    raise lacking(place, f"{WHOLE}, {' and '.join(FOR_BYTES)}, or {FOR_WORDS}")


def _whole(told: Mapping[str, Any]) -> BytePairs | WordPieces:
    """Make what tokenizer.json tells."""
    model: Any = told.get("model")
    kind = _kind(model) if isinstance(model, dict) else None
    require(kind in ("BPE", "WordPiece"), "model", "be BPE or WordPiece", brief(kind))
    _check_plain("", told, BYTES if kind == "BPE" else WORDS)
    added = {x["content"]: x["id"] for x in told.get("added_tokens") or []}
    check_type("vocab", model.get("vocab"), dict)
    words = _by_id(model["vocab"] | added)
    if kind == "BPE":
        check_type("merges", model.get("merges"), list)
        cut = told["pre_tokenizer"].get("use_regex", True)
        require(cut is True, "use_regex", "be True, as in ours", brief(cut))
        return BytePairs(words, map(_pair, model["merges"]))
    lower = _lower(told["normalizer"].get("lowercase", True))
    accents = told["normalizer"].get("strip_accents")
    require(accents in (None, lower), "strip_accents", "go with lowercase", accents)
    return WordPieces(words, lower)


def _kind(model: Mapping[str, Any]) -> Any:
    """Give the kind of tokens: older files do not name it, but what it needs."""
    if "type" in model:
        return model["type"]
    if "merges" in model:
        return "BPE"
    return "WordPiece" if "max_input_chars_per_word" in model else None


def _check_plain(name: str, told: Any, plain: Any) -> None:
    """Raise a ValueError where something is told that our tokens lack."""
    if not isinstance(plain, dict) or not isinstance(told, dict):
        require(told == plain, name, f"be {plain!r}, as in ours", brief(told))
        return
    for key, wanted in plain.items():
        _check_plain(key, told.get(key), wanted)


def _by_id(ids: Any) -> list[str]:
    """List the tokens by their ids, which are 0 … V − 1."""
    check_type("the vocabulary", ids, dict)
    words = {n: word for word, n in ids.items() if type(n) is int}
    whole = sorted(words) == list(range(len(ids)))
    require(whole, "the ids of the vocabulary", "be 0, 1, 2 …", brief(sorted(words)))
    return [words[n] for n in range(len(words))]


def _pair(merge: Any) -> tuple[str, str]:
    """Read a merge: two strings, or one with a space between them."""
    parts = merge.split(" ") if isinstance(merge, str) else merge
    two = isinstance(parts, list) and len(parts) == 2
    require(two, "a merge", "be of two tokens", brief(merge))
    first, second = parts
    return str(first), str(second)


def _lower(told: Any) -> bool:
    check_type("lowercase", told, bool)
    return bool(told)
