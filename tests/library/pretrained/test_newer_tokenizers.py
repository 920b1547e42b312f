"""Tokenizers of Llama and Qwen: the ids of `transformers`, from the same folders."""

import json
import random
from functools import cache

import pytest
from hugging_face import LEARNED, NASTY, drawn, transformers
from tokenizers import Tokenizer, models, pre_tokenizers
from tokenizers.trainers import BpeTrainer

from transformer_lib import load_tokenizer
from transformer_lib.text.subwords import BytePairs, SentencePieces

QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
LLAMA_3 = QWEN.replace(r"|\p{N}|", r"|\p{N}{1,3}|")
BYTES = [f"<0x{n:02X}>" for n in range(256)]
ADDED = ["<|user|>", "Foo", "the cat", "中x", "<|user|>s", " x ", "É!", "é2"]
TEXTS = [
    *LEARNED[:4],
    *NASTY,
    *drawn(60),
    "<s> The cat</s> sat <|user|> on<|user|>sthe cat Foo 中x x É! e\u0301! \u01772",
    "IT'S we'LL 'ſ 12345678 1234\r\n\r\n  \n x\n\n\ty  \r\n!!\n\n?\n",
    "▁cat ▁ the▁▁cat",
    "A\u030angstro\u0308m e\u0301le\u0300ve \ufb01 \u1100\u1161 2\u0301",
]


@cache
def byte_pairs():
    """What byte pairs learned, as classes of transformers take it."""
    oracle = Tokenizer(models.BPE())
    oracle.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    return learned(oracle, 450, ["<|endoftext|>"], alphabet)


@cache
def pieces():
    """What pieces with spaces learned; the first ids are special tokens and bytes."""
    oracle = Tokenizer(models.BPE())
    oracle.pre_tokenizer = pre_tokenizers.Metaspace()
    return learned(oracle, 480, ["<unk>", "<s>", "</s>", *BYTES], [])


def learned(oracle, size, special, alphabet):
    trainer = BpeTrainer(
        vocab_size=size,
        special_tokens=special,
        initial_alphabet=alphabet,
        show_progress=False,
    )
    oracle.train_from_iterator(LEARNED, trainer)
    model = json.loads(oracle.to_str())["model"]
    merges = [tuple(pair) for pair in model["merges"]]
    return {"vocab": model["vocab"], "merges": merges}


def qwen(folder, draw):
    """Write a folder of Qwen2 or Qwen3."""
    tokenizer = transformers().Qwen2Tokenizer(**byte_pairs())
    return save(folder, tokenizer, draw, draw.choice(["qwen2", "qwen3"]))


def llama_2(folder, draw, prefixes=(None, True, False)):
    """Write a folder of Llama 2 or Mistral."""
    options = {
        "legacy": draw.choice([True, False]),
        "add_prefix_space": draw.choice(prefixes),
        "add_bos_token": draw.choice([True, False]),
    }
    tokenizer = transformers().LlamaTokenizer(**pieces(), **options)
    save(folder, tokenizer, draw, draw.choice(["llama", "mistral"]))
    edited(folder, *beside(legacy=options["legacy"]))  # it forgets to say it


