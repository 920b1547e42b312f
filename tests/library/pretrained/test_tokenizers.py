"""Tokens of pretrained models: cut as `tokenizers` cuts them, from the same files."""

import json
import shutil

import pytest
from hugging_face import LEARNED, NASTY, SPECIAL, drawn
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from tokenizers.trainers import BpeTrainer, WordPieceTrainer

from course import explorers
from transformer_lib import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    TransformerConfig,
    Vocabulary,
    load_tokenizer,
)
from transformer_lib.text.subwords import BytePairs, WordPieces


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory):
    """A tokenizer like GPT-2's, and its folder."""
    oracle = Tokenizer(models.BPE())
    oracle.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = BpeTrainer(
        vocab_size=400,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    oracle.train_from_iterator(LEARNED, trainer)
    return oracle, saved(oracle, tmp_path_factory.mktemp("gpt2"))


@pytest.fixture(scope="module", params=[True, False], ids=["uncased", "cased"])
def bert(request, tmp_path_factory):
    """A tokenizer like BERT's, and its folder."""
    oracle = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    oracle.normalizer = normalizers.BertNormalizer(lowercase=request.param)
    oracle.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = WordPieceTrainer(
        vocab_size=150, special_tokens=SPECIAL, show_progress=False
    )
    oracle.train_from_iterator(LEARNED, trainer)
    oracle.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0",
        pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[(t, oracle.token_to_id(t)) for t in ("[CLS]", "[SEP]")],
    )
    folder = saved(oracle, tmp_path_factory.mktemp("bert"))
    settings = json.dumps({"do_lower_case": request.param})
    (folder / "tokenizer_config.json").write_text(settings, "utf-8")
    return oracle, folder


def saved(oracle, folder):
    oracle.save(str(folder / "tokenizer.json"))
    return folder


# ── equal to tokenizers ───────────────────────────────────────────────────────────────
def test_byte_pairs_are_those_of_tokenizers(gpt2):
    oracle, folder = gpt2
    ours = load_tokenizer(folder)
    assert type(ours) is BytePairs
    assert len(ours.vocabulary) == oracle.get_vocab_size()
    for text in [*LEARNED, *NASTY, *drawn()]:
        said = oracle.encode(text)
        assert ours.tokens(text) == said.tokens, text
        assert ours.encode(text) == said.ids
        assert ours.decode(said.ids) == text  # no byte is lost


def test_word_pieces_are_those_of_tokenizers(bert):
    oracle, folder = bert
    ours = load_tokenizer(folder)
    assert type(ours) is WordPieces
    assert len(ours.vocabulary) == oracle.get_vocab_size()
    for text in [*LEARNED, *NASTY, *drawn()]:
        said = oracle.encode(text)
        assert ours.tokens(text) == said.tokens, ascii(text)
        assert ours.encode(text) == said.ids
        pair = oracle.encode("the cat", text)
        assert ours.encode("the cat", text) == pair.ids
        assert ours.types("the cat", text) == pair.type_ids


def test_a_file_that_does_not_name_its_kind_is_read(gpt2, bert, tmp_path):
    """The files that GPT-2 and BERT were given first have no type."""
    for oracle, folder in (gpt2, bert):
        older = changed(folder, tmp_path, lambda told: told["model"].pop("type"))
        ours = load_tokenizer(older)
        for text in LEARNED:
            assert ours.encode(text) == oracle.encode(text).ids


def test_tokens_are_words_of_the_vocabulary_without_a_space(gpt2, bert):
    """So a sentence of tokens can be given where words are split at spaces."""
    for _, folder in (gpt2, bert):
        ours = load_tokenizer(folder)
        assert type(ours.vocabulary) is Vocabulary
        tokens = ours.tokens("The cat sat on the mat, and it was happy.")
        assert " ".join(tokens).split() == tokens
        assert ours.vocabulary.encode(" ".join(tokens)) == ours.encode(
            "The cat sat on the mat, and it was happy."
        )


def test_half_a_character_is_decoded_and_never_refused(gpt2):
    ours = load_tokenizer(gpt2[1])
    ids = ours.encode("人")
    assert len(ids) == 3  # its bytes: nothing of it was learned
    assert ours.decode(ids[:2]) == "�"


