"""The options since 2017, drawn from their product: each model obeys the same laws."""

import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from course.models.costs import costs
from course.models.vision import VisionTransformer
from transformer_lib import (
    Decoder,
    DecoderBlock,
    DecoderOnlyTransformer,
    Decoding,
    Encoder,
    EncoderBlock,
    EncoderOnlyTransformer,
    MultiHeadAttention,
    RotaryEncoding,
    Transformer,
    TransformerConfig,
    apply_rotary,
    beam_search,
    caching,
    greedy,
    load_checkpoint,
    patch,
    record,
    save_checkpoint,
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
        d_model=n_heads * draw.choice([4, 6]) if d_k is None else draw.choice([5, 8]),
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
        x = reference.block(x, own, c.n_heads, seen, **how, **rotary)
    if c.norm_first or c.final_norm:
        norm = reference.rms_norm if c.norm == "rms" else reference.layer_norm
        x = norm(x, part(weights, "decoder.norm."), c.norm_eps)
    return x @ weights["embedding.weight" if c.tie_embeddings else "output.weight"].T


def part(weights, start):
    return {n[len(start) :]: w for n, w in weights.items() if n.startswith(start)}


# ── the laws ──────────────────────────────────────────────────────────────────────────
def logits_are_those_of_the_oracle(model):
    tokens = ids(B, T)
    pads = torch.tensor([0, 2, 4])[:, None]
    mask = (torch.arange(T) >= pads)[:, None, None]  # (B, 1, 1, T)
    positions = (torch.arange(T) - pads).clamp(min=0)  # (B, T)
    given = tokens.numpy(), mask.numpy(), positions.numpy()
    expected = torch.from_numpy(by_the_oracle(model, *given))
    close(model(tokens, mask, positions), expected)


def reading_in_chunks_with_a_cache_is_reading_at_once(model):
    tokens = ids(B, 12)
    at_once = model(tokens)
    for sizes in ((1,) * 12, (5, 1, 1, 3, 2)):
        with caching(model) as cache:
            parts = [model(chunk) for chunk in tokens.split(sizes, dim=1)]
        close(torch.cat(parts, dim=1), at_once)
        assert cache.length == 12


def a_watched_pass_and_its_gradients_are_those_of_the_kernel(model):
    config = model.config
    tokens = ids(B, T)
    found = []
    for watched in (False, True):
        if watched:
            with record(model, gradients=True) as tensors:
                logits = model(tokens)
        else:
            logits = model(tokens)
        parameters = [p for p in model.parameters() if p.requires_grad]
        loss = logits.square().sum()
        found.append([logits, *torch.autograd.grad(loss, parameters)])
    for fused, formula in zip(*found, strict=True):
        torch.testing.assert_close(fused, formula, rtol=1e-9, atol=1e-9)
    last = f"decoder.blocks.{config.n_decoder_layers - 1}"
    assert tensors[f"{last}.self_attention.weights"].shape == (B, config.n_heads, T, T)
    heads = config.n_kv_heads or config.n_heads
    assert tensors[f"{last}.self_attention.k"].size(1) == heads
    assert (f"{last}.feed_forward.gate" in tensors) == config.gated
    assert (f"{last}.self_attention.q_norm" in tensors) == config.qk_norm


def a_token_reaches_as_far_as_its_window_and_never_back(model):
    config = model.config
    tokens = ids(B, 12)
    changed = tokens.clone()
    changed[:, 4] = (changed[:, 4] + 1) % V
    same = (model(tokens) - model(changed)).abs().amax(dim=(0, 2)) < 1e-10  # (12,)
    assert same[:4].all()
    assert not same[4]
    if config.window is not None:
        reach = 4 + config.n_decoder_layers * (config.window - 1)
        assert same[reach + 1 :].all()
        assert reach > 11 or not same[reach]


def padded_prompts_with_a_cache_are_read_as_if_they_were_alone(model):
    tokens = ids(B, 10)
    pads = torch.tensor([1, 4, 0])
    columns = torch.arange(10)
    mask = (columns >= pads[:, None])[:, None, None]  # (B, 1, 1, 10)
    positions = (columns - pads[:, None]).clamp(min=0)  # (B, 10)
    parts = []
    with caching(model):
        for start, end in ((0, 5), (5, 6), (6, 9), (9, 10)):
            told = mask[..., :end], positions[:, start:end]
            parts.append(model(tokens[:, start:end], *told))
    together = torch.cat(parts, dim=1)
    for row, pad in enumerate(pads.tolist()):
        close(together[row, pad:], model(tokens[row : row + 1, pad:])[0])
    right = (columns < torch.tensor([[10], [3], [6]]))[:, None, None]
    close(model(tokens, right)[1, :3], model(tokens[1:2, :3])[0])


def every_parameter_that_can_matter_gets_a_gradient(model):
    config = model.config
    model(ids(B, 10)).sin().sum().backward()
    attends = config.window != 1  # or else each token attends to itself alone
    moves = config.positions == "rotary" or config.qk_norm
    for name, p in model.named_parameters():
        compares = any(part in name for part in ("W_Q", "W_K", "q_norm", "k_norm"))
        blind = name.endswith("W_K.bias") and not moves
        largest = p.grad.abs().max().item()
        assert (largest > 1e-10) == (not compares or (attends and not blind)), name


def costs_are_what_a_running_model_counts(model):
    config = model.config
    tokens = ids(1, 16)
    for ends in ((0, 16), (0, 9, 10)):  # a whole text; a prompt, and one more token
        with torch.inference_mode(), caching(model):
            for start, end in pairwise(ends):
                counter = FlopCounterMode(display=False)
                with record(model) as tensors, counter:
                    model(tokens[:, start:end])
                counted = costs(config, end - start, past=start, bytes_per_number=8)
                assert counted.flops == counter.get_total_flops(), (start, end)
    assert counted.parameters == sum(p.numel() for p in model.parameters())
    # Of a single token, the last keys are all that the next one needs.
    kept = [tensors[n] for n in tensors if n.endswith(("attention.k", ".v"))]
    assert counted.cache_bytes == sum(x.nbytes for x in kept)


def rotary_positions_tell_distances_alone(model):
    config = model.config
    if config.positions != "rotary":
        return
    tokens = ids(B, T)
    here = model(tokens)
    close(model(tokens, positions=torch.arange(T) + 9), here)
    far = torch.arange(T) * 2
    same = config.window == 1 or torch.allclose(model(tokens, positions=far), here)
    assert same == (config.window == 1)


def greedy_and_beams_find_the_same_with_a_cache_and_without(model):
    prompts = ids(B, 4) % (V - 1) + 1
    prompts[1, :2] = 0  # padding on the left
    fast = Decoding(max_length=14, end_id=2, pad_id=0)
    slow = replace(fast, use_cache=False)
    for search in (greedy, lambda *given: beam_search(*given, beams=3, n_best=2)):
        one, other = search(model, prompts, fast), search(model, prompts, slow)
        assert one.ids.equal(other.ids)
        torch.testing.assert_close(one.scores, other.scores, rtol=0, atol=1e-9)


def a_cache_holds_what_later_tokens_may_attend_to_and_no_more(model):
    config = model.config
    heads, window = config.n_kv_heads or config.n_heads, config.window or 16
    d_k = config.d_k or config.d_model // config.n_heads
    with torch.inference_mode(), caching(model) as cache, record(model) as tensors:
        for chunk in ids(B, 16).split((5, *[1] * 11), dim=1):
            model(chunk)
    for name, kept in cache.items():
        shape = (B, heads, min(16, window), d_k)
        assert tensors[f"{name}.k"].shape == tensors[f"{name}.v"].shape == shape
        assert kept.k.size(2) <= 2 * max(window, 5)
        assert kept.length == 16


def a_pass_that_fails_inside_a_window_is_forgotten(model):
    tokens = ids(B, 12)

    def fail(x):
        raise RuntimeError("half way")

    with caching(model) as cache:
        for start in range(12):
            with pytest.raises(RuntimeError), patch(model, {"logits": fail}):
                model(tokens[:, start : start + 1])
            assert cache.length == start
            found = model(tokens[:, start : start + 1])
    close(found, model(tokens)[:, -1:])


def a_patch_of_every_tensor_by_itself_changes_nothing(model):
    config = model.config
    tokens = ids(B, T)
    with record(model) as tensors:
        expected = model(tokens)
    with patch(model, {name: lambda x: x for name in tensors}):
        close(model(tokens), expected)
    name = "decoder.blocks.0.self_attention.v"
    with patch(model, {(name, 0): torch.zeros_like}), record(model) as changed:
        model(tokens)
    group = config.n_heads // (config.n_kv_heads or config.n_heads)
    heads = changed["decoder.blocks.0.self_attention.heads"]
    assert not heads[:, :group].any()
    assert heads[:, group:].any() == (group < config.n_heads)


LAWS = (
    logits_are_those_of_the_oracle,
    reading_in_chunks_with_a_cache_is_reading_at_once,
    a_watched_pass_and_its_gradients_are_those_of_the_kernel,
    a_token_reaches_as_far_as_its_window_and_never_back,
    padded_prompts_with_a_cache_are_read_as_if_they_were_alone,
    rotary_positions_tell_distances_alone,
    costs_are_what_a_running_model_counts,
    every_parameter_that_can_matter_gets_a_gradient,
)
SLOWER_LAWS = (
    greedy_and_beams_find_the_same_with_a_cache_and_without,
    a_cache_holds_what_later_tokens_may_attend_to_and_no_more,
    a_pass_that_fails_inside_a_window_is_forgotten,
    a_patch_of_every_tensor_by_itself_changes_nothing,
)


@pytest.mark.parametrize("seed", range(COUNT))
def test_a_model_obeys_every_law(seed):
    """One model is built for all laws; the error says which of them it breaks."""
    model, broken = build(CONFIGS[seed]), {}
    for law in LAWS if seed % 5 else LAWS + SLOWER_LAWS:
        try:
            law(model)
        except (Exception, pytest.fail.Exception) as error:
            broken[law.__name__] = error
    for error in broken.values():
        error.add_note(f"{model.config} breaks: {', '.join(broken)}")
        raise error


# ── what else takes the options ───────────────────────────────────────────────────────
@some_configs
@pytest.mark.parametrize("kind", [Transformer, EncoderOnlyTransformer])
def test_encoders_take_the_options_too(config, kind):
    if kind is EncoderOnlyTransformer:
        config = replace(config, window=None)
    model, tokens = build(config, kind), ids(B, T)
    call = (lambda x: model(x, x)) if kind is Transformer else model
    whole = call(tokens)
    with record(model):
        close(call(tokens), whole)
    if kind is Transformer:
        with caching(model):
            memory = model.encode(tokens)
            parts = [model.decode(x, memory) for x in tokens.split((3, 1, 3), dim=1)]
        close(torch.cat(parts, dim=1), whole)
        return
    padded = torch.cat([ids(B, 3, seed=5), tokens], dim=1)
    mask = (torch.arange(T + 3) >= 3)[None, None, None]
    told = (torch.arange(T + 3) - 3).clamp(min=0)
    close(model(padded, mask, told)[:, 3:], whole)


@some_configs
def test_a_file_holds_every_option(config, tmp_path):
    model = build(config)
    save_checkpoint(model, tmp_path / "m")
    found, _ = load_checkpoint(tmp_path / "m")
    assert found.config == config
    assert found(ids(B, T)).equal(model(ids(B, T)))


@pytest.mark.parametrize("config", CONFIGS[::10], ids=range(0, COUNT, 10))
def test_a_pass_looks_at_no_number(config):
    """So a GPU need not wait for it, and it can be captured as a graph."""
    with torch.device("meta"):
        model = DecoderOnlyTransformer(replace(config, dropout=0.1))
        tokens = torch.zeros(B, T, dtype=torch.int64)
    model(tokens).sum().backward()
    assert all(p.grad.is_meta for p in model.parameters())


@pytest.mark.filterwarnings("ignore:Guards may run slower:RuntimeWarning")  # 3.13.0
@pytest.mark.parametrize("config", CONFIGS[::25], ids=range(0, COUNT, 25))
def test_a_model_compiles_in_one_graph(config):
    torch.compiler.reset()  # torch counts how often it compiled, here or elsewhere
    model, tokens = build(config), ids(B, T)
    compiled = torch.compile(model, fullgraph=True, backend="eager")
    close(compiled(tokens), model(tokens))


@pytest.mark.parametrize("config", CONFIGS[::10], ids=range(0, COUNT, 10))
@pytest.mark.parametrize("watched", [True, False])
def test_a_pass_in_mixed_precision_comes_close(config, watched):
    model, tokens = build(config).float(), ids(B, T)
    exact = model(tokens)
    with torch.autocast("cpu", torch.bfloat16):
        if watched:
            with record(model):
                logits = model(tokens)
        else:
            logits = model(tokens)
    logits.float().sum().backward()
    error = (logits.float() - exact).abs().max() / exact.abs().max()
    assert error < 0.1
    assert all(p.grad.isfinite().all() for p in model.parameters())


# ── what each option means ────────────────────────────────────────────────────────────
ROTARY = [c for c in CONFIGS if c.positions == "rotary"]
any_rotary = pytest.mark.parametrize("config", ROTARY[::2], ids=range(len(ROTARY[::2])))


@any_rotary
def test_neighbors_are_halves_in_another_order(config):
    """Real files hold weights in one order, and the paper's formula has another."""
    model = build(replace(config, rotary_pairs="neighbors"))
    other = build(replace(config, rotary_pairs="halves"))
    d_k = model.decoder.blocks[0].self_attention.d_k
    order = torch.arange(d_k).view(-1, 2).T.flatten()  # 0, 2, 4 … 1, 3, 5 …
    weights = {}
    for name, w in model.state_dict().items():
        if "W_Q" in name or "W_K" in name:
            w = w.unflatten(0, (-1, d_k))[:, order].flatten(0, 1)
        if "q_norm" in name or "k_norm" in name:
            w = w[order]
        weights[name] = w
    other.load_state_dict(weights)
    close(other(ids(B, T)), model(ids(B, T)))
    if config.window != 1 and d_k > 2:
        mixed_up = build(other.config)  # with the weights of the model as they are
        assert not mixed_up(ids(B, T)).allclose(model(ids(B, T)))


def test_equal_groups_are_full_attention_with_repeated_weights():
    config = TransformerConfig(
        vocabulary_size=V,
        d_model=8,
        n_heads=4,
        n_decoder_layers=2,
        d_ff=8,
        max_length=9,
    )
    grouped, full = build(replace(config, n_kv_heads=2)), build(config)
    weights = {
        name: w.unflatten(0, (2, -1)).repeat_interleave(2, 0).flatten(0, 1)
        if "W_K" in name or "W_V" in name
        else w
        for name, w in grouped.state_dict().items()
    }
    full.load_state_dict(weights)
    close(grouped(ids(B, T)), full(ids(B, T)))


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"n_kv_heads": 3}, ValueError, "n_kv_heads must divide n_heads, got n_kv_"),
        ({"n_kv_heads": 0}, ValueError, "n_kv_heads must be at least 1, got 0"),
        ({"d_k": 0}, ValueError, "d_k must be at least 1, got 0"),
        ({"d_k": 3, "positions": "rotary"}, ValueError, "d_k must be even, .* got 3"),
        ({"d_model": 4, "positions": "rotary"}, ValueError, "d_k must be even, .* 1"),
        ({"window": 0}, ValueError, "window must be at least 1, got 0"),
        ({"window": 2.0}, TypeError, "window must be an integer, got 2.0"),
        ({"norm": "batch"}, ValueError, r"norm must be one of \['layer', 'rms'\]"),
        ({"gated": 1}, TypeError, "gated must be True or False, got 1"),
        ({"qkv_bias": 0}, TypeError, "qkv_bias must be True or False, got 0"),
        ({"rotary_base": 0.0}, ValueError, "rotary_base must be above 0 .* got 0.0"),
        ({"rotary_pairs": "none"}, ValueError, "rotary_pairs must be one of .* 'none'"),
    ],
)
def test_an_option_that_means_nothing_is_refused(options, error, says):
    with pytest.raises(error, match=says):
        TransformerConfig(**{"d_model": 8, "n_heads": 4} | options)


