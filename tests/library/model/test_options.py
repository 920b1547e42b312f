"""The options since 2017, drawn from their product: each model obeys the same laws."""

import random

import numpy as np
import pytest
import torch

from transformer_lib import (
    DecoderOnlyTransformer,
    TransformerConfig,
    caching,
)
from transformer_lib.oracles import numpy_reference as reference

B, T, V = 3, 7, 11
COUNT = 200


def drawn(seed):
    """Draw a small configuration from the product of all options."""
    draw = random.Random(seed)
    n_heads = draw.choice([1, 2, 4, 6])
    d_k = draw.choice([None, 2, 4, 6])
    shares = [n for n in (1, 2, 3, 4, 6) if n_heads % n == 0]
    return TransformerConfig(
        vocabulary_size=V,
        d_model=n_heads * draw.choice([2, 4]) if d_k is None else draw.choice([5, 8]),
        n_heads=n_heads,
        n_encoder_layers=1,
        n_decoder_layers=draw.choice([1, 2]),
        d_ff=draw.choice([3, 10]),
        dropout=0.0,
        max_length=16,
        positions=draw.choice(["sinusoidal", "learned", "none", *["rotary"] * 3]),
        activation=draw.choice(["relu", "gelu", "gelu_tanh", "silu"]),
        norm_first=draw.random() < 0.5,
        final_norm=draw.random() < 0.5,
        tie_embeddings=draw.random() < 0.5,
        bias=draw.random() < 0.5,
        norm_eps=draw.choice([1e-5, 0.1]),
        scale_embeddings=draw.random() < 0.5,
        d_k=d_k,
        n_kv_heads=draw.choice([None, *shares]),
        norm=draw.choice(["layer", "rms"]),
        gated=draw.random() < 0.5,
        rotary_base=draw.choice([10.0, 10_000.0]),
        rotary_pairs=draw.choice(["neighbors", "halves"]),
        window=draw.choice([None, None, 1, 2, 3, 5, 20]),
        qk_norm=draw.random() < 0.4,
        qkv_bias=draw.choice([None, True, False]),
    )


CONFIGS = [drawn(seed) for seed in range(COUNT)]
any_config = pytest.mark.parametrize("config", CONFIGS, ids=range(COUNT))
some_configs = pytest.mark.parametrize("config", CONFIGS[::5], ids=range(0, COUNT, 5))


def build(config, kind=DecoderOnlyTransformer):
    """Make a model whose every number is drawn: biases, norms and all."""
    torch.manual_seed(0)
    model = kind(config).double().eval()
    with torch.no_grad():
        for p in model.parameters():
            p.add_(torch.randn_like(p) * 0.3)
    return model


def ids(*size, seed=0):
    return torch.randint(V, size, generator=torch.Generator().manual_seed(seed))


def close(ours, theirs):
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-10)


def by_the_oracle(model, tokens, mask, positions):
    """Compute the logits of a decoder-only model in NumPy, block by block."""
    c = model.config
    weights = {name: w.numpy() for name, w in model.state_dict().items()}
    x = weights["embedding.weight"][tokens]
    x = x * np.sqrt(c.d_model) if c.scale_embeddings else x
    rotary = {}
    if c.positions == "rotary":
        rotary = {"base": c.rotary_base, "pairs": c.rotary_pairs}
        rotary["positions"] = positions
    elif c.positions != "none":
        table = weights.get("positions.table")
        if table is None:
            table = reference.sinusoidal_encoding(c.max_length, c.d_model)
        x = x + table[positions]
    seen = mask & reference.causal_mask(tokens.shape[1], c.window)
    how = {"norm_first": c.norm_first, "activation": c.activation}
    how |= {"norm": c.norm, "eps": c.norm_eps}
    for n in range(c.n_decoder_layers):
        own = part(weights, f"decoder.blocks.{n}.")
        x = reference.encoder_block(x, own, c.n_heads, seen, **how, **rotary)
    if c.norm_first or c.final_norm:
        norm = reference.rms_norm if c.norm == "rms" else reference.layer_norm
        x = norm(x, part(weights, "decoder.norm."), c.norm_eps)
    return x @ weights["embedding.weight" if c.tie_embeddings else "output.weight"].T


def part(weights, start):
    return {n[len(start) :]: w for n, w in weights.items() if n.startswith(start)}


@any_config
def test_logits_are_those_of_the_oracle(config):
    model, tokens = build(config), ids(B, T)
    pads = torch.tensor([0, 2, 4])[:, None]
    mask = (torch.arange(T) >= pads)[:, None, None]  # (B, 1, 1, T)
    positions = (torch.arange(T) - pads).clamp(min=0)  # (B, T)
    given = tokens.numpy(), mask.numpy(), positions.numpy()
    expected = torch.from_numpy(by_the_oracle(model, *given))
    close(model(tokens, mask, positions), expected)


@any_config
def test_reading_in_chunks_with_a_cache_is_reading_at_once(config):
    model, tokens = build(config), ids(B, 12)
    for sizes in ((1,) * 12, (5, 1, 1, 3, 2)):
        with caching(model) as cache:
            parts = [model(chunk) for chunk in tokens.split(sizes, dim=1)]
        close(torch.cat(parts, dim=1), model(tokens))
        assert cache.length == 12
