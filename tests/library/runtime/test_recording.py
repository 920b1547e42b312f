"""Recording shows everything, changes nothing, and leaves no trace."""

import copy
import pickle
import threading
from dataclasses import replace

import pytest
import torch
from torch import nn

from transformer_lib import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
    TransformerConfig,
)
from transformer_lib.model.attention import (
    MultiHeadAttention,
    attention_scores,
    masked_softmax,
)
from transformer_lib.model.embedding import PositionalEncoding, TokenEmbedding
from transformer_lib.model.layers import AddNorm, FeedForward
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.model.norms import LayerNorm
from transformer_lib.runtime.patching import patch
from transformer_lib.runtime.recording import Recording, record, watchers

B, T, S, D, H, V, D_FF = 2, 4, 5, 12, 3, 20, 7
CONFIG = TransformerConfig(
    vocabulary_size=V,
    d_model=D,
    n_heads=H,
    n_encoder_layers=2,
    n_decoder_layers=2,
    d_ff=D_FF,
    max_length=8,
)


def model(kind=Transformer, dtype=torch.float32, config=CONFIG):
    torch.manual_seed(0)
    return kind(config).eval().to(dtype)


def ids(length, batch=B):
    made = torch.Generator().manual_seed(length)
    return torch.randint(V, (batch, length), generator=made)


def recorded(module, *args):
    with record(module) as tensors:
        module(*args)
    return tensors


def test_every_tensor_of_the_full_model_has_its_name_and_shape():
    tensors = recorded(model(), ids(S), ids(T))
    d_k = D // H
    shapes = {
        "source.embedding": (B, S, D),
        "source.positions": (S, D),
        "source.input": (B, S, D),
        "encoder.blocks.1.self_attention.q": (B, H, S, d_k),
        "encoder.blocks.1.self_attention.weights": (B, H, S, S),
        "encoder.blocks.0.add_norm_1.sum": (B, S, D),
        "encoder.blocks.0.add_norm_1": (B, S, D),
        "encoder.blocks.0.feed_forward.hidden": (B, S, D_FF),
        "encoder.blocks.0.add_norm_2": (B, S, D),
        "encoder": (B, S, D),
        "target.input": (B, T, D),
        "decoder.blocks.0.self_attention.scores": (B, H, T, T),
        "decoder.blocks.0.cross_attention.q": (B, H, T, d_k),
        "decoder.blocks.0.cross_attention.k": (B, H, S, d_k),
        "decoder.blocks.0.cross_attention.v": (B, H, S, d_k),
        "decoder.blocks.0.cross_attention.weights": (B, H, T, S),
        "decoder.blocks.1.cross_attention.heads": (B, H, T, d_k),
        "decoder.blocks.1.cross_attention": (B, T, D),
        "decoder.blocks.1.add_norm_3": (B, T, D),
        "decoder.blocks.1": (B, T, D),
        "logits": (B, T, V),
        "output": (B, T, V),
    }
    assert {name: tuple(tensors[name].shape) for name in shapes} == shapes
    assert len(tensors) == 2 * 3 + 2 * 16 + 2 * 26 + 2 + 2
    assert not any(x.requires_grad for x in tensors.values())


def test_recorded_tensors_fit_together():
    tensors = recorded(model(), ids(S), ids(T))
    at = "decoder.blocks.1.self_attention."
    q, k, v, scores, weights, heads = (
        tensors[at + name] for name in ("q", "k", "v", "scores", "weights", "heads")
    )
    torch.testing.assert_close(scores, q @ k.mT / 2)
    torch.testing.assert_close(weights.sum(-1), torch.ones(B, H, T))
    torch.testing.assert_close(heads, weights @ v)
    assert not weights.triu(1).any()
    total = tensors["target.embedding"] + tensors["target.positions"]
    assert torch.equal(tensors["target.input"], total)
    assert torch.equal(tensors["logits"], tensors["output"])
    assert torch.equal(tensors["decoder"], tensors["decoder.blocks.1"])


@pytest.mark.parametrize(
    ("dtype", "close"), [(torch.float32, 1e-6), (torch.float64, 1e-12)]
)
@pytest.mark.parametrize("kind", [Transformer, DecoderOnlyTransformer])
def test_recording_changes_no_result(kind, dtype, close):
    watched = model(kind, dtype)
    mask = padding_mask(torch.tensor([T, 2]))
    args = (ids(T), ids(T), mask) if kind is Transformer else (ids(T), mask)
    before = watched(*args)
    after = recorded(watched, *args)["output"]
    torch.testing.assert_close(after, before, rtol=close, atol=close * 2)
    assert torch.equal(watched(*args), before)


