"""Llama, Mistral, Qwen2 and Qwen3 folders: equal to `transformers`, or refused."""

import json
import random
from types import MethodType

import pytest
import torch
from hugging_face import transformers
from safetensors.torch import load_file, save_file

from transformer_lib import (
    DecoderOnlyTransformer,
    Decoding,
    beam_search,
    caching,
    greedy,
    load_pretrained,
)

KINDS = ["llama", "mistral", "qwen2", "qwen3"]
CLASSES = {"llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2", "qwen3": "Qwen3"}
V, T, COUNT = 37, 9, 60


def drawn(kind, seed):
    """Draw the configuration of a folder that transformers writes and we read."""
    draw = random.Random(seed)
    H = draw.choice([1, 2, 4])
    d_k = draw.choice([2, 4, 6])
    options = {
        "vocab_size": V,
        "hidden_size": H * d_k,
        "intermediate_size": draw.choice([5, 16]),
        "num_hidden_layers": draw.choice([1, 2]),
        "num_attention_heads": H,
        "num_key_value_heads": draw.choice([n for n in (1, 2, 4) if H % n == 0]),
        "max_position_embeddings": 32,
        "hidden_act": draw.choice(["silu", "silu", "gelu", "gelu_pytorch_tanh"]),
        "rms_norm_eps": draw.choice([1e-6, 1e-5, 0.1]),
        "rope_parameters": {
            "rope_type": "default",
            "rope_theta": draw.choice([10.0, 10_000.0, 1_000_000.0]),
        },
        "tie_word_embeddings": draw.random() < 0.5,
        "bos_token_id": None,
        "eos_token_id": None,
    }
    if kind != "qwen2":
        options["head_dim"] = draw.choice([d_k, 8])
    if kind == "llama":
        options["attention_bias"] = options["mlp_bias"] = draw.random() < 0.3
    if kind == "mistral":
        options["sliding_window"] = draw.choice([None, 1, 2, 4, 100])
    if kind.startswith("qwen"):
        options["use_sliding_window"] = draw.random() < 0.6
        options["sliding_window"] = draw.choice([1, 3, 5])
        options["max_window_layers"] = draw.choice([0, 9])
    return options


def write(folder, kind, shards=None, **options):
    """Write a model whose every number is drawn; give it as transformers reads it.

    It computes in float64, with norms and angles that do not go through float32.
    """
    package = transformers()
    config = getattr(package, f"{CLASSES[kind]}Config")(**options)
    torch.manual_seed(0)
    model = getattr(package, f"{CLASSES[kind]}ForCausalLM")(config).eval()
    with torch.no_grad():
        for p in model.parameters():
            p.add_(torch.randn_like(p) * 0.2)
    model.save_pretrained(folder, **shards or {})
    model = model.double()
    for part in model.modules():
        if type(part).__name__.endswith("RMSNorm"):
            part.forward = MethodType(exact_norm, part)
        if type(part).__name__.endswith("RotaryEmbedding"):
            part.forward = MethodType(exact_angles, part)
    return model


def exact_norm(norm, x):
    size = (x.square().mean(-1, keepdim=True) + norm.variance_epsilon).sqrt()
    return norm.weight * x / size


def exact_angles(rotary, x, position_ids):
    base, d_k = rotary.config.rope_parameters["rope_theta"], 2 * len(rotary.inv_freq)
    i = torch.arange(0, d_k, 2, dtype=torch.float64)
    angles = position_ids[..., None].double() / base ** (i / d_k)
    angles = torch.cat([angles, angles], dim=-1)
    return angles.cos(), angles.sin()


def ids(*size, seed=0):
    return torch.randint(V, size, generator=torch.Generator().manual_seed(seed))


def close(ours, theirs):
    torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-10)


def gradients(model, logits):
    """The gradients of a loss, by the sum of each and in all, and by the embedding."""
    loss = logits.sin().sum()
    found = torch.autograd.grad(loss, [*model.parameters()])
    sums = sorted(x.abs().sum().item() for x in found)
    return torch.tensor(sums, dtype=torch.float64), found[0]


ALL = [(kind, n) for kind in KINDS for n in range(COUNT)]
any_model = pytest.mark.parametrize(("kind", "n"), ALL)