def test_an_encoder_alone_has_no_window():
    config = TransformerConfig(d_model=8, n_heads=2, window=3)
    for build in (EncoderOnlyTransformer, lambda c: VisionTransformer(c, 1, 8, 4)):
        with pytest.raises(ValueError, match=r"^config must have no window, .* got 3"):
            build(config)


@some_configs
def test_pictures_are_read_with_every_option(config):
    torch.manual_seed(0)
    model = VisionTransformer(replace(config, window=None), 1, 8, 4).double().eval()
    pictures = torch.rand(2, 1, 8, 8, dtype=torch.float64)
    with record(model):
        watched = model(pictures)
    close(model(pictures), watched)


def test_odd_features_have_no_pairs():
    odd = [
        lambda: RotaryEncoding(4, 3),
        lambda: MultiHeadAttention(6, 2, rotary_pairs="halves"),
        lambda: MultiHeadAttention(6, 2, d_k=5, rotary_pairs="neighbors"),
    ]
    for build in odd:
        with pytest.raises(ValueError, match=r"^d_k must be even, .*, got [35]$"):
            build()
    assert MultiHeadAttention(6, 2).d_k == 3


def test_rotary_positions_without_a_rotation_are_refused():
    block = DecoderOnlyTransformer(ROTARY[0]).decoder.blocks[0]
    x = torch.zeros(1, 3, ROTARY[0].d_model)
    with pytest.raises(ValueError, match=r"^rotation must be given .* got None"):
        block(x)