def test_recording_changes_no_gradient():
    grads = []
    for watched in (False, True):
        net = model(DecoderOnlyTransformer, torch.float64)
        if watched:
            with record(net):
                loss = net(ids(T)).square().sum()
        else:
            loss = net(ids(T)).square().sum()
        grads.append(torch.autograd.grad(loss, list(net.parameters())))
    for a, b in zip(*grads, strict=True):
        torch.testing.assert_close(a, b)


def test_nothing_is_kept_outside_the_with():
    net = model(EncoderOnlyTransformer)
    state = set(vars(net.encoder.blocks[0].self_attention))
    with record(net) as tensors:
        assert tensors == {}
        net(ids(T))
        first = tensors["output"]
    count = len(tensors)
    net(ids(S))
    assert tensors["output"] is first
    assert len(tensors) == count
    assert watchers.get() == ()
    assert set(vars(net.encoder.blocks[0].self_attention)) == state


def test_a_second_pass_replaces_the_first():
    net = model(EncoderOnlyTransformer)
    with record(net) as tensors:
        net(ids(T))
        net(ids(S))
    assert all(x.size(-2) in (S, D) for x in tensors.values() if x.size(-1) == D)
    assert tensors["encoder.blocks.0.self_attention.weights"].shape == (B, H, S, S)


def test_an_error_inside_closes_the_recording():
    net = model(EncoderOnlyTransformer)
    with pytest.raises(IndexError), record(net):
        net(ids(T) + V)
    assert watchers.get() == ()
    assert not nn.modules.module._global_forward_hooks


def test_recordings_nest_and_each_uses_its_own_names():
    net = model()
    with record(net) as outer:
        with record(net.encoder) as inner:
            net(ids(S), ids(T))
        seen = len(inner)
        net(ids(S), ids(S))
    name = "blocks.0.self_attention.weights"
    assert torch.equal(inner[name], outer["encoder." + name])
    assert inner["output"].shape == (B, S, D)
    assert not any("cross" in name for name in inner)
    assert len(inner) == seen
    assert outer["logits"].shape == (B, S, V)


def test_another_model_is_not_recorded():
    net, other = model(EncoderOnlyTransformer), model(DecoderOnlyTransformer)
    with record(net) as tensors:
        other(ids(T))
    assert tensors == {}


def test_threads_record_only_themselves():
    net = model(EncoderOnlyTransformer)
    start = threading.Barrier(3)
    found = {}

    def work(length):
        start.wait()
        for _ in range(5):
            with record(net) as tensors:
                net(ids(length))
            found.setdefault(length, []).append(tensors["output"].size(1))

    def unwatched():
        start.wait()
        for _ in range(5):
            net(ids(2))

    threads = [threading.Thread(target=work, args=(n,)) for n in (3, 7)]
    threads.append(threading.Thread(target=unwatched))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {3: [3] * 5, 7: [7] * 5}


def test_what_another_thread_runs_is_not_heard():
    net = model(EncoderOnlyTransformer)
    with record(net) as tensors:
        thread = threading.Thread(target=net, args=(ids(T),))
        thread.start()
        thread.join()
    assert tensors == {}


def test_a_model_can_be_copied_and_pickled_while_it_is_recorded():
    net = model(EncoderOnlyTransformer)
    with record(net):
        copies = copy.deepcopy(net), pickle.loads(pickle.dumps(net))
    for twin in copies:
        assert torch.equal(twin(ids(T)), net(ids(T)))


@pytest.mark.parametrize(
    ("module", "args", "names"),
    [
        (TokenEmbedding(V, D), [ids(T)], {"output"}),
        (PositionalEncoding(8, D), [torch.arange(3)], {"output"}),
        (LayerNorm(D), [torch.randn(2, D)], {"output"}),
        (FeedForward(D, 3), [torch.randn(1, 2, D)], {"hidden", "output"}),
        (
            MultiHeadAttention(D, H),
            [torch.randn(1, 2, D), torch.randn(1, 3, D)],
            {"q", "k", "v", "scores", "weights", "heads", "output"},
        ),
        (
            nn.Sequential(nn.Linear(D, D), LayerNorm(D)),
            [torch.randn(2, D)],
            {"1", "output"},
        ),
    ],
)
def test_any_module_can_be_recorded(module, args, names):
    assert set(recorded(module, *args)) == names