@any_model
def test_a_folder_gives_what_transformers_computes(kind, n, tmp_path):
    shards = {"max_shard_size": "3KB"} if n % 5 == 0 else None
    theirs = write(tmp_path, kind, shards, **drawn(kind, n))
    ours = load_pretrained(tmp_path).double()
    assert type(ours) is DecoderOnlyTransformer
    tokens = ids(3, T)
    found, expected = ours(tokens), theirs(tokens).logits
    close(found, expected)
    count = sum(p.numel() for p in ours.parameters())
    assert count == sum(p.numel() for p in theirs.parameters())
    for mine, other in zip(
        gradients(ours, found), gradients(theirs, expected), strict=True
    ):
        close(mine, other)

    with torch.no_grad():
        lengths = torch.tensor([9, 1, 5])
        real = torch.arange(T) < lengths[:, None]
        expected = theirs(tokens, attention_mask=real.long()).logits
        close(ours(tokens, real[:, None, None])[real], expected[real])

        left = real.flip(1)
        places = (left.cumsum(1) - 1).clamp(min=0)
        told = {"attention_mask": left.long(), "position_ids": places}
        expected = theirs(tokens, **told).logits
        close(ours(tokens, left[:, None, None], places)[left], expected[left])

        with caching(ours):
            parts = [
                ours(
                    chunk,
                    left[:, None, None, :end],
                    places[:, end - chunk.size(1) : end],
                )
                for chunk, end in zip(
                    tokens.split((4, 1, 3, 1), 1), (4, 5, 8, 9), strict=True
                )
            ]
        close(torch.cat(parts, 1)[left], expected[left])


@pytest.mark.parametrize(("kind", "n"), ALL[::6])
def test_it_writes_what_transformers_writes(kind, n, tmp_path):
    theirs = write(tmp_path, kind, **drawn(kind, n))
    theirs.generation_config.use_cache = False  # its cache is wrong for a window of 1
    ours = load_pretrained(tmp_path).double()
    prompts = ids(3, 5, seed=n) % (V - 1) + 1
    prompts[1, :3] = 0
    given = {"attention_mask": (prompts > 0).long(), "do_sample": False}
    given |= {"pad_token_id": 0, "max_new_tokens": 8, "eos_token_id": None}
    told = Decoding(max_length=13, pad_id=0)
    for row in (0, 1):
        text = prompts[row : row + 1]
        said = theirs.generate(text, **given | {"attention_mask": (text > 0).long()})
        length = 13 - 3 * row
        mine = greedy(ours, text, Decoding(max_length=length, pad_id=0)).ids[0]
        assert mine.tolist() == said[0, 3 * row :].tolist()
    said = theirs.generate(
        prompts[:1], **given | {"num_beams": 3, "attention_mask": None}
    )
    found = beam_search(ours, prompts[:1], told, 3).ids[0, 0]
    assert found.tolist() == said[0].tolist()


# ── what is refused, by name ──────────────────────────────────────────────────────────
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "rope_theta": 5e5}
MIXED = ["full_attention", "sliding_attention"]


