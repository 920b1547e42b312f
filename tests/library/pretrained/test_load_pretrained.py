"""Pretrained models in our blocks equal those of `transformers`, made at random."""

import json
import shutil

import numpy as np
import pytest
import torch
from explanations import judge_drawn
from hugging_face import transformers
from safetensors.torch import load_file, save_file

from course import explorers
from transformer_lib import (
    DecoderOnlyTransformer,
    Decoding,
    Vocabulary,
    greedy,
    load_pretrained,
    padding_mask,
    record,
)
from transformer_lib.pretrained import PretrainedBert
from transformer_lib.pretrained.folder import check_settings

GPT2 = {"vocab_size": 37, "n_positions": 16, "n_embd": 12, "n_layer": 2, "n_head": 3}
BERT = {
    "vocab_size": 37,
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 20,
    "max_position_embeddings": 16,
}
LENGTHS = torch.tensor([9, 1, 5])
IDS = torch.randint(37, (3, 9), generator=torch.Generator().manual_seed(0))
TYPES = (torch.arange(9) > 3).long().expand(3, 9)
REAL = torch.arange(9) < LENGTHS[:, None]  # (3, 9)


def close(ours, theirs):
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-5)


def made(kind, config):
    """A model whose every number is drawn: biases, norms and all."""
    torch.manual_seed(0)
    model = getattr(transformers(), kind)(config).eval()
    with torch.no_grad():
        for p in model.parameters():
            p.add_(torch.randn_like(p) * 0.2)
    return model


def gpt2(folder, kind="GPT2LMHeadModel", save=None, **options):
    model = made(kind, transformers().GPT2Config(**GPT2 | options))
    model.save_pretrained(folder, **save or {})
    return model


def bert(folder, kind="BertForMaskedLM", **options):
    model = made(kind, transformers().BertConfig(**BERT | options))
    model.save_pretrained(folder)
    return model


# ── equal to transformers ─────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"activation_function": "relu", "n_inner": 7, "layer_norm_epsilon": 0.3},
        {"activation_function": "gelu", "tie_word_embeddings": False, "n_head": 1},
        {"reorder_and_upcast_attn": True},
    ],
)
def test_gpt2_gives_the_logits_of_transformers(options, tmp_path):
    theirs = gpt2(tmp_path, **options)
    ours = load_pretrained(tmp_path)
    assert type(ours) is DecoderOnlyTransformer
    assert not ours.training
    with torch.no_grad():
        close(ours(IDS), theirs(IDS).logits)
        mask = padding_mask(LENGTHS)
        expected = theirs(IDS, attention_mask=REAL.long()).logits
        close(ours(IDS, mask)[REAL], expected[REAL])


def test_gpt2_reads_padding_on_the_left(tmp_path):
    theirs = gpt2(tmp_path)
    real = REAL.flip(1)
    places = (real.cumsum(1) - 1).clamp_min(0)
    with torch.no_grad():
        ours = load_pretrained(tmp_path)(IDS, real[:, None, None, :], places)
        expected = theirs(IDS, attention_mask=real.long(), position_ids=places)
    close(ours[real], expected.logits[real])


def test_gpt2_without_a_head_scores_by_its_embedding(tmp_path):
    theirs = gpt2(tmp_path, "GPT2Model")
    ours = load_pretrained(tmp_path)
    with torch.no_grad(), record(ours) as tensors:
        logits = ours(IDS)
        hidden = theirs(IDS).last_hidden_state
    close(tensors["decoder"], hidden)
    close(logits, hidden @ theirs.wte.weight.T)


def test_gpt2_writes_what_transformers_writes(tmp_path):
    theirs = gpt2(tmp_path)
    ours = load_pretrained(tmp_path)
    found = greedy(ours, IDS[:1, :4], Decoding(max_length=12, end_id=36, pad_id=0))
    said = theirs.generate(
        IDS[:1, :4], max_length=12, do_sample=False, eos_token_id=36, pad_token_id=0
    )
    assert found.ids[0, : said.size(1)].tolist() == said[0].tolist()