SMALL = TransformerConfig(d_model=8, n_heads=2, d_ff=4, positions="rotary")


@pytest.mark.parametrize(
    ("rotation", "error", "says"),
    [
        (torch.ones(3, 4), TypeError, "a pair of tensors, cosines and sines, got tens"),
        ((torch.ones(3, 4), 0), TypeError, "floating-point tensor, got int"),
        ((torch.ones(3, 4).int(),) * 2, TypeError, "floating-point .* got torch.int32"),
        ((torch.ones(4),) * 2, ValueError, r" = \(1, 2, 3, 4\), got \(4,\)"),
        ((torch.ones(1, 4),) * 2, ValueError, r" = \(1, 2, 3, 4\), got \(1, 4\)"),
        ((torch.ones(2, 1, 3, 4),) * 2, ValueError, r"got \(2, 1, 3, 4\)"),
    ],
)
def test_a_rotation_of_other_vectors_is_refused(rotation, error, says):
    x = torch.zeros(1, 3, 8)
    attention = MultiHeadAttention(8, 2, rotary_pairs="halves")
    calls = [
        lambda: attention(x, x, None, rotation),
        lambda: EncoderBlock(SMALL)(x, None, rotation),
        lambda: DecoderBlock(SMALL)(x, x, None, None, rotation),
        lambda: apply_rotary(torch.zeros(1, 2, 3, 4), rotation, "halves"),
    ]
    for call in calls:
        with pytest.raises(error, match=f"^rotation must .*{says}"):
            call()


