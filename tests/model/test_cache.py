"""The cache: what does not fit is refused before any of it is remembered."""

import copy
import pickle

import pytest
import torch
from small import RAGGED, build

from transformer_lib import DecoderOnlyTransformer, KVCache, Transformer
from transformer_lib.generation.stepping import Stepper
from transformer_lib.support.caching import DecoderCache

IDS = torch.tensor([[3, 4], [5, 6], [7, 8]])


def made(batch=3, heads=3, room=8, d_k=4, dtype=torch.float32, length=0):
    size = (batch, heads, room, d_k)
    return KVCache(*torch.zeros(2, *size, dtype=dtype), length=length)


def held(caches):
    """Copy all that caches hold."""
    flat = [c for x in caches for c in (x if isinstance(x, DecoderCache) else (x,))]
    return [(c.length, c.keys.clone(), c.values.clone()) for c in flat]


def refuses(error, says, call, caches):
    """Expect an error, and that no cache has changed."""
    before = held(caches)
    with pytest.raises(error, match=says):
        call()
    for (n, k, v), (m, same_k, same_v) in zip(before, held(caches), strict=True):
        assert n == m
        assert k.equal(same_k)
        assert v.equal(same_v)


def inference_cache():
    with torch.inference_mode():
        return made()


ODD_ONES = {
    "less room": (lambda: made(room=1), "^cache must be alike in every block, got"),
    "another batch": (lambda: made(batch=2), "^cache must be alike .* of a batch of 2"),
    "another past": (
        lambda: made(length=1),
        "^cache must be alike .* 1 of 8 positions",
    ),
    "other heads": (lambda: made(heads=1), "^cache must be alike .* 1 heads of 4"),
    "another type": (lambda: made(dtype=torch.float64), "^cache must be .*float64"),
    "for inference": (inference_cache, "^cache must be alike .* for inference mode"),
}


@pytest.mark.parametrize("odd", ODD_ONES)
def test_caches_that_differ_between_blocks_are_refused_untouched(odd):
    make, says = ODD_ONES[odd]
    model, caches = build(DecoderOnlyTransformer), [made(), make()]
    x = torch.zeros(3, 2, 12)
    with torch.no_grad():
        for call in (
            lambda: model(IDS, cache=caches),
            lambda: model.decoder(x, causal=True, cache=caches),
            lambda: Stepper(model, caches)(IDS[:, 0], 0, (None, None)),
        ):
            refuses(ValueError, says, call, caches)


@pytest.mark.parametrize("odd", ODD_ONES)
@pytest.mark.parametrize("part", ["target", "memory"])
def test_a_decoders_caches_that_differ_are_refused_untouched(odd, part):
    make, says = ODD_ONES[odd]
    model = build(Transformer)
    caches = [DecoderCache(made(), made(length=8)) for _ in range(2)]
    caches[1] = caches[1]._replace(**{part: make()})
    x = torch.zeros(3, 2, 12)
    with torch.no_grad():
        for call in (
            lambda: model.decode(IDS, None, cache=caches),
            lambda: model.decoder(x, None, causal=True, cache=caches),
            lambda: Stepper(model, caches)(IDS[:, 0], 0, (None, None)),
        ):
            refuses(ValueError, says, call, caches)


ALIKE_BUT_WRONG = {
    "heads": (
        {"heads": 6},
        ValueError,
        "^cache must be for 3 heads of 4, got .*6 heads",
    ),
    "one head": ({"heads": 1}, ValueError, "^cache must be for 3 heads of 4, got"),
    "d_k": (
        {"d_k": 2},
        ValueError,
        "^cache must be for 3 heads of 4, got .* 3 heads of 2",
    ),
    "type": ({"dtype": torch.float64}, TypeError, "^cache must be of .*32, got .*64"),
    "batch": ({"batch": 2}, ValueError, "^cache is for a batch of 2, got 3"),
}


@pytest.mark.parametrize("wrong", ALIKE_BUT_WRONG)
def test_a_cache_of_another_model_is_refused_untouched(wrong):
    sizes, error, says = ALIKE_BUT_WRONG[wrong]
    model, caches = build(DecoderOnlyTransformer), [made(**sizes), made(**sizes)]
    with torch.no_grad():
        refuses(error, says, lambda: model(IDS, cache=caches), caches)


@pytest.mark.parametrize("wrong", ALIKE_BUT_WRONG)
def test_a_memory_of_another_model_is_refused_before_the_target_is_read(wrong):
    sizes, error, says = ALIKE_BUT_WRONG[wrong]
    model = build(Transformer)
    caches = [DecoderCache(made(), made(length=8, **sizes)) for _ in range(2)]
    block, x = model.decoder.blocks[0], torch.zeros(3, 2, 12)
    with torch.no_grad():
        for call in (
            lambda: model.decode(IDS, None, cache=caches),
            lambda: model.decoder(x, None, causal=True, cache=caches),
            lambda: block(x, None, causal=True, cache=caches[0]),
        ):
            refuses(error, says, call, caches)


def test_a_step_is_refused_where_target_and_memory_are_of_two_batches():
    model = build(Transformer)
    caches = [DecoderCache(made(), made(batch=2, length=8)) for _ in range(2)]
    refuses(ValueError, "batch of 2, got 3", lambda: Stepper(model, caches), caches)


def test_one_cache_cannot_serve_two_blocks():
    model, cache = build(DecoderOnlyTransformer), made()
    with torch.no_grad():
        says = "^cache must be another in every block, got one twice"
        refuses(ValueError, says, lambda: model(IDS, cache=[cache] * 2), [cache])