def test_a_bert_that_tells_no_epsilon_has_the_one_of_transformers(tmp_path):
    theirs = bert(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text("utf-8"))
    del config["layer_norm_eps"]
    (tmp_path / "config.json").write_text(json.dumps(config), "utf-8")
    ours = load_pretrained(tmp_path)
    assert ours.config.norm_eps == theirs.config.layer_norm_eps
    with torch.no_grad():
        close(ours(IDS), theirs.bert(IDS).last_hidden_state)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"hidden_act": "gelu_new", "layer_norm_eps": 0.3, "num_attention_heads": 1},
        {"hidden_act": "relu", "type_vocab_size": 3, "tie_word_embeddings": False},
    ],
)
def test_bert_gives_the_states_and_the_logits_of_transformers(options, tmp_path):
    theirs = bert(tmp_path, **options)
    ours = load_pretrained(tmp_path)
    assert type(ours) is PretrainedBert
    with torch.no_grad():
        expected = theirs.bert(IDS).last_hidden_state
        close(ours(IDS), expected)
        close(ours.logits(ours(IDS)), theirs(IDS).logits)
        given = {"attention_mask": REAL.long(), "token_type_ids": TYPES}
        hidden = ours(IDS, padding_mask(LENGTHS), token_types=TYPES)
        close(hidden[REAL], theirs.bert(IDS, **given).last_hidden_state[REAL])
        close(ours.logits(hidden)[REAL], theirs(IDS, **given).logits[REAL])
        places = torch.arange(9).flip(0)
        expected = theirs.bert(IDS, position_ids=places[None]).last_hidden_state
        close(ours(IDS, positions=places), expected)


@pytest.mark.parametrize(
    "kind", ["BertModel", "BertForPreTraining", "BertForSequenceClassification"]
)
def test_what_stands_beside_berts_blocks_is_left_out(kind, tmp_path):
    theirs = bert(tmp_path, kind)
    ours = load_pretrained(tmp_path)
    body = getattr(theirs, "bert", theirs)
    with torch.no_grad():
        close(ours(IDS), body(IDS).last_hidden_state)
        if kind == "BertForPreTraining":
            close(ours.logits(ours(IDS)), theirs(IDS).prediction_logits)
        else:
            with pytest.raises(
                ValueError, match=r"^model must have a masked-word head"
            ):
                ours.logits(ours(IDS))


def test_a_model_in_parts_is_read_by_its_index(tmp_path):
    theirs = gpt2(tmp_path, save={"max_shard_size": "5KB"})
    assert not (tmp_path / "model.safetensors").exists()
    assert len(list(tmp_path.glob("*.safetensors"))) > 2
    with torch.no_grad():
        close(load_pretrained(str(tmp_path))(IDS), theirs(IDS).logits)


def rename(folder, change):
    """Rename the tensors of a file, as older ones have them."""
    path = folder / "model.safetensors"
    tensors = {change(name): x for name, x in load_file(path).items()}
    save_file(tensors, path, {"format": "pt"})


def older(name):
    name = name.replace("LayerNorm.weight", "LayerNorm.gamma")
    return name.replace("LayerNorm.bias", "LayerNorm.beta")


def test_the_names_of_older_files_are_read(tmp_path):
    theirs = bert(tmp_path / "bert")
    rename(tmp_path / "bert", older)
    with torch.no_grad():
        close(load_pretrained(tmp_path / "bert")(IDS), theirs.bert(IDS)[0])
    theirs = gpt2(tmp_path / "gpt2")
    rename(tmp_path / "gpt2", lambda name: name.removeprefix("transformer."))
    path = tmp_path / "gpt2" / "model.safetensors"
    mask = {"h.0.attn.bias": torch.ones(1, 1, 16, 16).tril()}
    save_file(load_file(path) | mask, path)
    with torch.no_grad():
        close(load_pretrained(tmp_path / "gpt2")(IDS), theirs(IDS).logits)


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
def test_numbers_of_half_the_size_are_read_as_float32(kind, tmp_path):
    theirs = gpt2(tmp_path).to(kind)
    theirs.save_pretrained(tmp_path)
    ours = load_pretrained(tmp_path)
    with torch.no_grad():
        assert ours(IDS).dtype == torch.float32
        close(ours(IDS), theirs.float()(IDS).logits)


def test_nothing_is_drawn_by_who_reads_a_model(tmp_path):
    gpt2(tmp_path)
    before = torch.get_rng_state()
    load_pretrained(tmp_path)
    assert torch.get_rng_state().equal(before)


