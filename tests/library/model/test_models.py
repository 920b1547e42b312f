"""The three models: the laws they obey, their caches, and what they refuse."""

import copy
import dataclasses
import pickle
from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from torch import nn

from transformer_lib import (
    Decoder,
    DecoderOnlyTransformer,
    Encoder,
    EncoderOnlyTransformer,
    Transformer,
    TransformerConfig,
    caching,
    record,
)
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.model.norms import LayerNorm
from transformer_lib.oracles import numpy_reference as reference

B, T, S, V = 3, 5, 6, 11
CONFIG = TransformerConfig(
    vocabulary_size=V,
    d_model=8,
    n_heads=2,
    n_encoder_layers=2,
    n_decoder_layers=2,
    d_ff=12,
    dropout=0.0,
    max_length=10,
)
KINDS = [Transformer, EncoderOnlyTransformer, DecoderOnlyTransformer]
VARIANTS = [
    {},
    {"norm_first": True, "activation": "gelu"},
    {"final_norm": True, "positions": "learned"},
    {"tie_embeddings": False, "bias": False, "activation": "gelu_tanh"},
    {"positions": "none", "d_model": 7, "n_heads": 1},
]
any_variant = pytest.mark.parametrize("options", VARIANTS, ids=str)
any_kind = pytest.mark.parametrize("kind", KINDS)


def model(kind, dtype=torch.float64, **options):
    torch.manual_seed(0)
    return kind(replace(CONFIG, **options)).to(dtype)


def ids(*size, seed=0):
    return torch.randint(V, size, generator=torch.Generator().manual_seed(seed))


def count_of(net):
    return sum(p.numel() for p in net.parameters())


def call(net, tokens):
    """Run any of the models on ids (B, T), as source and as target alike."""
    return net(tokens, tokens) if isinstance(net, Transformer) else net(tokens)


def close(a, b, atol=1e-12):
    torch.testing.assert_close(a, b, rtol=0, atol=atol)


# ── what comes out ──────────────────────────────────────────────────────────────
@any_kind
def test_every_norm_has_the_eps_that_the_configuration_says(kind):
    net = model(kind, norm_eps=0.3, norm_first=True)
    norms = [part for part in net.modules() if isinstance(part, LayerNorm)]
    assert len(norms) > 4
    assert {norm.eps for norm in norms} == {0.3}


@any_kind
def test_rows_that_are_not_scaled_are_taken_as_they_are(kind):
    net = model(kind, scale_embeddings=False, tie_embeddings=False)
    tokens = ids(B, T)
    with record(net) as tensors:
        call(net, tokens)
    rows = [x for name, x in tensors.items() if name.endswith("embedding")]
    tables = [net.embedding]
    if kind is Transformer:
        tables.append(net.target_embedding)
    for x, table in zip(rows, tables, strict=True):
        assert x.equal(table.weight[tokens])


@any_variant
@any_kind
@pytest.mark.parametrize("size", [(B, T), (1, 1), (0, 2), (2, 10)])
def test_ids_become_logits_or_hidden_states(kind, options, size):
    net = model(kind, **options)
    last = net.config.d_model if kind is EncoderOnlyTransformer else V
    assert call(net, ids(*size)).shape == (*size, last)


@any_kind
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_short_types_come_close_to_float64(kind, dtype):
    exact, short = call(model(kind), ids(B, T)), call(model(kind, dtype), ids(B, T))
    assert short.dtype == dtype
    close(short.double(), exact, atol=40 * torch.finfo(dtype).eps)


def test_the_default_is_the_base_model_of_2017():
    config = TransformerConfig()
    sizes = config.d_model, config.n_heads, config.n_encoder_layers, config.d_ff
    assert (*sizes, config.n_decoder_layers, config.dropout) == (
        512,
        8,
        6,
        2048,
        6,
        0.1,
    )
    assert not config.norm_first
    assert config.tie_embeddings
    assert config.vocabulary_size == 37_000
    with torch.device("meta"):
        count = count_of(Transformer(config))
    assert count == pytest.approx(63e6, rel=0.01)


