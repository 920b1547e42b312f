"""What can be recorded can be replaced, and what follows from it follows."""

import threading

import pytest
import torch
from small import PROMPTS, WRITERS, build, settings
from torch import nn

from transformer_lib import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    MultiHeadAttention,
    Transformer,
    caching,
    greedy,
    patch,
    record,
    scaled_dot_product_attention,
)
from transformer_lib.model.attention import masked_softmax
from transformer_lib.runtime.recording import watchers

IDS = torch.tensor([[3, 4, 9, 1, 7], [5, 6, 2, 8, 10]])
KINDS = (Transformer, EncoderOnlyTransformer, DecoderOnlyTransformer)
ATTENTION = "decoder.blocks.0.self_attention"
WEIGHTS = f"{ATTENTION}.weights"


def call(model):
    return model(IDS, IDS) if isinstance(model, Transformer) else model(IDS)


def recorded(model):
    with torch.no_grad(), record(model) as tensors:
        call(model)
    return tensors


def every_name(kind, norm_first):
    return [
        (kind, norm_first, name)
        for name in recorded(build(kind, norm_first=bool(norm_first)))
    ]


NAMES = [case for kind in KINDS for first in (0, 1) for case in every_name(kind, first)]


# ── every name ────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(("kind", "norm_first", "name"), NAMES)
def test_replaced_by_itself_nothing_changes_and_by_zeros_the_rest_follows(
    kind, norm_first, name
):
    model = build(kind, norm_first=bool(norm_first))
    before = recorded(model)
    with patch(model, {name: lambda x: x}):
        same = recorded(model)
    assert list(same) == list(before)
    assert all(same[other].equal(before[other]) for other in before)
    with patch(model, {name: torch.zeros_like}):
        after = recorded(model)
    assert not after[name].any()
    order = list(before)
    earlier = order[: order.index(name)]
    assert all(after[other].equal(before[other]) for other in earlier)
    if before[name].any():
        assert not after["output"].equal(before["output"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_tensor_put_in_the_place_is_what_goes_on(kind):
    model, other = build(kind), build(kind, seed=1)
    theirs, ours = recorded(other), recorded(model)
    for name in ours:
        with (
            torch.no_grad(),
            patch(model, {name: theirs[name]}),
            record(model) as found,
        ):
            call(model)
        assert found[name].equal(theirs[name])


def test_what_follows_is_what_the_formula_gives():
    model = build(DecoderOnlyTransformer).double()
    before = recorded(model)
    q = torch.randn_like(before[f"{ATTENTION}.q"])
    with patch(model, {f"{ATTENTION}.q": q}):
        after = recorded(model)
    k, v = before[f"{ATTENTION}.k"], before[f"{ATTENTION}.v"]
    mask = torch.ones(5, 5).bool().tril()
    heads, weights = scaled_dot_product_attention(q, k, v, mask)
    torch.testing.assert_close(after[WEIGHTS], weights)
    torch.testing.assert_close(after[f"{ATTENTION}.heads"], heads)
    joined = heads.transpose(1, 2).flatten(2)
    W_O = model.decoder.blocks[0].self_attention.W_O
    torch.testing.assert_close(after[ATTENTION], W_O(joined))


# ── one head ──────────────────────────────────────────────────────────────────────────
def test_one_head_is_replaced_and_the_others_stay():
    model = build(DecoderOnlyTransformer)
    before = recorded(model)
    with patch(model, {(WEIGHTS, 1): lambda w: w.flip(-1)}):
        after = recorded(model)[WEIGHTS]
    assert after[:, 1].equal(before[WEIGHTS][:, 1].flip(-1))
    assert after[:, [0, 2]].equal(before[WEIGHTS][:, [0, 2]])


def test_a_head_that_is_removed_is_a_head_whose_rows_of_the_output_matrix_are_zeros():
    model = build(DecoderOnlyTransformer).double()
    with patch(model, {(f"{ATTENTION}.heads", 2): torch.zeros_like}):
        found = call(model)
    attention = model.decoder.blocks[0].self_attention
    with torch.no_grad():
        attention.W_O.weight[:, 2 * attention.d_k :] = 0
    torch.testing.assert_close(found, call(model), atol=1e-12, rtol=0)


def test_several_heads_and_names_are_replaced_at_once():
    model = build(DecoderOnlyTransformer)
    changes = {
        (WEIGHTS, 0): torch.zeros_like,
        (WEIGHTS, 1): torch.ones_like,
        f"{ATTENTION}.v": torch.tensor(2.0),
    }
    with patch(model, changes):
        heads = recorded(model)[f"{ATTENTION}.heads"]
    assert heads[:, 0].eq(0).all()
    assert heads[:, 1].eq(2 * 5).all()


# ── with caching and generation ───────────────────────────────────────────────────────
@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("self_attention.k", lambda x: 2 * x),
        ("self_attention.weights", lambda w: w / 2),
        ("self_attention.heads", torch.zeros_like),
        ("add_norm_1.sum", lambda x: x + 1),
        ("feed_forward.hidden", torch.zeros_like),
    ],
)
def test_a_patch_acts_under_caching_as_it_does_without(kind, part, change):
    model = build(kind).double()
    with patch(model, {f"decoder.blocks.1.{part}": change}):
        expected = call(model)
        with caching(model):
            if kind is Transformer:
                memory = model.encode(IDS)
                parts = [model.decode(x, memory) for x in IDS.split((3, 1, 1), 1)]
            else:
                parts = [model(x) for x in IDS.split((3, 1, 1), 1)]
        fast = greedy(model, PROMPTS, settings(model))
        slow = greedy(model, PROMPTS, settings(model, use_cache=False))
    torch.testing.assert_close(torch.cat(parts, 1), expected, atol=1e-10, rtol=0)
    assert fast.ids.equal(slow.ids)
    torch.testing.assert_close(fast.scores, slow.scores, atol=1e-9, rtol=0)