# ── looking into them ─────────────────────────────────────────────────────────────────
def test_every_attention_of_a_pretrained_model_is_recorded(tmp_path):
    theirs = bert(tmp_path, attn_implementation="eager")
    ours = load_pretrained(tmp_path)
    with torch.no_grad(), record(ours) as tensors:
        ours(IDS, padding_mask(LENGTHS), token_types=TYPES)
        said = theirs.bert(
            IDS, REAL.long(), TYPES, output_attentions=True, output_hidden_states=True
        )
    for n, expected in enumerate(said.attentions):
        weights = tensors[f"encoder.blocks.{n}.self_attention.weights"]
        close(
            weights.mT[REAL[:, None, None].expand_as(weights.mT)],
            expected.mT[REAL[:, None, None].expand_as(expected)],
        )
    close(tensors["embedding_norm"], said.hidden_states[0])
    close(tensors["encoder.blocks.0"][REAL], said.hidden_states[1][REAL])


# ── what cannot be read ───────────────────────────────────────────────────────────────
def told(folder, **changes):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changes), "utf-8")


FOREIGN = {
    "model_type": ("gpt2", {"model_type": "gpt_neox"}),
    "model_type ": ("gpt2", {"model_type": ["gpt2"]}),
    "scale_attn_by_inverse_layer_idx": ("gpt2", None),
    "scale_attn_weights": ("gpt2", {"scale_attn_weights": False}),
    "add_cross_attention": ("gpt2", None),
    "activation_function": ("gpt2", {"activation_function": "mish"}),
    "n_head": ("gpt2", {"n_head": 5}),
    "n_embd": ("gpt2", {"n_embd": "12"}),
    "n_inner": ("gpt2", {"n_inner": -1}),
    "norm_eps": ("gpt2", {"layer_norm_epsilon": -1.0}),
    "norm_eps ": ("bert", {"layer_norm_eps": "1e-12"}),
    "tie_word_embeddings": ("gpt2", {"tie_word_embeddings": "yes"}),
    "tie_embeddings": ("gpt2", {"tie_word_embeddings": 1}),
    "position_embedding_type": (
        "bert",
        {"position_embedding_type": "relative_key"},
    ),
    "is_decoder": ("bert", None),
    "hidden_act": ("bert", {"hidden_act": "quick_gelu"}),
    "vocab_size": ("bert", {"vocab_size": None}),
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A folder of each kind, to be copied."""
    folder = tmp_path_factory.mktemp("saved")
    gpt2(folder / "gpt2")
    bert(folder / "bert")
    return folder


def refused(folder, error=ValueError):
    with pytest.raises(error) as said:
        load_pretrained(folder)
    assert len(str(said.value).splitlines()) == 1
    assert len(str(said.value)) < 600
    assert str(folder) in str(said.value)
    return str(said.value)


@pytest.mark.parametrize("name", FOREIGN)
def test_a_configuration_that_our_blocks_lack_is_named(name, saved, tmp_path):
    kind, changes = FOREIGN[name]
    folder = tmp_path / "copy"
    shutil.copytree(saved / kind, folder)
    told(folder, **changes or {name: True})
    assert name.strip() in refused(folder)


@pytest.mark.parametrize("size", ["12", None, 12.0, True])
def test_a_size_of_another_type_is_refused_without_counting_to_it(size):
    known = {"n_embd": range(1, 2**62)}  # a search would never end
    with pytest.raises(ValueError, match=r"^n_embd of config\.json must be an"):
        check_settings("config.json", {"n_embd": size}, known)


def test_a_missing_a_foreign_and_a_misshapen_weight_are_named(saved, tmp_path):
    shutil.copytree(saved / "gpt2", tmp_path / "m")
    path = tmp_path / "m" / "model.safetensors"
    whole = load_file(path)
    name = "transformer.h.1.attn.c_attn.weight"
    save_file({n: x for n, x in whole.items() if n != name}, path)
    assert "must hold h.1.attn.c_attn.weight, got none" in refused(tmp_path / "m")
    save_file(whole | {name: whole[name].T.contiguous()}, path)
    said = refused(tmp_path / "m")
    assert said.startswith("h.1.attn.c_attn.weight must have shape (12, 36), by config")
    save_file(whole | {"adapter.weight": torch.ones(2)}, path)
    assert "must hold only what our blocks have, got 'adapter.wei" in refused(
        tmp_path / "m"
    )
    save_file(whole | {name: whole[name].to(torch.int8)}, path)
    assert "c_attn.weight must hold floating-point numbers, got torch.int8" in refused(
        tmp_path / "m"
    )
    told(tmp_path / "m", n_layer=1)
    save_file(whole, path)
    assert "only what our blocks have, got 'h.1." in refused(tmp_path / "m")


def test_a_file_that_is_missing_or_broken_is_named(saved, tmp_path):
    said = refused(tmp_path / "none", FileNotFoundError)
    assert said.startswith("folder must be a folder on the disk, for nothing is down")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "vocab.txt").touch()
    said = refused(tmp_path / "empty", FileNotFoundError)
    assert said.startswith("folder must hold config.json, got 'vocab.txt' in ")
    folder = tmp_path / "m"
    shutil.copytree(saved / "gpt2", folder)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    said = refused(folder, FileNotFoundError)
    assert said.startswith("folder must hold model.safetensors, or its shards and mo")
    assert "transformers, and write it with its save_pretrained" in said
    (folder / "pytorch_model.bin").unlink()
    assert "transformers" not in refused(folder, FileNotFoundError)
    (folder / "model.safetensors").write_bytes(b"no tensors")
    assert "cannot be read" in refused(folder)
    (folder / "config.json").write_text("[1]", "utf-8")
    assert "cannot be read" in refused(folder)
    with pytest.raises(TypeError, match=r"^folder must be a Path or a str, got int$"):
        load_pretrained(3)


@pytest.mark.parametrize("names", [["../other.safetensors"], [3], "none", []])
def test_an_index_leads_nowhere_else(names, saved, tmp_path):
    folder = tmp_path / "m"
    shutil.copytree(saved / "gpt2", folder)
    (folder / "model.safetensors").rename(tmp_path / "other.safetensors")
    parts = (
        dict.fromkeys(names, names[0]) if isinstance(names, list) and names else names
    )
    index = {"weight_map": parts}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), "utf-8")
    refused(folder)


@pytest.mark.parametrize("fault", [KeyError, TypeError])
def test_faults_of_our_own_are_not_blamed_on_the_folder(fault, saved, monkeypatch):
    def broken(*_):
        raise fault("ours")

    monkeypatch.setattr("transformer_lib.pretrained.gpt2.build", broken)
    with pytest.raises(fault, match=r"^'?ours'?$"):
        load_pretrained(saved / "gpt2")


def test_a_part_that_is_missing_is_named(tmp_path):
    gpt2(tmp_path, save={"max_shard_size": "5KB"})
    part = sorted(tmp_path.glob("*.safetensors"))[1]
    part.unlink()
    assert part.name in refused(tmp_path, FileNotFoundError)


@pytest.mark.parametrize(
    "types", [TYPES[:1], TYPES[0], TYPES + 1, TYPES - 1, TYPES.float(), 1]
)
def test_token_types_that_do_not_fit_are_refused(types, saved):
    model = load_pretrained(saved / "bert")
    with pytest.raises((TypeError, ValueError), match=r"^token_types must "):
        model(IDS, token_types=types)


VOCABULARY = Vocabulary([f"w{n}" for n in range(37)])
SENTENCE = "w3 w14 w15 w9 w2"


@pytest.mark.parametrize("kind", ["gpt2", "bert"])
def test_every_step_of_a_pretrained_model_is_walked_and_explained(kind, saved):
    model = load_pretrained(saved / kind).double()
    explorer = explorers.walk(model, VOCABULARY, SENTENCE)
    explorer.go(-explorer.at)
    names = []
    for _ in explorer.way:
        leaves = judge_drawn(explorer, 1e-9)
        [leading] = [d.name for d in explorer.drawings if getattr(d, "leads", False)]
        assert leading not in leaves
        names.append(leading.partition("[")[0])
        explorer.go(1)
    assert len(set(names)) == len(explorer.way)  # it stands still where a step fails
    assert ("embedding_norm" in names) == (kind == "bert")


@pytest.mark.parametrize("kind", ["gpt2", "bert"])
def test_a_head_of_a_pretrained_model_is_drawn_as_arcs(kind, saved):
    model = load_pretrained(saved / kind)
    stack = model.decoder if kind == "gpt2" else model.encoder
    with record(stack.blocks[1].self_attention) as tensors, torch.no_grad():
        model(torch.tensor([VOCABULARY.encode(SENTENCE)]))
    explorer = explorers.sentence_attention(SENTENCE.split(), tensors=tensors, head=2)
    shown = explorer.values["arcs"]
    np.testing.assert_allclose(shown, tensors["weights"][0, 2].numpy(), atol=1e-6)
