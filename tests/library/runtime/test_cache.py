"""The cache: around any model, for one thread, and gone without a trace."""

import copy
import pickle
import threading

import pytest
import torch
from small import PAD, PROMPTS, RAGGED, WRITERS, build, settings
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
)
from transformer_lib.runtime.caching import KVCache, caches

IDS = torch.tensor([[3, 4, 9, 1, 7], [5, 6, 2, 8, 10]])


class Shifted(nn.Module):
    """A wrapper around a projection that gives more than the projection does."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x) + x.sin()


class Mean(nn.Module):
    """An attention of a reader's own: every token takes the mean of its past."""

    def forward(self, query, memory, mask=None):
        total = memory.cumsum(dim=1)
        return total / torch.arange(1, memory.size(1) + 1)[:, None]


def network(model):
    model.decoder.blocks[0].feed_forward = nn.Linear(12, 12).to(torch.float64)


def projection(name):
    def exchange(model):
        attention = model.decoder.blocks[1].self_attention
        setattr(attention, name, Shifted(getattr(attention, name)))

    return exchange


def cross_projection(model):
    if isinstance(model, Transformer):
        attention = model.decoder.blocks[0].cross_attention
        attention.W_V = Shifted(attention.W_V)


def patched(model):
    part = model.decoder.blocks[0].feed_forward
    forward = part.forward
    part.forward = lambda x: 2 * forward(x)


def no_bias(model):
    model.decoder.blocks[0].self_attention.W_K.bias = None


def norm(model):
    model.decoder.blocks[1].add_norm_1.norm = nn.Identity()


EXCHANGES = {
    "network": network,
    "query": projection("W_Q"),
    "key": projection("W_K"),
    "value": projection("W_V"),
    "output": projection("W_O"),
    "memory's value": cross_projection,
    "patched network": patched,
    "no bias": no_bias,
    "norm": norm,
}


def passes(model, chunks):
    """Read IDS in chunks, inside a cache: logits (B, T, V)."""
    with caching(model):
        if isinstance(model, Transformer):
            memory = model.encode(IDS)
            return torch.cat([model.decode(x, memory) for x in chunks], dim=1)
        return torch.cat([model(x) for x in chunks], dim=1)


def whole(model):
    return model(IDS, IDS) if isinstance(model, Transformer) else model(IDS)


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("name", EXCHANGES)
def test_a_cache_works_around_parts_that_were_exchanged_or_patched(kind, name):
    model = build(kind).double()
    before = whole(model)
    EXCHANGES[name](model)
    after = whole(model)
    same = name == "memory's value" and kind is DecoderOnlyTransformer
    assert before.equal(after) == (same or name == "no bias")
    for sizes in ((1,) * 5, (3, 2)):
        found = passes(model, IDS.split(sizes, dim=1))
        torch.testing.assert_close(found, after, atol=1e-10, rtol=0)


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("name", [*EXCHANGES, "attention", "patched attention"])
def test_a_forward_that_works_is_a_forward_that_generates(kind, name):
    model = build(kind).double()
    block = model.decoder.blocks[0]
    if name == "attention":
        block.self_attention = Mean()
    elif name == "patched attention":
        block.self_attention.forward = Mean().forward
    else:
        EXCHANGES[name](model)
    fast = greedy(model, PROMPTS, settings(model))
    slow = greedy(model, PROMPTS, settings(model, use_cache=False))
    assert fast.ids.equal(slow.ids)
    torch.testing.assert_close(fast.scores, slow.scores, atol=1e-9, rtol=0)


def test_an_attention_that_keeps_no_past_is_named_when_one_is_needed():
    model = build(DecoderOnlyTransformer)
    model.decoder.blocks[1].self_attention = Mean()
    with caching(model):
        model(IDS)
        says = r"got none for \['decoder.blocks.1'\]"
        with pytest.raises(ValueError, match=says):
            model(IDS)