def test_a_function_that_works_in_place_leaves_the_cache_alone():
    model = build(DecoderOnlyTransformer)

    with caching(model) as cache:
        model(IDS)
        kept = cache[ATTENTION].filled()[0].clone()
        with patch(model, {f"{ATTENTION}.k": torch.Tensor.zero_}):
            model(IDS[:, :1])
        assert cache[ATTENTION].filled()[0][:, :, :5].equal(kept)


def test_a_patch_reaches_what_greedy_writes():
    model = build(DecoderOnlyTransformer)

    def only(token):
        return lambda logits: torch.eye(logits.size(-1))[token].expand_as(logits) * 50

    with patch(model, {"logits": only(7)}):
        found = greedy(model, PROMPTS[:1], settings(model, end_id=None))
    assert set(found.ids[0, 4:].tolist()) == {7}


# ── gradients, threads, nesting ───────────────────────────────────────────────────────
def test_gradients_go_through_a_patch():
    model = build(DecoderOnlyTransformer)
    scale = torch.ones(1, requires_grad=True)
    with patch(model, {f"{ATTENTION}.heads": lambda x: x * scale}):
        call(model).square().sum().backward()
    assert scale.grad.abs() > 0
    assert model.decoder.blocks[0].self_attention.W_V.weight.grad.abs().sum() > 0


def test_the_patch_that_was_opened_first_acts_first_and_a_recording_sees_the_last():
    model = build(DecoderOnlyTransformer)
    name = "decoder.blocks.0.add_norm_1.sum"
    with (
        record(model) as outside,
        patch(model, {name: torch.ones_like}),
        patch(model, {name: lambda x: 3 * x}),
        record(model) as inside,
    ):
        call(model)
    for tensors in (outside, inside):
        assert tensors[name].eq(3).all()


def test_an_output_is_seen_as_it_was_replaced_by_a_recording_opened_before():
    model = build(DecoderOnlyTransformer)
    with record(model) as tensors, patch(model, {ATTENTION: torch.zeros_like}):
        call(model)
    assert not tensors[ATTENTION].any()


def test_another_thread_is_not_patched():
    model, found = build(DecoderOnlyTransformer), []
    expected = call(model)
    with patch(model, {"logits": torch.zeros_like}):
        thread = threading.Thread(target=lambda: found.append(call(model)))
        thread.start()
        thread.join()
    assert found[0].equal(expected)


def test_nothing_stays_behind():
    model = build(DecoderOnlyTransformer)
    expected = call(model)
    with patch(model, {"logits": torch.zeros_like}):
        assert not call(model).any()
    with pytest.raises(IndexError), patch(model, {"logits": torch.zeros_like}):
        model(IDS + 90)
    assert call(model).equal(expected)
    assert watchers.get() == ()
    assert not nn.modules.module._global_forward_hooks


def test_a_model_inside_another_is_patched_by_its_full_name():
    outer = nn.Sequential(build(EncoderOnlyTransformer), nn.Identity())
    name = "0.encoder.blocks.0.self_attention.weights"
    with record(outer) as tensors, patch(outer, {name: torch.zeros_like}):
        outer(IDS)
    assert not tensors[name].any()


def test_a_change_may_call_the_library_and_is_seen_by_nobody():
    model = build(DecoderOnlyTransformer)
    before = recorded(model)
    scores = before[f"{ATTENTION}.scores"]

    def doubled(_):
        return masked_softmax(2 * scores, torch.ones(5, 5).bool().tril())

    with patch(model, {WEIGHTS: doubled}):
        after = recorded(model)
    assert after[WEIGHTS].equal(doubled(None))
    assert after[f"{ATTENTION}.scores"].equal(scores)
    wrong = {WEIGHTS: lambda w: scaled_dot_product_attention(w, w, w.int())[0]}
    says = r"^v must be a floating-point tensor"
    with pytest.raises(TypeError, match=says), patch(model, wrong):
        call(model)