@pytest.mark.parametrize(
    ("setting", "kind", "changes"),
    [
        ("rope_scaling", "llama", {"rope_scaling": {"type": "linear", "factor": 2.0}}),
        ("rope_type of rope_parameters", "llama", {"rope_parameters": LLAMA3}),
        ("factor of rope_parameters", "qwen3", {"rope_parameters": {"factor": 2.0}}),
        (
            "partial_rotary_factor",
            "qwen2",
            {"rope_parameters": {"partial_rotary_factor": 0.5}},
        ),
        ("partial_rotary_factor", "llama", {"partial_rotary_factor": 0.5}),
        ("attention_bias", "llama", {"attention_bias": True}),
        ("attention_bias", "qwen3", {"attention_bias": True}),
        ("attention_bias", "mistral", {"attention_bias": False}),
        ("layer_types", "mistral", {"layer_types": ["full_attention"] * 2}),
        ("layer_types", "qwen2", {"layer_types": MIXED}),
        ("layer_types", "qwen3", {"layer_types": ["sliding_attention"] * 2}),
        (
            "layer_types",
            "qwen2",
            {"use_sliding_window": True, "sliding_window": 3, "max_window_layers": 1},
        ),
        ("max_window_layers", "qwen2", {"max_window_layers": "all"}),
        ("use_sliding_window", "qwen2", {"use_sliding_window": "no"}),
        ("sliding_window", "llama", {"sliding_window": 4}),
        ("window", "mistral", {"sliding_window": 0}),
        ("hidden_act", "llama", {"hidden_act": "relu2"}),
        ("num_key_value_heads", "qwen2", {"num_key_value_heads": ...}),
        ("n_kv_heads must divide", "llama", {"num_key_value_heads": 3}),
        ("head_dim", "llama", {"head_dim": 2.5}),
        ("hidden_size", "llama", {"hidden_size": ..., "head_dim": ...}),
        ("hidden_size", "mistral", {"hidden_size": "12", "head_dim": None}),
        ("q_proj.weight", "llama", {"head_dim": 6}),
        ("rotary_base", "llama", {"rope_parameters": {"rope_theta": -1.0}}),
        ("rotary_base", "llama", {"rope_parameters": None, "rope_theta": "big"}),
        ("norm_eps", "llama", {"rms_norm_eps": None}),
        ("quantization_config", "llama", {"quantization_config": {"bits": 4}}),
        ("use_qk_norm", "qwen3", {"use_qk_norm": True}),
        ("num_experts", "qwen3", {"num_experts": 8}),
        ("model_type", "llama", {"model_type": "gemma"}),
    ],
)
def test_a_setting_that_we_do_not_follow_is_refused_by_name(
    setting, kind, changes, tmp_path
):
    options = drawn(kind, 0) | {"num_hidden_layers": 2, "num_attention_heads": 2}
    options |= {"num_key_value_heads": 2, "hidden_size": 8, "head_dim": 4}
    if kind.startswith("qwen"):
        options |= {"max_window_layers": 9, "use_sliding_window": False}
    write(tmp_path, kind, **options)
    path = tmp_path / "config.json"
    told = json.loads(path.read_text())
    told.pop("layer_types", None)
    told |= changes
    path.write_text(json.dumps({k: x for k, x in told.items() if x is not ...}))
    with pytest.raises(ValueError, match=setting) as said:
        load_pretrained(tmp_path)
    assert " must " in str(said.value)
    assert ", got " in str(said.value)
    assert f"in {str(tmp_path)!r}" in str(said.value)


@pytest.mark.parametrize("kind", KINDS)
def test_what_older_files_say_is_understood(kind, tmp_path):
    options = drawn(kind, 3)
    theirs = write(tmp_path, kind, **options)
    path = tmp_path / "config.json"
    told = json.loads(path.read_text())
    told["rope_theta"] = told.pop("rope_parameters")["rope_theta"]
    told |= {"rope_scaling": None, "torch_dtype": "bfloat16", "_name_or_path": "x"}
    told |= {"pretraining_tp": 1} if kind == "llama" else {}
    told.pop("layer_types", None)
    if (
        kind != "qwen3"
        and told.get("head_dim") == told["hidden_size"] // told["num_attention_heads"]
    ):
        del told["head_dim"]
    path.write_text(json.dumps(told))
    ours = load_pretrained(tmp_path).double()
    with torch.no_grad():
        close(ours(ids(2, T)), theirs(ids(2, T)).logits)


def test_frequencies_in_a_file_are_left_out_and_other_weights_are_not(tmp_path):
    write(tmp_path, "llama", **drawn("llama", 1))
    path = tmp_path / "model.safetensors"
    tensors = load_file(path)
    at = "model.layers.0.self_attn."
    save_file(tensors | {f"{at}rotary_emb.inv_freq": torch.ones(2)}, path)
    load_pretrained(tmp_path)
    save_file(tensors | {f"{at}q_norm.weight": torch.ones(2)}, path)
    with pytest.raises(ValueError, match=r"layers.0.self_attn.q_norm.weight"):
        load_pretrained(tmp_path)
    del tensors[f"{at}v_proj.weight"]
    save_file(tensors, path)
    with pytest.raises(ValueError, match=r"must hold layers.0.self_attn.v_proj.weight"):
        load_pretrained(tmp_path)