def test_rotary_turns_pairs_of_features_in_a_known_order():
    x, rotation = torch.zeros(1, 2, 3, 4), (torch.ones(3, 4), torch.zeros(3, 4))
    with pytest.raises(ValueError, match=r"^rotary_pairs must be one of .* 'halfs'$"):
        apply_rotary(x, rotation, "halfs")
    with pytest.raises(
        ValueError, match=r"^x must have an even .* got \(1, 2, 3, 3\)$"
    ):
        apply_rotary(x[..., :3], rotation, "halves")
    with pytest.raises(TypeError, match=r"^x must be a floating-point tensor, got "):
        apply_rotary(x.int(), rotation, "halves")


def test_positions_of_other_vectors_are_refused_by_a_stack():
    x = torch.zeros(2, 3, 8)
    calls = [
        lambda at: Encoder(SMALL)(x, positions=at),
        lambda at: Decoder(SMALL)(x, x, positions=at),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"^positions .* \(2, 3\), got \(4,\)$"):
            call(torch.arange(4))
        with pytest.raises(
            TypeError, match=r"^positions must hold int64 or int32, got"
        ):
            call(torch.ones(3))


def test_positions_beyond_the_longest_text_are_refused():
    model = DecoderOnlyTransformer(ROTARY[0])
    with pytest.raises(IndexError, match="positions must lie between 0 and 15, got"):
        model(ids(1, 2), positions=torch.tensor([15, 16]))


