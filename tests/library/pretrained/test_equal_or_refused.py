"""Folders as `transformers` writes them: ours gives the same numbers, or refuses."""

import json
import random
from dataclasses import dataclass, field
from functools import cache

import pytest
import torch
from hugging_face import LEARNED, NASTY, SPECIAL, drawn, transformers
from safetensors.torch import load_file, save_file
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers
from tokenizers.trainers import BpeTrainer, WordPieceTrainer

from transformer_lib import load_pretrained, load_tokenizer

CONFIG, TOKENIZER = "config.json", "tokenizer.json"
BESIDE, MAP = "tokenizer_config.json", "special_tokens_map.json"
GPT2 = {"n_positions": 64, "n_embd": 12, "n_layer": 2, "n_head": 3}
BERT = {
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 20,
    "max_position_embeddings": 64,
}
ADDED = ["<|user|>", "‹é>", "Foo", "the cat", "中x", "<|user|>s", " x ", "Ġy", "É!"]
TEXTS = [
    *LEARNED[:4],
    *NASTY,
    *drawn(20),
    "<|user|>Foo foo FOO‹é><|user|>s the cat, the  cat 中x x Ġy É! é! e!",
    "[MASK][mask] [CLS]a<|endoftext|><|endoftext |><pad><|u",
]


@dataclass
class Folder:
    """How a folder is written."""

    kind: str
    config: dict = field(default_factory=dict)
    tokenizer: dict = field(default_factory=dict)
    added: list = field(default_factory=list)
    special: list = field(default_factory=list)
    dtype: torch.dtype = torch.float32
    shards: bool = False
    rename: tuple[str, str] = ("", "")
    edits: dict = field(default_factory=dict)


# ── folders that must be equal ────────────────────────────────────────────────────────
def some(draw, kind):
    """Draw the settings of a folder that transformers writes and we can read."""
    tokens = {"added": draw.sample(ADDED, draw.randint(0, 4))}
    tokens["special"] = draw.sample(["<a>", "<B>"], draw.randint(0, 2))
    activation = draw.choice(["relu", "gelu", "gelu_new", "gelu_pytorch_tanh"])
    tied = {"tie_word_embeddings": draw.random() < 0.6}
    deleted = {CONFIG: {"tie_word_embeddings": None}} if draw.random() < 0.4 else {}
    file = {
        "dtype": draw.choice([torch.float32, torch.bfloat16, torch.float16]),
        "shards": draw.random() < 0.3,
        "edits": deleted,
    }
    if kind == "gpt2":
        config = {
            "n_head": draw.choice([1, 2, 6]),
            "n_inner": draw.choice([None, 7]),
            "activation_function": activation,
            "layer_norm_epsilon": draw.choice([1e-5, 0.1]),
            "reorder_and_upcast_attn": draw.random() < 0.2,
        }
        tokenizer = {"pad_token": draw.choice([None, "<pad>"])}
        prefix = "transformer."
    else:
        config = {
            "num_attention_heads": draw.choice([1, 2, 6]),
            "hidden_act": activation,
            "layer_norm_eps": draw.choice([1e-12, 0.1]),
            "type_vocab_size": draw.choice([1, 2, 3]),
        }
        lower = draw.random() < 0.5
        accents = draw.choice([None, lower])
        tokenizer = {"do_lower_case": lower, "strip_accents": accents}
        prefix = draw.choice(["bert.", "LayerNorm.weight"])
    other = "LayerNorm.gamma" if prefix == "LayerNorm.weight" else ""
    rename = draw.choice([("", ""), (prefix, other)])
    return Folder(kind, config | tied, tokenizer, **tokens, **file, rename=rename)