def older_llama_2(folder, draw):
    """Write such a folder in the form of the first ones, with two normalizers."""
    llama_2(folder, draw, [None, True])
    told = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    for token in told["added_tokens"]:
        token["normalized"] = False
    told["normalizer"] = {
        "type": "Sequence",
        "normalizers": [
            {"type": "Prepend", "prepend": "▁"},
            {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        ],
    }
    told["pre_tokenizer"] = None
    (folder / "tokenizer.json").write_text(json.dumps(told), "utf-8")


def llama_3(folder, draw):
    """Write a folder of Llama 3, whose tokenizer.json says all."""
    tokenizer = transformers().Qwen2Tokenizer(**byte_pairs())
    tokenizer.add_tokens(["<|begin|>"], special_tokens=True)
    save(folder, tokenizer, draw, "llama")
    told = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    told["normalizer"] = draw.choice([None, {"type": "NFC"}])
    told["pre_tokenizer"]["pretokenizers"][0]["pattern"] = {
        "Regex": draw.choice([LLAMA_3, LLAMA_3, QWEN])
    }
    told["model"]["ignore_merges"] = draw.random() < 0.7
    begin = next(t["id"] for t in told["added_tokens"] if t["content"] == "<|begin|>")
    text = {"Sequence": {"id": "A", "type_id": 0}}
    told["post_processor"] = {
        "type": "Sequence",
        "processors": [
            {
                "type": "ByteLevel",
                "add_prefix_space": True,
                "trim_offsets": False,
                "use_regex": True,
            },
            {
                "type": "TemplateProcessing",
                "single": [{"SpecialToken": {"id": "<|begin|>", "type_id": 0}}, text],
                "pair": [text, {"Sequence": {"id": "B", "type_id": 1}}],
                "special_tokens": {
                    "<|begin|>": {
                        "id": "<|begin|>",
                        "ids": [begin],
                        "tokens": ["<|begin|>"],
                    }
                },
            },
        ],
    }
    # Words that no merge makes: they are taken whole where merges are ignored.
    if told["model"]["ignore_merges"]:
        del told["model"]["merges"][len(told["model"]["merges"]) // 2 :]
    (folder / "tokenizer.json").write_text(json.dumps(told), "utf-8")
    path = folder / "tokenizer_config.json"
    settings = json.loads(path.read_text("utf-8"))
    settings |= {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<|begin|>"}
    path.write_text(json.dumps(settings), "utf-8")


def save(folder, tokenizer, draw, model_type):
    tokenizer.add_tokens(draw.sample(ADDED, draw.randint(0, 5)))
    special = draw.sample(["<a>", "<B>", "</think>"], draw.randint(0, 2))
    tokenizer.add_tokens(special, special_tokens=True)
    tokenizer.save_pretrained(folder)
    (folder / "config.json").write_text(json.dumps({"model_type": model_type}))


def llama(folder, draw):
    """Write a folder of Llama 2, whose tokenizer is built by its class."""
    llama_2(folder, draw, [None])
    (folder / "config.json").write_text(json.dumps({"model_type": "llama"}))


def mistral(folder, draw):
    """Write a folder of Mistral, whose tokenizer is built from tokenizer.json."""
    llama_2(folder, draw, [None])
    (folder / "config.json").write_text(json.dumps({"model_type": "mistral"}))


def older_mistral(folder, draw):
    """Write such a folder in the older form."""
    older_llama_2(folder, draw)
    (folder / "config.json").write_text(json.dumps({"model_type": "mistral"}))


WRITE = [qwen, llama_2, older_llama_2, llama_3]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("write", WRITE)
def test_ids_are_those_of_transformers(write, seed, tmp_path):
    write(tmp_path, random.Random(seed))
    theirs = transformers().AutoTokenizer.from_pretrained(tmp_path)
    ours = load_tokenizer(tmp_path)
    assert type(ours) is (SentencePieces if "llama_2" in write.__name__ else BytePairs)
    assert len(ours.vocabulary) == len(theirs)
    added = theirs.get_added_vocab()
    for text in TEXTS:
        found = theirs(text)["input_ids"]
        assert ours.encode(text) == found, ascii(text)
        if all(text.isascii() for text in added):  # others, it reads as bytes
            said = theirs.decode(found, clean_up_tokenization_spaces=False)
            assert ours.decode(found) == said, ascii(text)


def test_bytes_that_are_no_character_become_marks(tmp_path):
    llama_2(tmp_path, random.Random(1))
    ours = load_tokenizer(tmp_path)
    ids = ours.vocabulary.encode(["<0xE4>", "<0xB8>", "a", "<0xC3>", "<0xA9>"])
    assert ours.decode(ids) == "��aé"


def edited(folder, name, change):
    path = folder / name
    told = json.loads(path.read_text("utf-8"))
    change(told)
    path.write_text(json.dumps(told), "utf-8")


def of_json(change):
    return "tokenizer.json", change


def beside(**settings):
    return "tokenizer_config.json", lambda told: told.update(settings)


NFKC = {"type": "NFKC"}
REFUSED = [
    ("tokenizer_class", qwen, beside(tokenizer_class="GPT2Tokenizer")),
    ("tokenizer_class", qwen, beside(tokenizer_class=None)),
    ("tokenizer_class", llama_2, beside(tokenizer_class=None)),
    ("tokenizer_class", llama_3, beside(tokenizer_class="LlamaTokenizer")),
    ("normalizer", qwen, of_json(lambda told: told.update(normalizer=NFKC))),
    ("normalizer", llama_2, of_json(lambda told: told.update(normalizer=NFKC))),
    (
        "pattern",
        llama_3,
        of_json(
            lambda told: told["pre_tokenizer"]["pretokenizers"][0].update(
                pattern={"Regex": r"\s+"}
            )
        ),
    ),
    (
        "behavior",
        qwen,
        of_json(
            lambda told: told["pre_tokenizer"]["pretokenizers"][0].update(
                behavior="Removed"
            )
        ),
    ),
    ("prepend_scheme", llama, beside(legacy=True, add_prefix_space=False)),
    ("decoder", mistral, of_json(lambda told: told.update(decoder=None))),
    ("split", llama_2, of_json(lambda told: told["pre_tokenizer"].update(split=True))),
    # What a file leaves out is what tokenizers takes then.
    ("split", llama_2, of_json(lambda told: told["pre_tokenizer"].pop("split"))),
    (
        "hold every byte",
        llama_2,
        of_json(
            lambda told: told["model"].update(
                vocab={
                    w.replace("<0x41>", "A!"): n
                    for w, n in told["model"]["vocab"].items()
                }
            )
        ),
    ),
    (
        "normalized",
        older_mistral,
        of_json(lambda told: told["added_tokens"][0].update(normalized=True)),
    ),
    ("add_bos_token", llama_3, beside(add_bos_token=False)),
    ("bos_token", llama_3, beside(add_bos_token=True, bos_token="<|endoftext|>")),
    ("add_eos_token", qwen, beside(add_eos_token=True)),
    (
        "single of post_processor",
        llama_3,
        of_json(
            lambda told: told["post_processor"]["processors"][1]["single"].reverse()
        ),
    ),
    (
        "special_tokens of post_processor",
        llama_3,
        of_json(
            lambda told: told["post_processor"]["processors"][1]["special_tokens"][
                "<|begin|>"
            ].update(ids=[0])
        ),
    ),
    ("eos_token", qwen, beside(eos_token="<end>")),
    ("anything", llama_2, beside(anything=1)),
    ("model_type", qwen, ("config.json", lambda told: told.update(model_type="phi"))),
]


@pytest.mark.parametrize(("setting", "write", "change"), REFUSED)
def test_what_we_do_not_follow_is_refused_by_name(setting, write, change, tmp_path):
    write(tmp_path, random.Random(2))
    load_tokenizer(tmp_path)
    edited(tmp_path, *change)
    with pytest.raises(ValueError, match=setting) as said:
        load_tokenizer(tmp_path)
    assert " must " in str(said.value)
    assert ", got " in str(said.value)
    assert f"in {str(tmp_path)!r}" in str(said.value)
