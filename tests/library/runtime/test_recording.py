"""Recording shows everything, changes nothing, and leaves no trace."""

import copy
import pickle
import threading

import pytest
import torch
from torch import nn

from transformer_lib import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
    TransformerConfig,
)
from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.embedding import PositionalEncoding, TokenEmbedding
from transformer_lib.model.layers import FeedForward, LayerNorm
from transformer_lib.model.masks import padding_mask
from transformer_lib.runtime.hooks import watchers
from transformer_lib.runtime.recording import record

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


def model(kind=Transformer, dtype=torch.float32):
    torch.manual_seed(0)
    return kind(CONFIG).eval().to(dtype)


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