def test_a_recording_prints_its_names_and_shapes_and_helps_with_a_wrong_name():
    tensors = recorded(FeedForward(D, 3), torch.randn(1, 2, D))
    assert repr(tensors) == "hidden  (1, 2, 3)\noutput  (1, 2, 12)"
    with pytest.raises(
        KeyError, match=r"'hiden' was not recorded; near it: \['hidden'\]"
    ):
        tensors["hiden"]


def test_what_is_no_module_cannot_be_recorded():
    with (
        pytest.raises(TypeError, match="model must be a torch module, got str"),
        record("x"),
    ):
        pass


def test_recordings_closed_out_of_order_leave_no_watcher():
    layer = LayerNorm(D)
    first, second = record(layer), record(layer)
    first.__enter__()
    tensors = second.__enter__()
    first.__exit__(None, None, None)
    layer(torch.randn(2, D))
    assert "output" in tensors  # the second goes on
    second.__exit__(None, None, None)
    assert watchers.get() == ()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_recording_changes_no_result_of_a_half_type(dtype):
    torch.manual_seed(0)
    norm, attend = LayerNorm(8).to(dtype), MultiHeadAttention(8, 2).to(dtype)
    x = (torch.randn(2, 3, 8) * 400).to(dtype)
    for module, args in ((norm, (x,)), (attend, (x, x))):
        expected = module(*args)
        with record(module):
            seen = module(*args)
        assert seen.isfinite().all()
        torch.testing.assert_close(seen, expected)


def test_the_logits_of_a_decoder_only_model_are_recorded_by_name():
    net = model(DecoderOnlyTransformer)
    with record(net) as tensors:
        output = net(ids(T))
    assert tensors["logits"].equal(output)


def names_of(tensors, x):
    return [name for name, other in tensors.items() if other is x]


@pytest.mark.parametrize("gradients", [False, True])
@pytest.mark.parametrize("norm_first", [False, True])
def test_every_step_can_be_computed_again_from_its_inputs(norm_first, gradients):
    net = model(config=replace(CONFIG, norm_first=norm_first))
    source, target = ids(S), ids(T)
    with record(net, gradients=gradients) as tensors:
        net(source, target, padding_mask(torch.tensor([S, 2])))
    compute = {
        "scores": attention_scores,
        "weights": masked_softmax,
        "heads": torch.matmul,
        "sum": torch.add,
        "input": torch.add,
        "logits": net.embedding.logits,
        "embedding": net.embedding,
        "positions": net.positions,
    }
    parts = dict(net.named_modules()) | {"output": net}
    for name in tensors:
        path, _, step = name.rpartition(".")
        inputs = tensors.inputs[name]
        if step in ("q", "k", "v"):
            attention = parts[path]
            query, memory = inputs[:2]
            found = dict(
                zip("kv", attention.keys_and_values(memory), strict=True),
                q=attention._split(attention.W_Q(query)),
            )[step]
        elif step == "hidden":
            found = parts[path].W_1(*inputs).relu()
        elif isinstance(parts.get(name), AddNorm):
            assert names_of(tensors, tensors[name])[0].endswith(
                ("norm", "sum") if norm_first else "norm"
            )
            continue
        else:
            found = compute.get(step, parts.get(name))(*inputs)
        torch.testing.assert_close(found, tensors[name])


@pytest.mark.parametrize("norm_first", [False, True])
def test_the_wiring_of_a_model_can_be_followed_from_the_logits_to_the_ids(norm_first):
    net = model(config=replace(CONFIG, norm_first=norm_first))
    source, target = ids(S), ids(T)
    tensors = recorded(net, source, target)

    def before(name, n=0):
        return names_of(tensors, tensors.inputs[name][n])

    at = "decoder.blocks.1."
    assert before("logits")[-1] == "decoder"
    assert before(f"{at}cross_attention.k", 1)[-1] == "encoder"
    around = at + ("add_norm_1" if norm_first else "add_norm_1.norm")
    assert around in before(f"{at}add_norm_2.sum")
    assert before(f"{at}add_norm_2.sum", 1) == [f"{at}cross_attention"]
    query = "add_norm_2.norm" if norm_first else "add_norm_1"
    assert before(f"{at}cross_attention.q")[-1] == at + query
    assert before("decoder.blocks.1")[-1] == "decoder.blocks.0"
    assert before("decoder.blocks.0") == ["target.input"]
    assert before("target.embedding") == []
    assert torch.equal(tensors.inputs["target.embedding"][0], target)