def test_a_later_block_that_learns_is_refused_before_the_first_remembers():
    model = build(DecoderOnlyTransformer).requires_grad_(False)
    model.decoder.blocks[1].requires_grad_(True)
    caches = model.new_cache(3, 8)
    refuses(ValueError, "no_grad", lambda: model(IDS, cache=caches), caches)


@pytest.mark.parametrize("part", ["W_K", "W_V"])
def test_a_layer_that_learns_its_keys_or_values_remembers_nothing(part):
    block = build(DecoderOnlyTransformer).decoder.blocks[0].requires_grad_(False)
    getattr(block.self_attention, part).requires_grad_(True)
    cache, x = made(), torch.zeros(3, 2, 12)
    refuses(ValueError, "no_grad", lambda: block(x, cache=cache), [cache])


def test_a_cache_of_inference_mode_is_refused_outside_it():
    model = build(DecoderOnlyTransformer)
    with torch.inference_mode():
        caches = model.new_cache(3, 8)
    with torch.no_grad():
        says = r"^cache was made in torch\.inference_mode\(\)"
        refuses(ValueError, says, lambda: model(IDS, cache=caches), caches)
    with torch.inference_mode():
        assert model(IDS, cache=caches).shape == (3, 2, 11)


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_a_copy_of_a_cache_goes_on_by_itself(copied):
    model = build(Transformer)
    with torch.no_grad():
        caches = model.new_cache(model.encode(RAGGED), 8)
        model.decode(IDS, None, cache=caches)
        copies = copied(caches)
        logits = model.decode(IDS, None, cache=copies)
        assert [c.target.length for c in caches] == [2, 2]
        assert model.decode(IDS, None, cache=caches).equal(logits)


ZERO = torch.zeros(2, 3, 4, 5)


@pytest.mark.parametrize(
    ("keys", "values", "length", "error", "says"),
    [
        ([1], ZERO, 0, TypeError, "^keys must be a torch.Tensor, got list"),
        (ZERO, None, 0, TypeError, "^values must be a torch.Tensor, got NoneType"),
        (ZERO[0], ZERO[0], 0, ValueError, r"^keys must have shape .*\(3, 4, 5\)"),
        (ZERO, ZERO[1:], 0, ValueError, r"^values must be like keys.*\(1, 3, 4, 5\)"),
        (ZERO, ZERO.double(), 0, ValueError, "^values must be like keys.*float64"),
        (ZERO, ZERO, 1.0, TypeError, "^length must be an integer, got 1.0"),
        (ZERO, ZERO, -1, ValueError, "^length must be at least 0, got -1"),
        (ZERO, ZERO, 5, ValueError, "^length must be at most the room, 4, got 5"),
    ],
)
def test_what_holds_no_keys_and_values_is_refused(keys, values, length, error, says):
    with pytest.raises(error, match=says):
        KVCache(keys, values, length)


@pytest.mark.parametrize(
    ("k", "v", "error", "says"),
    [
        ([1], ZERO, TypeError, "^k must be a torch.Tensor, got list"),
        (ZERO[:, :1], ZERO[:, :1], ValueError, r"^k and v must .*\(2, 1, 4, 5\)"),
        (ZERO[..., :1], ZERO[..., :1], ValueError, r"^k and v must .*\(2, 3, 4, 1\)"),
        (ZERO, ZERO[:, :, :1], ValueError, r"^k and v must .* and \(2, 3, 1, 5\)"),
        (ZERO[0], ZERO[0], ValueError, r"^k and v must .* \(3, 4, 5\)"),
        (ZERO, ZERO.clone().requires_grad_(), ValueError, "no_grad"),
        (ZERO.clone().requires_grad_(), ZERO, ValueError, "no_grad"),
    ],
)
def test_what_does_not_fit_is_not_remembered(k, v, error, says):
    cache = KVCache(ZERO + 1, ZERO + 1)
    refuses(error, says, lambda: cache.append(k, v), [cache])


@pytest.mark.parametrize("rows", [torch.tensor([2]), torch.tensor([0.5]), [0, 9]])
def test_rows_that_are_none_are_named(rows):
    cache = KVCache(ZERO, ZERO)
    with pytest.raises(
        IndexError, match=r"^rows must number the 2 rows of the batch, got"
    ):
        cache.reorder(rows)


def test_a_cache_prints_its_sizes():
    printed = "KVCache of a batch of 3: 3 heads of 4, 2 of 8 positions, torch.float32"
    assert repr(made(length=2)) == printed


def test_an_input_that_learns_is_refused_where_no_block_does():
    decoder = build(DecoderOnlyTransformer).requires_grad_(False).decoder
    caches, x = [made(), made()], torch.zeros(3, 2, 12, requires_grad=True)
    refuses(ValueError, "no_grad", lambda: decoder(x, cache=caches), caches)


def test_what_was_remembered_in_inference_mode_can_be_read_outside_not_added_to():
    attention = build(Transformer).decoder.blocks[0].cross_attention
    x = torch.zeros(3, 2, 12)
    with torch.inference_mode():
        cache = attention.remember(x)
    with torch.no_grad():
        assert attention(x, None, cache=cache).shape == x.shape
    cache.length, one = 0, torch.zeros(3, 3, 1, 4)
    refuses(ValueError, "^cache was made in", lambda: cache.append(one, one), [cache])