DRAWN = {
    f"{kind} {n}": some(random.Random(n), kind)
    for kind in ("gpt2", "bert")
    for n in range(22)
}
OLD_GPT2 = {
    CONFIG: {"n_ctx": 64, "task_specific_params": {}, "architectures": None},
    BESIDE: {"add_bos_token": False, "model_max_length": 64},
    MAP: {"bos_token": {"content": "<|endoftext|>", "lstrip": False}},
}
OLD_BERT = {
    CONFIG: {
        "gradient_checkpointing": False,
        "position_embedding_type": "absolute",
        "directionality": "bidi",
        "pooler_fc_size": 12,
    },
    BESIDE: {"never_split": None, "do_basic_tokenize": True},
    MAP: {"mask_token": {"content": "[MASK]", "lstrip": False}},
}
SAID_TIED = {CONFIG: {"tie_word_embeddings": True}}
GENERIC = {BESIDE: {"tokenizer_class": "TokenizersBackend"}}
EQUAL = DRAWN | {
    "gpt2 as it was": Folder("gpt2", edits=OLD_GPT2),
    "bert as it was": Folder("bert", edits=OLD_BERT),
    "said to be tied": Folder("gpt2", {"tie_word_embeddings": False}, edits=SAID_TIED),
    "gpt2 generic": Folder("gpt2", added=ADDED, edits=GENERIC),
    "gpt2 with a start": Folder("gpt2", tokenizer={"add_bos_token": True}),
    "bert generic": Folder("bert", added=ADDED, edits=GENERIC),
}

# ── folders that must be refused, by the setting that the error names ─────────────────
LATE = AddedToken("Foo", normalized=True, special=True)
SEQUENCE = {"type": "Sequence", "normalizers": []}


def says(file, part=None, **settings):
    """An edit of a file, or of a part of it."""
    return {"edits": {file: {part: settings} if part else settings}}


REFUSED = [
    ("scale_attn_weights", "gpt2", {"config": {"scale_attn_weights": False}}),
    (
        "scale_attn_by_inv",
        "gpt2",
        {"config": {"scale_attn_by_inverse_layer_idx": True}},
    ),
    ("add_cross_attention", "gpt2", {"config": {"add_cross_attention": True}}),
    ("activation_function", "gpt2", {"config": {"activation_function": "mish"}}),
    ("per_layer_config", "gpt2", says(CONFIG, per_layer_config={"0": {"n_head": 1}})),
    ("rope_scaling", "gpt2", says(CONFIG, rope_scaling={"type": "linear"})),
    ("quantization_config", "gpt2", says(CONFIG, quantization_config={"bits": 8})),
    ("is_decoder", "bert", says(CONFIG, is_decoder=True)),
    ("position_embedding_type", "bert", says(CONFIG, position_embedding_type="rotary")),
    ("hidden_act", "bert", says(CONFIG, hidden_act="quick_gelu")),
    ("add_prefix_space", "gpt2", {"tokenizer": {"add_prefix_space": True}}),
    ("single", "gpt2", {"tokenizer": {"add_eos_token": True}}),
    ("chinese_chars", "bert", {"tokenizer": {"tokenize_chinese_chars": False}}),
    ("strip_accents", "bert", {"tokenizer": {"strip_accents": False}}),
    ("cls_token", "bert", {"tokenizer": {"cls_token": "[PAD]"}}),
    ("unk_token", "bert", {"tokenizer": {"unk_token": "[PAD]"}}),
    ("single_word", "gpt2", {"added": [AddedToken("<x>", single_word=True)]}),
    ("lstrip", "gpt2", {"added": [AddedToken("<x>", lstrip=True)]}),
    ("rstrip", "bert", {"added": [AddedToken("<x>", rstrip=True)]}),
    ("tokenizer_class", "gpt2", says(TOKENIZER, "model", ignore_merges=True)),
    ("ignore_merges", "gpt2", says(TOKENIZER, "model", ignore_merges=3)),
    ("dropout", "gpt2", says(TOKENIZER, "model", dropout=0.1)),
    ("pre_tokenizer", "gpt2", says(TOKENIZER, "model", byte_fallback=True)),
    ("end_of_word_suffix", "gpt2", says(TOKENIZER, "model", end_of_word_suffix="</w>")),
    ("unk_token", "gpt2", says(TOKENIZER, "model", unk_token="<|endoftext|>")),
    ("anything", "gpt2", says(TOKENIZER, "model", anything=1)),
    ("use_regex", "gpt2", says(TOKENIZER, "pre_tokenizer", use_regex=False)),
    ("tokenizer_class", "gpt2", says(TOKENIZER, normalizer={"type": "NFC"})),
    ("normalizer", "gpt2", says(TOKENIZER, normalizer={"type": "NFD"})),
    ("type of normalizer", "bert", says(TOKENIZER, normalizer=SEQUENCE)),
    ("clean_text", "bert", says(TOKENIZER, "normalizer", clean_text=False)),
    ("unk_token of model", "bert", says(TOKENIZER, "model", unk_token="[PAD]")),
    ("max_input_chars", "bert", says(TOKENIZER, "model", max_input_chars_per_word=5)),
    ("truncation", "bert", says(TOKENIZER, truncation={"max_length": 4})),
    ("padding", "bert", says(TOKENIZER, padding={"strategy": "BatchLongest"})),
    ("post_processor", "bert", says(TOKENIZER, post_processor={"type": "ByteLevel"})),
    ("add_bos_token", "gpt2", says(BESIDE, add_bos_token=True)),
    ("split_special_tokens", "gpt2", says(BESIDE, split_special_tokens=True)),
    ("bos_token", "gpt2", says(BESIDE, bos_token="<s>")),
    ("tokenizer_class", "gpt2", says(BESIDE, tokenizer_class="RobertaTokenizer")),
    ("do_lower_case", "bert", says(BESIDE, do_lower_case=False)),
    ("never_split", "bert", says(BESIDE, never_split=["cat"])),
    ("added_tokens_decoder", "bert", says(BESIDE, added_tokens_decoder={})),
    (
        "extra_special",
        "bert",
        {"added": [LATE], **says(BESIDE, extra_special_tokens=["Foo"])},
    ),
    ("sep_token", "bert", says(MAP, sep_token="[PAD]")),
]