def test_the_full_model_is_that_of_the_oracle():
    net = model(Transformer)
    source, target = ids(B, S), ids(B, T, seed=1)
    mask = padding_mask(torch.tensor([6, 2, 4]))
    weights = {name: w.numpy() for name, w in net.state_dict().items()}
    E = weights["embedding.weight"]
    waves = reference.sinusoidal_encoding(10, 8)

    def block(stack, i):
        start = f"{stack}.blocks.{i}."
        return {k[len(start) :]: w for k, w in weights.items() if k.startswith(start)}

    memory = E[source] * np.sqrt(8) + waves[:S]
    x = E[target] * np.sqrt(8) + waves[:T]
    past = reference.causal_mask(T)
    for i in range(2):
        memory = reference.block(memory, block("encoder", i), 2, mask.numpy())
    for i in range(2):
        args = (x, block("decoder", i), 2, past, memory, mask.numpy())
        x = reference.block(*args)
    ours = net(source, target, mask).detach().numpy()
    np.testing.assert_allclose(ours, x @ E.T, atol=1e-11)


def test_encode_and_decode_apart_are_the_whole():
    net = model(Transformer)
    source, target = ids(B, S), ids(B, T)
    mask = padding_mask(torch.tensor([6, 2, 4]))
    parts = net.decode(target, net.encode(source, mask), source_mask=mask)
    assert torch.equal(parts, net(source, target, mask))


@any_kind
def test_the_first_loss_is_near_that_of_a_guess(kind):
    if kind is EncoderOnlyTransformer:
        return
    logits = call(model(kind, vocabulary_size=50), ids(B, 10))
    loss = F.cross_entropy(logits.flatten(0, 1), ids(B * 10, seed=3)).item()
    assert loss == pytest.approx(np.log(50), abs=1)


# ── what may not matter ─────────────────────────────────────────────────────────
@any_variant
@pytest.mark.parametrize("kind", [Transformer, DecoderOnlyTransformer])
def test_the_future_cannot_change_the_past(kind, options):
    net = model(kind, **options)
    before = ids(B, T)
    after = before.clone()
    after[:, 3:] = (after[:, 3:] + 1) % V
    source = (ids(B, S),) if kind is Transformer else ()
    one, two = net(*source, before), net(*source, after)
    close(one[:, :3], two[:, :3])
    assert not torch.allclose(one[:, 3:], two[:, 3:])
    close(net(*source, before[:, :2]), one[:, :2])


@any_variant
def test_an_encoder_sees_both_ways(options):
    net = model(EncoderOnlyTransformer, **options)
    changed = ids(B, T)
    changed[:, -1] = (changed[:, -1] + 1) % V
    assert not torch.allclose(net(ids(B, T))[:, 0], net(changed)[:, 0])


@any_variant
@any_kind
def test_padding_on_the_right_changes_no_real_token(kind, options):
    net = model(kind, **options)
    tokens = ids(B, T)
    padded = torch.cat([tokens, ids(B, 3, seed=5)], dim=1)
    mask = padding_mask(torch.full((B,), T), length=T + 3)
    if kind is Transformer:
        close(net(padded, tokens, mask), net(tokens, tokens))
        close(net(padded, padded, mask, mask)[:, :T], net(tokens, tokens))
    else:
        close(net(padded, mask)[:, :T], net(tokens))


@any_variant
@any_kind
def test_padding_on_the_left_changes_no_real_token_when_positions_are_told(
    kind, options
):
    net = model(kind, **options)
    tokens = ids(B, T)
    padded = torch.cat([ids(B, 3, seed=5), tokens], dim=1)
    mask = (torch.arange(T + 3) >= 3).expand(B, T + 3)[:, None, None, :]
    told = (torch.arange(T + 3) - 3).clamp(min=0)
    if kind is Transformer:
        memory = net.encode(padded, mask, positions=told)
        logits = net.decode(padded, memory, mask, mask, positions=told)
        close(logits[:, 3:], net(tokens, tokens))
    else:
        close(net(padded, mask, positions=told)[:, 3:], net(tokens))
        rows = told.expand(B, -1)
        close(net(padded, mask, positions=rows)[:, 3:], net(tokens))