def test_a_block_that_is_new_since_the_cache_was_opened_has_no_past():
    model, other = build(DecoderOnlyTransformer), build(DecoderOnlyTransformer, seed=1)
    with caching(model):
        model(IDS)
        model.decoder.blocks[0] = other.decoder.blocks[0]
        with pytest.raises(
            ValueError, match=r"^cache must hold a past for every block"
        ):
            model(IDS)


@pytest.mark.parametrize("root", [lambda m: m, lambda m: m.decoder])
@pytest.mark.parametrize("kind", WRITERS)
def test_a_cache_may_be_opened_around_the_decoder_alone(kind, root):
    model = build(kind).double()
    expected, memory = whole(model), model.embedding(IDS)
    with caching(root(model)) as cache:
        if kind is Transformer:
            memory = model.encode(IDS)
            first = model.decode(IDS[:, :3], memory)
            mask = torch.ones(1, 1, 1, 5, dtype=torch.bool)
            second = model.decode(IDS[:, 3:], memory, mask)
        else:
            mask = torch.ones(1, 1, 1, 5, dtype=torch.bool)
            first, second = model(IDS[:, :3]), model(IDS[:, 3:], mask)
        assert cache.length == 5
    found = torch.cat([first, second], dim=1)
    torch.testing.assert_close(found, expected, atol=1e-10, rtol=0)