# ── how a folder is written ───────────────────────────────────────────────────────────
@cache
def vocabulary(kind):
    """What a tokenizer learned, as its class takes it."""
    if kind == "gpt2":
        oracle = Tokenizer(models.BPE())
        oracle.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        special = ["<|endoftext|>"]
        trainer = BpeTrainer(
            vocab_size=400, special_tokens=special, initial_alphabet=alphabet
        )
    else:
        oracle = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        oracle.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        trainer = WordPieceTrainer(vocab_size=150, special_tokens=SPECIAL)
    trainer.show_progress = False
    oracle.train_from_iterator([*LEARNED, *map(str.lower, LEARNED)], trainer)
    model = json.loads(oracle.to_str())["model"]
    merges = (
        {"merges": [tuple(pair) for pair in model["merges"]]} if kind == "gpt2" else {}
    )
    return {"vocab": model["vocab"]} | merges


def write(folder, to):
    """Write a model whose every number is drawn, and a tokenizer; then edit them."""
    package = transformers()
    gpt2 = folder.kind == "gpt2"
    tokenizers = package.GPT2Tokenizer if gpt2 else package.BertTokenizer
    tokenizer = tokenizers(**vocabulary(folder.kind), **folder.tokenizer)
    tokenizer.add_tokens(folder.added)
    tokenizer.add_tokens(folder.special, special_tokens=True)
    tokenizer.save_pretrained(to)
    sizes = (GPT2 if gpt2 else BERT) | {"vocab_size": len(tokenizer)} | folder.config
    config = (package.GPT2Config if gpt2 else package.BertConfig)(**sizes)
    torch.manual_seed(0)
    kind = package.GPT2LMHeadModel if gpt2 else package.BertForMaskedLM
    model = kind(config).eval()
    with torch.no_grad():
        for p in model.parameters():
            p.add_(torch.randn_like(p) * 0.2)
    shards = {"max_shard_size": "10KB"} if folder.shards else {}
    model.to(folder.dtype).save_pretrained(to, **shards)
    for path in to.glob("*.safetensors"):
        tensors = {n.replace(*folder.rename): x for n, x in load_file(path).items()}
        save_file(tensors, path, {"format": "pt"})
    for name, changes in folder.edits.items():
        edit(to / name, changes)