@any_kind
def test_a_sequence_does_not_see_its_neighbours_in_the_batch(kind):
    net = model(kind)
    tokens = ids(B, T)
    alone = torch.cat([call(net, tokens[i : i + 1]) for i in range(B)])
    close(call(net, tokens), alone)


def test_without_positions_permuted_tokens_give_permuted_states():
    order = torch.tensor([3, 0, 4, 1, 2])
    blind, seeing = (
        model(EncoderOnlyTransformer, positions=kind) for kind in ("none", "sinusoidal")
    )
    tokens = torch.arange(T)[None]
    close(blind(tokens[:, order]), blind(tokens)[:, order])
    assert not torch.allclose(seeing(tokens[:, order]), seeing(tokens)[:, order])


def test_without_positions_the_order_of_the_source_is_lost():
    net = model(Transformer, positions="none")
    order = torch.randperm(S)
    close(net(ids(B, S)[:, order], ids(B, T)), net(ids(B, S), ids(B, T)))


@any_kind
def test_ids_need_not_be_contiguous_nor_int64(kind):
    net = model(kind)
    tokens = ids(B, T)
    turned = tokens.T.contiguous().T
    assert torch.equal(call(net, turned), call(net, tokens))
    assert torch.equal(call(net, tokens.int()), call(net, tokens))


def test_a_source_of_nothing_but_padding_harms_nothing():
    net = model(Transformer)
    mask = padding_mask(torch.tensor([S, 0, 1]), length=S)
    out = net(ids(B, S), ids(B, T), mask)
    out.square().sum().backward()
    assert out.isfinite().all()
    assert all(p.grad.isfinite().all() for p in net.parameters())


# ── training ────────────────────────────────────────────────────────────────────
@any_variant
@any_kind
def test_every_parameter_gets_a_gradient(kind, options):
    net = model(kind, **options)
    call(net, ids(B, 10)).sin().sum().backward()
    for name, p in net.named_parameters():
        largest = p.grad.abs().max().item()
        if name.endswith("W_K.bias"):  # it adds the same to all scores of a row
            assert largest < 1e-9, name
        else:
            assert largest > 1e-9, name