# ── what it costs ─────────────────────────────────────────────────────────────────────
def test_costs_of_real_models_are_those_that_are_published():
    gpt2 = TransformerConfig(
        vocabulary_size=50257,
        d_model=768,
        n_heads=12,
        n_decoder_layers=12,
        d_ff=3072,
        max_length=1024,
        positions="learned",
        norm_first=True,
    )
    assert costs(gpt2, 1).parameters == 124_439_808
    llama = TransformerConfig(
        vocabulary_size=128_256,
        d_model=4096,
        n_heads=32,
        n_kv_heads=8,
        n_decoder_layers=32,
        d_ff=14_336,
        max_length=8192,
        positions="rotary",
        activation="silu",
        norm="rms",
        gated=True,
        bias=False,
        norm_first=True,
        tie_embeddings=False,
    )
    found = costs(llama, 8192, bytes_per_number=2)
    assert found.parameters == 8_030_261_248
    assert found.cache_bytes == 2**30  # 1 GiB for its 8,192 tokens
    assert costs(replace(llama, n_kv_heads=32), 8192).cache_bytes == 2**33


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        ((CONFIGS[0], 0), ValueError, "length must be at least 1, got 0"),
        ((CONFIGS[0], 1, -1), ValueError, "past must be at least 0, got -1"),
        (
            (CONFIGS[0], 1, 0, 0.5),
            TypeError,
            "bytes_per_number must be an integer, got",
        ),
        (("llama", 1), TypeError, "config must be a TransformerConfig, got str"),
    ],
)
def test_costs_of_nothing_are_refused(given, error, says):
    with pytest.raises(error, match=says):
        costs(*given)