def edit(path, changes):
    """Change settings of a file, also those inside a part; None takes one away."""
    told = json.loads(path.read_text("utf-8")) if path.exists() else {}
    for key, value in changes.items():
        if value is None and path.name == CONFIG:
            told.pop(key, None)
        elif isinstance(value, dict) and isinstance(told.get(key), dict):
            told[key] |= value
        else:
            told[key] = value
    path.write_text(json.dumps(told), "utf-8")


# ── the tests ─────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("name", EQUAL)
def test_a_folder_of_transformers_gives_the_same_ids_and_logits(name, tmp_path):
    folder = EQUAL[name]
    write(folder, tmp_path)
    theirs = transformers().AutoTokenizer.from_pretrained(tmp_path)
    ours = load_tokenizer(tmp_path)
    for text in TEXTS:
        assert ours.encode(text) == theirs(text)["input_ids"], ascii(text)
    if folder.kind == "bert":
        pair = theirs(TEXTS[0], TEXTS[-2])
        assert ours.encode(TEXTS[0], TEXTS[-2]) == pair["input_ids"]
        if "token_type_ids" in pair:  # a generic class gives none
            assert ours.types(TEXTS[0], TEXTS[-2]) == pair["token_type_ids"]
    auto = "AutoModelForCausalLM" if folder.kind == "gpt2" else "AutoModelForMaskedLM"
    auto = getattr(transformers(), auto)
    oracle = auto.from_pretrained(tmp_path, dtype=torch.float32).eval()
    model = load_pretrained(tmp_path)
    ids = torch.randint(len(theirs), (2, 9), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        found = model(ids)
        found = found if folder.kind == "gpt2" else model.logits(found)
        torch.testing.assert_close(found, oracle(ids).logits, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", ["gpt2", "bert"])
def test_added_tokens_may_be_told_twice_as_older_files_do(kind, tmp_path):
    write(Folder(kind, added=ADDED), tmp_path)
    told = json.loads((tmp_path / TOKENIZER).read_text("utf-8"))["added_tokens"]
    again = {
        str(token["id"]): {key: x for key, x in token.items() if key != "id"}
        for token in told
    }
    edit(tmp_path / BESIDE, {"added_tokens_decoder": again})
    assert load_tokenizer(tmp_path).encode(ADDED[0]) != []
    again[str(told[0]["id"])]["lstrip"] = True
    edit(tmp_path / BESIDE, {"added_tokens_decoder": again})
    with pytest.raises(ValueError, match="added_tokens_decoder"):
        load_tokenizer(tmp_path)


@pytest.mark.parametrize(("setting", "kind", "given"), REFUSED)
def test_a_folder_that_we_do_not_follow_is_refused_by_name(
    setting, kind, given, tmp_path
):
    write(Folder(kind, **given), tmp_path)
    with pytest.raises(ValueError, match=setting) as said:
        load_tokenizer(tmp_path), load_pretrained(tmp_path)
    message = str(said.value)
    files = CONFIG, TOKENIZER, BESIDE, MAP
    assert any(file in message for file in files), message
    assert f"in {str(tmp_path)!r}" in message
    assert " must " in message
    assert ", got " in message
    assert len(message.splitlines()) == 1


def test_most_folders_are_read():
    assert len(EQUAL) >= 45
    assert len(EQUAL) + len(REFUSED) >= 60