def test_a_model_inside_another_module_is_cached_by_its_full_name():
    class Wrapped(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = build(Transformer).double()

        def forward(self, source, target):
            return self.net(source, target)

    outer = Wrapped()
    expected = outer(IDS, IDS)
    with caching(outer) as cache:
        parts = [outer(IDS, x) for x in IDS.split((4, 1), dim=1)]
    torch.testing.assert_close(torch.cat(parts, 1), expected, atol=1e-10, rtol=0)
    assert set(cache) == {
        f"net.decoder.blocks.{i}.{kind}_attention"
        for i in range(2)
        for kind in ("self", "cross")
    }


def test_an_encoder_reads_the_whole_source_each_time():
    model = build(EncoderOnlyTransformer)
    with caching(model) as cache:
        assert model(IDS).equal(model(IDS))
    assert cache == {}


# ── what it holds ─────────────────────────────────────────────────────────────────────
def test_a_cache_holds_the_keys_and_values_that_a_recording_shows():
    model = build(DecoderOnlyTransformer)
    with caching(model) as cache, record(model) as tensors:
        model(IDS[:, :2])
        model(IDS[:, 2:])
    for i in range(2):
        name = f"decoder.blocks.{i}.self_attention"
        assert cache[name].filled()[0].equal(tensors[f"{name}.k"])
        assert cache[name].filled()[1].equal(tensors[f"{name}.v"])
        assert cache[name].length == 5
    assert cache.length == 5
    sizes = "keys and values of 5 positions: a batch of 2, 3 heads of 4"
    assert repr(cache["decoder.blocks.0.self_attention"]) == sizes


def test_each_token_is_projected_once_and_a_memory_once():
    model, counts = build(Transformer), {"self": 0, "cross": 0}

    def count(name):
        def hook(_, x, y):
            counts[name] += y.size(1)

        return hook

    block = model.decoder.blocks[0]
    block.self_attention.W_K.register_forward_hook(count("self"))
    block.cross_attention.W_V.register_forward_hook(count("cross"))
    memory = model.encode(RAGGED)
    with caching(model):
        for token in range(6):
            model.decode(torch.full((3, 1), token), memory)
    assert counts == {"self": 6, "cross": 4}


def test_a_memory_is_compared_once_in_a_pass(monkeypatch):
    model, compared, equal = build(Transformer), [], torch.Tensor.equal
    memory = model.encode(IDS)

    def counted(x, other):
        compared.append(1)
        return equal(x, other)

    monkeypatch.setattr(torch.Tensor, "equal", counted)
    with caching(model):
        for passes in range(3):
            model.decode(IDS[:, :1], memory)
            assert len(compared) == passes  # for both layers, from the second pass


def test_another_memory_is_projected_anew():
    attention, query = MultiHeadAttention(6, 3), torch.randn(2, 1, 6)
    memories = torch.randn(3, 2, 4, 6).unbind()
    with caching(attention) as cache:
        for memory in (*memories, *memories):
            found = attention(query, memory)
            assert cache[""].memory.equal(memory)
            torch.testing.assert_close(found, model_alone(attention, query, memory))


@pytest.mark.parametrize("same", [True, False])
def test_a_query_looks_at_itself_where_it_is_the_memory_and_not_where_it_equals_it(
    same,
):
    attention = MultiHeadAttention(6, 3)
    x = torch.randn(2, 4, 6)
    before, after = x[:, :3], x[:, 3:]
    with caching(attention) as cache:
        for part in (before, after):
            y = attention(part, part if same else part.clone())
    expected = attention(after, x if same else after)
    torch.testing.assert_close(y, expected)
    assert cache.length == (4 if same else 0)


def test_a_part_counts_its_own_past_alone():
    model = build(DecoderOnlyTransformer)
    x, mask = torch.randn(2, 4, 12), torch.ones(4, 4).bool().tril()
    first, second = (block.self_attention for block in model.decoder.blocks)
    with caching(model):
        first(x, x)
        found = second(x, x, mask)  # which has no past to be seen
    torch.testing.assert_close(found, second(x, x, mask))


def test_keys_of_a_memory_are_no_past_of_the_query():
    attention = MultiHeadAttention(6, 3)
    memory, x = torch.randn(2, 5, 6), torch.randn(2, 2, 6)
    with caching(attention):
        attention(x, memory)
        found = attention(x, x)
    torch.testing.assert_close(found, attention(x, x))


@pytest.mark.parametrize("inference", [True, False])
@pytest.mark.parametrize("view", [True, False])
def test_a_memory_that_was_changed_in_place_is_projected_anew(view, inference):
    attention, query = MultiHeadAttention(6, 3), torch.randn(2, 1, 6)
    with torch.inference_mode(inference), caching(attention):
        memory = torch.randn(2, 4, 6)
        given = memory[:, :3] if view else memory
        before = attention(query, given)
        memory.mul_(2)
        after = attention(query, given)
    assert not after.allclose(before)
    with caching(attention):
        torch.testing.assert_close(after, attention(query, given.clone()))


def test_a_memory_that_was_changed_behind_torchs_back_is_projected_anew():
    attention, query = MultiHeadAttention(6, 3), torch.randn(2, 1, 6)
    memory = torch.randn(2, 4, 6)
    with caching(attention):
        attention(query, memory)
        memory.data.mul_(2)
        found = attention(query, memory)
    torch.testing.assert_close(found, attention(query, memory))


@pytest.mark.parametrize("part", ["decoder.blocks.1.self_attention", "embedding"])
@pytest.mark.parametrize("kind", WRITERS)
def test_weights_that_change_inside_a_cache_are_refused(kind, part):
    model, other = build(kind), build(kind, seed=1)
    state = other.get_submodule(part).state_dict()
    with caching(model) as cache:
        passes = (IDS, model.encode(IDS)) if kind is Transformer else (IDS,)
        run = model.decode if kind is Transformer else model
        run(*passes)
        model.get_submodule(part).load_state_dict(state)
        says = "^model must keep its weights inside caching, got changed ones"
        with pytest.raises(ValueError, match=says):
            run(*passes)
        cache.clear()
        found = run(*passes)
    torch.testing.assert_close(found, run(*passes))


def test_weights_that_change_between_two_calls_of_an_attention_are_refused():
    attention, x = MultiHeadAttention(6, 3), torch.randn(2, 1, 6)
    with caching(attention):
        attention(x, x)
        nn.init.ones_(attention.W_K.weight)
        with pytest.raises(ValueError, match="must keep its weights inside caching"):
            attention(x, x)


def test_recorded_keys_and_values_are_not_the_caches_own():
    model = build(DecoderOnlyTransformer)
    name = "decoder.blocks.0.self_attention"
    with caching(model) as cache:
        with record(model) as tensors:
            model(IDS[:, :3])
            model(IDS[:, 3:])
        expected = [x.clone() for x in cache[name].filled()]
        for letter in "kv":
            tensors[f"{name}.{letter}"].zero_()
        for kept, copy in zip(cache[name].filled(), expected, strict=True):
            assert kept.equal(copy)


def test_a_memory_of_the_models_own_is_projected_once_by_greedy():
    model, counts = build(Transformer), []
    attention = model.decoder.blocks[0].cross_attention
    attention.W_V.register_forward_hook(lambda *_: counts.append(1))
    greedy(model, PROMPTS, settings(model))
    assert counts == [1]


def test_only_what_is_marked_bidirectional_keeps_nothing_whatever_its_name():
    class Named(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = build(DecoderOnlyTransformer).double()
            self.writer = build(EncoderOnlyTransformer).double()

        def forward(self, ids):
            return self.encoder(ids)

    outer = Named()
    expected = outer(IDS)
    with caching(outer) as cache:
        parts = [outer(x) for x in IDS.split((3, 1, 1), dim=1)]
        states = outer.writer(IDS)
    torch.testing.assert_close(torch.cat(parts, 1), expected, atol=1e-10, rtol=0)
    assert states.equal(outer.writer(IDS))
    assert cache.length == 5
    assert all(name.startswith("encoder.") for name in cache)


def test_a_text_goes_on_from_the_row_it_is_told_to():
    model = build(DecoderOnlyTransformer)
    rows = torch.tensor([1, 1, 0])
    with caching(model) as cache:
        model(IDS[:, :3])
        cache.reorder(rows)
        found = model(IDS[rows, 3:])
    torch.testing.assert_close(found, model(IDS)[rows, 3:])


@pytest.mark.parametrize("mode", [torch.inference_mode, torch.no_grad])
def test_rows_of_an_inference_mode_are_reordered_inside_it_and_after_it(mode):
    model, rows = build(DecoderOnlyTransformer), torch.tensor([1, 1])
    with caching(model) as cache:
        with torch.inference_mode():
            model(IDS[:, :2])
            model(IDS[:, 2:3])
        with mode():
            cache.reorder(rows)
            found = model(IDS[rows, 3:])
    torch.testing.assert_close(found, model(IDS)[rows, 3:])


def test_an_order_that_stays_copies_nothing():
    model = build(DecoderOnlyTransformer)
    with caching(model) as cache:
        model(IDS)
        before = dict(cache)
        cache.reorder(torch.arange(2))
        assert all(cache[name] is kept for name, kept in before.items())


@pytest.mark.parametrize("rows", [[2], [-1, 0]])
def test_rows_outside_the_batch_are_refused(rows):
    model = build(DecoderOnlyTransformer)
    with caching(model) as cache:
        model(IDS)
        with pytest.raises(IndexError, match=r"^rows must lie between 0 and 1, got"):
            cache.reorder(torch.tensor(rows))


@pytest.mark.parametrize(
    "rows", [torch.tensor([0.5]), torch.tensor([True, False]), torch.eye(2).long(), [0]]
)
def test_rows_that_are_no_row_of_integers_are_refused(rows):
    says = r"^rows must be integers \(B,\), got"
    with (
        caching(build(DecoderOnlyTransformer)) as cache,
        pytest.raises(TypeError, match=says),
    ):
        cache.reorder(rows)


@pytest.mark.parametrize(("first", "rooms"), [(1, {6, 14, 30}), (2, {8, 20})])
def test_a_room_that_is_too_small_doubles_and_what_was_there_stays(first, rooms):
    k = torch.arange(first + 2.0)[None, None, :, None]
    old, new = k[:, :, :first], k[:, :, first:]
    cache = KVCache(old, -old, first)
    found = set()
    for _ in range(9):
        cache = cache.append(new, -new)
        found.add(cache.k.size(2))
    assert cache.filled()[0].flatten().equal(torch.cat([old, *[new] * 9], 2).flatten())
    assert cache.filled()[1].equal(-cache.filled()[0])
    assert found == rooms


# ── nothing stays ─────────────────────────────────────────────────────────────────────
def test_nothing_stays_on_the_model_or_outside_the_with():
    model = build(DecoderOnlyTransformer)
    before = [dict(vars(part)) for part in model.modules()]
    expected = model(IDS)
    with caching(model):
        model(IDS)
        assert [dict(vars(part)) for part in model.modules()] == before
    assert caches.get() == ()
    assert model(IDS).equal(expected)


def test_an_error_inside_closes_the_cache():
    model = build(DecoderOnlyTransformer)
    with pytest.raises(IndexError), caching(model):
        model(IDS + 90)
    assert caches.get() == ()
    assert torch.is_grad_enabled()


def test_the_innermost_cache_is_the_one_that_is_filled():
    model = build(DecoderOnlyTransformer)
    with caching(model) as outer:
        model(IDS[:, :2])
        with caching(model) as inner:
            assert model(IDS).equal(model_alone(model, IDS))
        found = model(IDS[:, 2:])
    assert (outer.length, inner.length) == (5, 5)
    torch.testing.assert_close(found, model(IDS)[:, 2:])


def model_alone(model, *inputs):
    with caching(model):
        return model(*inputs)


def test_another_models_cache_is_not_touched():
    model, other = build(DecoderOnlyTransformer), build(DecoderOnlyTransformer, seed=1)
    with caching(model) as cache:
        other(IDS)
    assert cache == {}


def test_greedy_leaves_an_open_cache_alone():
    model = build(DecoderOnlyTransformer)
    for use_cache in (True, False):
        with caching(model) as cache:
            model(PROMPTS)
            greedy(model, PROMPTS, settings(model, use_cache=use_cache))
            assert cache.length == 4


def test_threads_remember_only_their_own_texts():
    model, found = build(DecoderOnlyTransformer).double(), {}
    start = threading.Barrier(3)

    def read(row):
        start.wait()
        with caching(model):
            parts = [model(x) for x in IDS[row : row + 1].split(1, dim=1)]
        found[row] = torch.cat(parts, dim=1)

    def alone():
        start.wait()
        for _ in range(5):
            found["alone"] = model(IDS)

    threads = [threading.Thread(target=read, args=(row,)) for row in range(2)]
    threads.append(threading.Thread(target=alone))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = model(IDS)
    torch.testing.assert_close(torch.cat([found[0], found[1]]), expected)
    torch.testing.assert_close(found["alone"], expected)


def test_a_model_can_be_copied_and_pickled_while_it_is_cached():
    model = build(DecoderOnlyTransformer)
    expected = model(IDS)
    with caching(model):
        model(IDS)
        copies = copy.deepcopy(model), pickle.loads(pickle.dumps(model))
    for twin in copies:
        assert twin(IDS).equal(expected)


# ── what is refused, and what is mended ───────────────────────────────────────────────
def test_what_is_no_module_cannot_be_cached():
    says = "^model must be a torch module, got str"
    with pytest.raises(TypeError, match=says), caching("gpt"):
        pass


def test_there_are_no_gradients_inside():
    model = build(DecoderOnlyTransformer)
    with caching(model):
        assert not model(IDS).requires_grad
        with (
            torch.enable_grad(),
            pytest.raises(ValueError, match=r"^gradients must be off"),
        ):
            model(IDS)


@pytest.mark.parametrize("frozen", ["W_K", "W_V"])
def test_a_gradient_of_keys_or_of_values_is_refused(frozen):
    attention, x = MultiHeadAttention(6, 3), torch.randn(2, 1, 6)
    attention.get_submodule(frozen).requires_grad_(False)
    says = "^gradients must be off inside caching, got them on$"
    with caching(attention), torch.enable_grad(), pytest.raises(ValueError, match=says):
        attention(x, x)


def test_a_batch_of_another_size_is_refused_with_both_sizes():
    model = build(DecoderOnlyTransformer)
    with caching(model) as cache:
        model(IDS)
        says = "^batch must hold 2 sequences, as the cache, got 1$"
        with pytest.raises(ValueError, match=says):
            model(IDS[:1])
        assert cache.length == 5


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("where", ["decoder.blocks.0", "decoder.blocks.1", "logits"])
def test_a_pass_that_fails_is_forgotten_wherever_it_fails(kind, where, first):
    model = build(kind)
    memory = model.encode(IDS) if kind is Transformer else None

    def read(ids):
        return model(ids) if memory is None else model.decode(ids, memory)

    def fail(x):
        raise RuntimeError("half way")

    with caching(model) as cache:
        if not first:
            read(IDS[:, :2])
        known = cache.length
        with pytest.raises(RuntimeError, match="half way"), patch(model, {where: fail}):
            read(IDS[:, known:])
        assert cache.length == known
        found = read(IDS[:, known:])
        assert cache.length == 5
    torch.testing.assert_close(found, read(IDS)[:, known:])


def test_a_source_is_read_again_inside_a_cache_whatever_the_target_remembers():
    model = build(Transformer)
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]]).bool()[:, None, None]
    long = torch.ones(2, 16, dtype=torch.int64)
    with caching(model) as cache:
        for part in IDS.split((3, 2), dim=1):
            found = model(IDS, part, mask)
        assert cache.length == 5
        model.encode(long)  # as long as the model reads at once
    torch.testing.assert_close(found, model(IDS, IDS, mask)[:, 3:])