# ── what is refused ───────────────────────────────────────────────────────────────────
def changed(folder, to, change):
    shutil.copytree(folder, to, dirs_exist_ok=True)
    told = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    change(told)
    (to / "tokenizer.json").write_text(json.dumps(told), "utf-8")
    return to


CHANGES = {
    "another model": lambda told: told["model"].update(type="Unigram"),
    "no model": lambda told: told.pop("model"),
    "a space first": lambda told: told["pre_tokenizer"].update(add_prefix_space=True),
    "no regular expression": lambda told: told["pre_tokenizer"].update(use_regex=False),
    "normalised": lambda told: told.update(normalizer={"type": "NFC"}),
    "a merge of one": lambda told: told["model"]["merges"].append("a"),
    "a merge of three": lambda told: told["model"]["merges"].append(["a", "b", "c"]),
    "no merges": lambda told: told["model"].pop("merges"),
    "no vocabulary": lambda told: told["model"].pop("vocab"),
    "an id too many": lambda told: told["model"]["vocab"].update(xyz=10_000),
    "an added token that is a number": lambda told: told["added_tokens"].append(3),
    "an added token behind a gap": lambda told: told["added_tokens"].append(
        {**told["added_tokens"][0], "content": "<new>", "id": 10_000}
    ),
    "a kind that is a list": lambda told: told["model"].update(type=["BPE"]),
    "an id that is text": lambda told: told["model"]["vocab"].update(xyz="3"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_tokens_that_are_cut_in_another_way_are_refused(name, gpt2, tmp_path):
    folder = changed(gpt2[1], tmp_path, CHANGES[name])
    with pytest.raises(ValueError, match=r" must .*, got ") as said:
        load_tokenizer(folder)
    assert str(said.value).endswith(f", in {str(folder)!r}")
    assert len(str(said.value).splitlines()) == 1


@pytest.mark.parametrize(
    "setting",
    [
        {"strip_accents": "yes"},
        {"handle_chinese_chars": False},
        {"lowercase": "no"},
        {"type": "NFC"},
    ],
)
def test_word_pieces_of_another_kind_are_refused(setting, bert, tmp_path):
    folder = changed(bert[1], tmp_path, lambda told: told["normalizer"].update(setting))
    (name,) = setting
    with pytest.raises(ValueError, match=rf"^{name} of .*tokenizer\.json must "):
        load_tokenizer(folder)


def test_a_folder_without_tokens_is_named(gpt2, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^folder must be a folder on the d"):
        load_tokenizer(tmp_path / "none")
    gpt2[0].model.save(str(tmp_path))  # vocab.json and merges.txt: older files
    with pytest.raises(FileNotFoundError, match=r"^folder must hold tokenizer\.json"):
        load_tokenizer(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{", "utf-8")
    with pytest.raises(ValueError, match="cannot be read") as said:
        load_tokenizer(tmp_path)
    assert str(said.value).count("cannot be read") == 1


def test_what_is_no_text_is_refused(gpt2, bert):
    for _, folder in (gpt2, bert):
        with pytest.raises(TypeError, match=r"^text must be a str, got int$"):
            load_tokenizer(folder).tokens(3)
    with pytest.raises(
        ValueError, match=r"^text must be whole characters, got '\\ud800'"
    ):
        load_tokenizer(gpt2[1]).tokens("a\ud800")


@pytest.mark.parametrize("kind", [DecoderOnlyTransformer, EncoderOnlyTransformer])
def test_a_sentence_of_tokens_is_walked(kind, gpt2, bert):
    _, folder = gpt2 if kind is DecoderOnlyTransformer else bert
    ours = load_tokenizer(folder)
    V = len(ours.vocabulary)
    sizes = TransformerConfig(vocabulary_size=V, d_model=4, n_heads=2, d_ff=4)
    tokens = ours.tokens("It's the cat, happy")
    explorer = explorers.walk(kind(sizes).eval(), ours.vocabulary, " ".join(tokens))
    shown = next(d for d in explorer.drawings if d.kind == "matrix" and d.leads)
    assert list(shown.rows) == tokens