def test_the_mask_that_a_softmax_has_used_is_recorded():
    net = model()
    real = padding_mask(torch.tensor([S, 2]))
    tensors = recorded(net, ids(S), ids(T), real)
    mask = tensors.mask("encoder.blocks.1.self_attention.weights")
    assert torch.equal(mask, real.expand(B, H, S, S))
    mask = tensors.mask("decoder.blocks.0.cross_attention.weights")
    assert torch.equal(mask, real.expand(B, H, T, S))
    mask = tensors.mask("decoder.blocks.0.self_attention.weights")
    assert torch.equal(mask, causal_mask(T).expand(B, H, T, T))


def test_a_single_token_needs_no_mask():
    tensors = recorded(model(DecoderOnlyTransformer), ids(1))
    assert tensors.mask("decoder.blocks.0.self_attention.weights") is None


def test_weights_that_are_zero_for_their_scores_are_not_taken_for_masked_ones():
    net = model(EncoderOnlyTransformer)
    with torch.no_grad():
        net.encoder.blocks[0].self_attention.W_Q.weight.mul_(1e6)
    tensors = recorded(net, ids(T))
    name = "encoder.blocks.0.self_attention.weights"
    assert (tensors[name] == 0).any()
    assert tensors.mask(name) is None


def test_only_attention_weights_have_a_mask():
    tensors = recorded(model(EncoderOnlyTransformer), ids(T))
    with pytest.raises(ValueError, match="name must be that of attention weights"):
        tensors.mask("encoder.blocks.0.self_attention.scores")
    with pytest.raises(KeyError, match="was not recorded; near it"):
        tensors.mask("encoder.blocks.0.self_attention.weight")


def test_what_follows_a_patch_has_the_replacement_as_its_input():
    net = model(EncoderOnlyTransformer)
    name = "encoder.blocks.0.self_attention"
    with patch(net, {name: torch.zeros_like}):
        tensors = recorded(net, ids(T))
    _, added = tensors.inputs["encoder.blocks.0.add_norm_1.sum"]
    assert added is tensors[name]
    assert not added.any()


def test_the_input_of_a_network_is_recorded_when_passed_by_keyword():
    network, x = FeedForward(D, 3), torch.randn(1, 2, D)
    with record(network) as tensors:
        network(x=x)
    assert tensors.inputs["hidden"][0].equal(x)


def test_torch_has_no_hook_left_after_a_recording():
    recorded(FeedForward(D, 3), torch.randn(1, 2, D))
    assert not nn.modules.module._has_any_global_hook()


def test_what_a_recording_is_copied_to_has_its_inputs():
    tensors = recorded(FeedForward(D, 3), torch.randn(1, 2, D))
    again = Recording(tensors)
    assert again == tensors
    assert again.inputs == tensors.inputs
    assert Recording({"x": torch.zeros(1)}).inputs == {}


@pytest.mark.parametrize("length", [1, 2, 5, 8])
@pytest.mark.parametrize(
    "kind", [EncoderOnlyTransformer, DecoderOnlyTransformer, Transformer]
)
def test_a_weight_that_is_nan_shows_in_the_same_outputs_recorded_or_not(kind, length):
    real = padding_mask(torch.tensor([length, 1]), length=length)
    masks = [None, real] if length > 1 else [None]
    net = model(kind)
    for name, weight in net.named_parameters():
        with torch.no_grad():
            numbers = weight.view(-1)
            number = numbers[0].clone()
            numbers[0] = torch.nan
            for mask in masks:
                args = (ids(length), ids(T), mask)
                args = args if kind is Transformer else args[::2]
                unwatched = net(*args)
                watched = recorded(net, *args)["output"]
                assert torch.equal(unwatched.isnan(), watched.isnan()), name
            numbers[0] = number
    assert not net(*args).isnan().any()