def test_a_few_steps_of_training_lower_the_loss():
    net = model(DecoderOnlyTransformer, torch.float32)
    optimiser = torch.optim.Adam(net.parameters(), 0.01)
    losses = []
    for _ in range(20):
        logits = net(ids(B, T))[:, :-1]
        loss = F.cross_entropy(logits.flatten(0, 1), ids(B, T)[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 2


@any_kind
def test_dropout_is_for_training_and_repeats_under_a_seed(kind):
    net = model(kind, dropout=0.3)
    torch.manual_seed(1)
    first = call(net, ids(B, T))
    torch.manual_seed(1)
    assert torch.equal(call(net, ids(B, T)), first)
    assert not torch.equal(call(net, ids(B, T)), first)
    net.eval()
    close(call(net, ids(B, T)), call(model(kind), ids(B, T)))


def test_the_embeddings_are_dropped_too():
    net = model(EncoderOnlyTransformer, norm_first=True, dropout=1.0)
    assert not net(ids(B, T)).any()  # nothing enters, and nothing is added


@any_kind
def test_the_same_seed_builds_the_same_model(kind):
    one, two = model(kind).state_dict(), model(kind).state_dict()
    assert all(torch.equal(w, two[name]) for name, w in one.items())


# ── keeping and printing ────────────────────────────────────────────────────────
@any_variant
@any_kind
def test_weights_survive_a_file(kind, options, tmp_path):
    net = model(kind, **options)
    save_file(net.state_dict(), tmp_path / "weights.safetensors")
    torch.manual_seed(9)
    other = kind(net.config).double()
    assert not torch.equal(call(other, ids(B, T)), call(net, ids(B, T)))
    other.load_state_dict(load_file(tmp_path / "weights.safetensors"))
    assert torch.equal(call(other, ids(B, T)), call(net, ids(B, T)))


@any_variant
@any_kind
def test_models_copy_and_pickle(kind, options):
    net = model(kind, **options)
    expected = call(net, ids(B, T))
    for twin in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert torch.equal(call(twin, ids(B, T)), expected)
        with torch.no_grad():
            next(twin.parameters()).zero_()
    assert torch.equal(call(net, ids(B, T)), expected)


def test_tied_embeddings_are_one_matrix_and_untied_ones_three():
    tied, untied = model(Transformer), model(Transformer, tie_embeddings=False)
    assert count_of(untied) == count_of(tied) + 2 * V * 8
    short = model(DecoderOnlyTransformer)
    long = model(DecoderOnlyTransformer, tie_embeddings=False)
    assert count_of(long) == count_of(short) + V * 8


@any_kind
def test_a_model_prints_as_a_tree_that_counts(kind):
    net = model(kind)
    lines = repr(net).splitlines()
    assert lines[0] == f"{kind.__name__} · {count_of(net):,}"
    assert lines[1] == "├─ embedding: TokenEmbedding(11 → 8) · 88"
    block = "Block" if kind is DecoderOnlyTransformer else "EncoderBlock"
    assert any(f"blocks: 2 × {block}" in x or "2 × EncoderBlock" in x for x in lines)
    assert lines[-1].strip().startswith("└─ norm: LayerNorm(D = 8, ε = 1e-05) · 16")


def test_a_decoder_only_block_has_one_attention():
    net = model(DecoderOnlyTransformer, n_encoder_layers=1, n_decoder_layers=3)
    names = [name for name, _ in net.named_modules()]
    attentions = [name for name in names if name.endswith("attention")]
    assert attentions == [f"decoder.blocks.{i}.self_attention" for i in range(3)]


def test_pre_norm_ends_in_a_norm_and_post_norm_where_it_is_asked_to():
    for options, ends in (
        ({}, 0),
        ({"norm_first": True}, 1),
        ({"final_norm": True}, 1),
    ):
        config = replace(CONFIG, **options)
        assert (Encoder(config).norm is not None) == bool(ends)
        assert (Decoder(config).norm is not None) == bool(ends)


def test_a_config_cannot_be_changed_only_replaced():
    with pytest.raises(dataclasses.FrozenInstanceError):
        CONFIG.d_model = 4
    assert replace(CONFIG, d_ff=5) == replace(CONFIG, d_ff=5) != CONFIG


def test_a_bare_decoder_obeys_its_mask_alone():
    torch.manual_seed(0)
    decoder = Decoder(CONFIG).double()
    x, memory = torch.randn(B, T, 8).double(), torch.randn(B, S, 8).double()
    masked = decoder(x, memory, causal_mask(T)[None, None])
    changed = x.clone()
    changed[:, 3:] += 1
    close(masked[:, :3], decoder(changed, memory, causal_mask(T)[None, None])[:, :3])
    assert not torch.allclose(masked, decoder(x, memory))


# ── caches ──────────────────────────────────────────────────────────────────────
@any_variant
@pytest.mark.parametrize("chunks", [(1,) * T, (3, 1, 1), (2, 3)])
def test_reading_in_chunks_with_a_cache_is_reading_at_once(options, chunks):
    net, tokens = model(DecoderOnlyTransformer, **options), ids(B, T)
    with caching(net) as cache:
        parts = [net(chunk) for chunk in tokens.split(chunks, dim=1)]
    close(torch.cat(parts, dim=1), net(tokens))
    assert cache.length == T


@any_variant
@pytest.mark.parametrize("chunks", [(1,) * T, (3, 2)])
def test_writing_in_chunks_with_a_cache_is_writing_at_once(options, chunks):
    net = model(Transformer, **options)
    source, target = ids(B, S), ids(B, T)
    mask = padding_mask(torch.tensor([6, 2, 4]))
    memory = net.encode(source, mask)
    with caching(net):
        parts = [
            net.decode(chunk, memory, source_mask=mask)
            for chunk in target.split(chunks, dim=1)
        ]
    close(torch.cat(parts, dim=1), net(source, target, mask))


@any_variant
def test_a_whole_model_may_be_called_inside_a_cache_too(options):
    net, source, target = model(Transformer, **options), ids(B, S), ids(B, T)
    with caching(net):
        parts = [net(source, chunk) for chunk in target.split((2, 1, 2), dim=1)]
    close(torch.cat(parts, dim=1), net(source, target))


@any_variant
def test_prompts_of_different_lengths_share_a_cache_when_padded_on_the_left(options):
    net = model(DecoderOnlyTransformer, **options)
    tokens, lengths, prompt = ids(B, 7), torch.tensor([4, 1, 3]), 4
    pads = prompt - lengths  # (B,)
    columns = torch.arange(prompt + 3)
    mask = (columns >= pads[:, None])[:, None, None, :]  # (B, 1, 1, 7)
    positions = (columns - pads[:, None]).clamp(min=0)  # (B, 7)
    parts, start = [], 0
    with caching(net):
        for size in (prompt, 1, 2):
            end = start + size
            new, seen = tokens[:, start:end], mask[..., :end]
            parts.append(net(new, seen, positions[:, start:end]))
            start = end
    together = torch.cat(parts, dim=1)
    for row, pad in enumerate(pads.tolist()):
        close(together[row, pad:], net(tokens[row : row + 1, pad:])[0])


@any_kind
@pytest.mark.parametrize("watched", [False, True])
def test_a_model_reads_where_its_ids_lie(kind, watched):
    net, tokens = model(kind), ids(B, T)
    with torch.device("meta"):
        if watched:
            with record(net):
                output = call(net, tokens)
        else:
            output = call(net, tokens)
    assert output.device == tokens.device


def test_a_stack_that_was_emptied_still_prints():
    net = model(EncoderOnlyTransformer)
    net.encoder.blocks = nn.ModuleList()
    assert "blocks: ModuleList · 0" in repr(net)


@any_kind
@pytest.mark.parametrize("bias", [True, False])
def test_every_part_has_a_bias_or_none_has(kind, bias):
    parts = dict(model(kind, bias=bias, final_norm=True).named_modules())
    for name, part in parts.items():
        if isinstance(part, nn.Linear):
            assert (part.bias is not None) == bias, name
        if isinstance(part, LayerNorm):
            assert (part.beta is not None) == bias, name


def test_a_causal_mask_on_another_lies_where_the_queries_lie():
    net, tokens = model(DecoderOnlyTransformer), ids(B, T)
    with torch.device("meta"):
        assert net(tokens, (tokens != 0)[:, None, None]).device == tokens.device


@any_variant
@any_kind
def test_a_model_built_on_the_meta_device_and_loaded_is_the_one_that_was_saved(
    kind, options
):
    net = model(kind, **options)
    with torch.device("meta"):
        other = kind(net.config).double()
    other.to_empty(device="cpu")
    other.load_state_dict(net.state_dict())
    assert torch.equal(call(other, ids(B, T)), call(net, ids(B, T)))


@pytest.mark.parametrize("kind", ["none", "sinusoidal"])
def test_fixed_positions_are_filled_wherever_they_are_moved(kind):
    options = {"positions": kind}
    net = model(DecoderOnlyTransformer, **options)
    for part in net.modules():
        if hasattr(part, "table"):
            part.table.fill_(7.0)  # as memory that nobody has filled
    assert torch.equal(
        net.double()(ids(B, T)), model(DecoderOnlyTransformer, **options)(ids(B, T))
    )