def test_what_was_remembered_in_inference_mode_can_be_gone_on_from_outside_it():
    model = build(DecoderOnlyTransformer)
    with caching(model):
        with torch.inference_mode():
            model(IDS[:, :2])
            model(IDS[:, 2:3])
        found = model(IDS[:, 3:])
    torch.testing.assert_close(found, model(IDS)[:, 3:])


@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_counts_as_past(side):
    model = build(DecoderOnlyTransformer)
    ids = RAGGED[:2] if side == "right" else RAGGED[[0, 2]]
    mask = (ids != PAD)[:, None, None]
    with caching(model):
        first = model(ids[:, :2], mask[..., :2])
        second = model(ids[:, 2:], mask)
    together = torch.cat([first, second], dim=1)
    torch.testing.assert_close(together, model(ids, mask))


@pytest.mark.parametrize("name", ["nonsense", "output"])
def test_a_pass_whose_output_is_refused_is_forgotten(name):
    """What `patch` refuses at the very end was read twice by who tried again."""
    model = build(DecoderOnlyTransformer)
    expected = model(IDS)
    with caching(model) as cache:
        with (
            pytest.raises((KeyError, ValueError)),
            patch(model, {name: torch.zeros(7)}),
        ):
            model(IDS)
        assert cache.length == 0
        assert model(IDS).allclose(expected, atol=1e-6)


def test_a_block_that_runs_twice_in_a_pass_has_no_one_past():
    model = build(DecoderOnlyTransformer)
    model.decoder.blocks[1] = model.decoder.blocks[0]
    says = "self_attention must run once in a pass inside caching, got a second run"
    with caching(model) as cache:
        with pytest.raises(ValueError, match=says):
            model(IDS)
        assert cache.length == 0


def test_an_attention_alone_may_run_as_often_as_one_likes():
    attention = MultiHeadAttention(6, 3)
    x = torch.randn(2, 4, 6)
    with caching(attention) as cache:
        for _ in range(2):
            attention(x, x)
        assert cache.length == 8