# ── what is refused ───────────────────────────────────────────────────────────────────
def test_a_name_that_is_not_met_is_an_error_after_the_pass_that_says_the_nearest():
    model = build(DecoderOnlyTransformer)
    says = rf"'{ATTENTION}.weight' was not met in the pass; near it: \['{WEIGHTS}'"
    with patch(model, {f"{ATTENTION}.weight": torch.zeros_like}):
        with pytest.raises(KeyError, match=says):
            call(model)
        with pytest.raises(KeyError, match=says):
            call(model)  # each pass says so


def test_a_name_that_no_part_of_a_pass_met_is_an_error_at_the_end():
    model = build(Transformer)
    near = pytest.raises(KeyError, match=r"'decoder.blok' was not met")
    with near, patch(model, {"decoder.blok": torch.zeros_like}):
        model.decode(IDS, model.encode(IDS))
    changes = {"encoder": torch.zeros_like, "decoder": torch.zeros_like}
    with patch(model, changes):  # each was met in a part of the pass
        model.decode(IDS, model.encode(IDS))
    with patch(model, {"decoder.blok": torch.zeros_like}):
        pass  # no pass was made


NO = torch.zeros(3, 3)


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        ({"logits": lambda x: x[0]}, ValueError, r"^logits .* its shape \(2, 5, 11\)"),
        ({"logits": lambda x: None}, TypeError, "^logits must .* got NoneType"),
        ({"logits": lambda x: x.double()}, ValueError, "^logits must .*float64"),
        ({"logits": NO}, ValueError, r"^logits must .* broadcasts .* got \(3, 3\)"),
        ({"logits": 0.0}, TypeError, "change of 'logits' must .* got float"),
        ({3: torch.zeros_like}, TypeError, "a name to patch must .* got 3"),
        ({("logits", "a"): torch.zeros_like}, TypeError, "a name to patch must"),
        ({("logits", 0): torch.zeros_like}, ValueError, "logits must have heads"),
        ({(WEIGHTS, 3): torch.zeros_like}, IndexError, "must be from 0 to 2, got 3"),
        ({(WEIGHTS, -1): torch.zeros_like}, IndexError, "from 0 to 2, got -1"),
        ([("logits", NO)], TypeError, "changes must be a Mapping, got list"),
    ],
)
def test_what_does_not_fit_is_named(changes, error, says):
    model = build(DecoderOnlyTransformer)
    with pytest.raises(error, match=says), patch(model, changes):
        call(model)


def test_what_is_no_module_cannot_be_patched():
    says = "^model must be a torch module, got str"
    with pytest.raises(TypeError, match=says), patch("gpt", {}):
        pass


def test_an_attention_alone_can_be_patched():
    attention, x = MultiHeadAttention(6, 3), torch.randn(2, 4, 6)
    with patch(attention, {"weights": torch.zeros_like}):
        assert attention(x, x).allclose(attention.W_O.bias.expand(2, 4, 6))


@pytest.mark.filterwarnings("ignore:Using `torch.compile")  # torch says it, too
@pytest.mark.filterwarnings("ignore:Guards may run slower:RuntimeWarning")
@pytest.mark.parametrize("look", [record, lambda model: patch(model, {})])
def test_a_compiled_model_is_refused_for_it_would_not_be_watched(look):
    model = build(DecoderOnlyTransformer)
    compiled = torch.compile(model, backend="eager")
    says = "^model, to be watched, must run as it is written, got a compiled one$"
    with pytest.raises(ValueError, match=says), look(compiled):
        pass
    with torch.no_grad(), look(model), pytest.raises(ValueError, match=says):
        compiled(IDS)
    model.compile(backend="eager")
    with pytest.raises(ValueError, match=says), look(model):
        pass


def test_a_part_that_is_compiled_is_named():
    model = build(DecoderOnlyTransformer)
    model.decoder.blocks[0].compile(backend="eager")
    says = r"^decoder\.blocks\.0, to be watched, must run as it is written"
    with pytest.raises(ValueError, match=says), record(model):
        pass


def test_what_is_put_there_is_not_changed_by_who_changes_the_output():
    model = build(DecoderOnlyTransformer)
    zeros = torch.zeros(2, 5, 11)
    with torch.no_grad(), patch(model, {"logits": zeros}):
        call(model).add_(1)
    assert not zeros.any()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda: NO, "be a function of a tensor, got one of"),
        (torch.eye(3).to_sparse(), "be a dense tensor, got torch.sparse_coo"),
    ],
)
def test_what_cannot_be_put_anywhere_is_refused_by_its_place(change, says):
    model = build(DecoderOnlyTransformer)
    says = rf"the change of 'logits' must {says}"
    with pytest.raises(TypeError, match=says), patch(model, {"logits": change}):
        pass
