"""What attention refuses, and that it says which argument was wrong and how."""

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from transformer_lib.model.attention import scaled_dot_product_attention

T, S, D_K, D_V = 4, 6, 3, 5


def arguments(**changed):
    given = {
        "q": torch.ones(2, T, D_K),
        "k": torch.ones(2, S, D_K),
        "v": torch.ones(2, S, D_V),
        "mask": None,
    }
    return given | changed


def with_number(name, number):
    """The arguments, with one number of q, k or v replaced."""
    x = arguments()[name]
    x[1, 2, 0] = number
    return {name: x}


def boolean(*shape):
    return torch.ones(shape, dtype=torch.bool)


SHAPES_THAT_DO_NOT_FIT = {
    "d_k of q": ({"q": torch.ones(2, T, 7)}, ["q and k", "d_k", "(2, 4, 7)"]),
    "d_k of k": ({"k": torch.ones(2, S, 7)}, ["q and k", "d_k", "(2, 6, 7)"]),
    "S of v": ({"v": torch.ones(2, 9, D_V)}, ["k and v", "S", "(2, 9, 5)"]),
    "batch of q": ({"q": torch.ones(3, T, D_K)}, ["leading", "(3, 4, 3)"]),
    "batch of v": ({"v": torch.ones(3, S, D_V)}, ["leading", "(3, 6, 5)"]),
}


@pytest.mark.parametrize("case", SHAPES_THAT_DO_NOT_FIT)
def test_shapes_that_do_not_fit_are_all_shown(case):
    changed, words = SHAPES_THAT_DO_NOT_FIT[case]
    given = arguments(**changed)
    with pytest.raises(ValueError, match="got q") as caught:
        scaled_dot_product_attention(**given)
    shapes = [f"{name} {tuple(given[name].shape)}" for name in "qkv"]
    for word in [*words, *shapes]:
        assert word in str(caught.value)


WRONG_TYPES = {
    "integers": (torch.ones(2, T, D_K, dtype=torch.int64), "torch.int64"),
    "booleans": (boolean(2, T, D_K), "torch.bool"),
    "complex numbers": (torch.ones(2, T, D_K, dtype=torch.complex64), "complex64"),
    "a NumPy array": (np.ones((2, T, D_K)), "ndarray"),
    "a list": ([[1.0, 0.0], [0.0, 1.0]], "list"),
    "nothing": (None, "NoneType"),
}


@pytest.mark.parametrize("name", ["q", "k", "v"])
@pytest.mark.parametrize("case", WRONG_TYPES)
def test_what_is_no_floating_point_tensor_is_named(name, case):
    value, kind = WRONG_TYPES[case]
    with pytest.raises(TypeError, match=f"^{name} must be a .*{kind}"):
        scaled_dot_product_attention(**arguments(**{name: value}))


@pytest.mark.parametrize("name", ["k", "v"])
def test_mixed_precision_names_both_types(name):
    mixed = {name: arguments()[name].double()}
    with pytest.raises(TypeError, match=rf"^{name} .*float64 and torch\.float32"):
        scaled_dot_product_attention(**arguments(**mixed))


@pytest.mark.parametrize("name", ["q", "k", "v"])
@pytest.mark.parametrize("shape", [(), (3,), (0,)])
def test_a_lone_vector_is_no_sequence(name, shape):
    with pytest.raises(ValueError, match=rf"^{name} .*length, features") as caught:
        scaled_dot_product_attention(**arguments(**{name: torch.ones(shape)}))
    assert str(shape) in str(caught.value)


@pytest.mark.parametrize("name", ["q", "k", "v"])
@pytest.mark.parametrize("shape", [(2, 0, 3), (2, 4, 0), (0, 0)])
def test_an_empty_sequence_and_empty_vectors_are_refused(name, shape):
    with pytest.raises(ValueError, match=f"^{name} must hold at least one") as caught:
        scaled_dot_product_attention(**arguments(**{name: torch.ones(shape)}))
    assert str(shape) in str(caught.value)


@pytest.mark.parametrize("name", ["q", "k", "v"])
@pytest.mark.parametrize("number", [torch.nan, torch.inf, -torch.inf])
def test_a_number_that_is_not_finite_is_named_with_its_place(name, number):
    with pytest.raises(ValueError, match=rf"^{name} .*{number} at \(1, 2, 0\)"):
        scaled_dot_product_attention(**arguments(**with_number(name, number)))


@pytest.mark.parametrize(
    ("dtype", "large"), [(torch.float16, 300), (torch.float32, 1e20)]
)
def test_a_score_that_outgrows_its_type_is_named(dtype, large):
    q = torch.tensor([[1, 0], [large, 0]], dtype=dtype)
    with pytest.raises(ValueError, match=rf"^q and k .*{dtype}.* query 1 and key 1 "):
        scaled_dot_product_attention(q, q, q)


@pytest.mark.parametrize(
    "shape",
    [(T,), (S, T), (3, T, S), (2, T, S + 1), (1, 2, T, S), (2, 2, T, S), (0, T, S)],
)
def test_a_mask_of_the_wrong_shape_is_shown_beside_the_scores(shape):
    with pytest.raises(ValueError, match=r"^mask must broadcast") as caught:
        scaled_dot_product_attention(**arguments(mask=boolean(*shape)))
    assert f"(2, {T}, {S})" in str(caught.value)
    assert f"got {shape}" in str(caught.value)


WRONG_MASKS = {
    "zeros and ones": (torch.ones(T, S), "torch.float32"),
    "integers": (torch.ones(T, S, dtype=torch.int64), "torch.int64"),
    "a NumPy array": (np.ones((T, S), dtype=bool), "ndarray"),
    "a list": ([[True] * S] * T, "list"),
    "a truth value": (True, "bool"),
}


@pytest.mark.parametrize("case", WRONG_MASKS)
def test_a_mask_that_is_not_a_boolean_tensor_is_refused(case):
    mask, kind = WRONG_MASKS[case]
    with pytest.raises(TypeError, match=f"^mask .*boolean tensor.*got {kind}$"):
        scaled_dot_product_attention(**arguments(mask=mask))


def test_a_refused_call_leaves_its_arguments_as_they_were():
    given = arguments(mask=torch.ones(T, S))
    with pytest.raises(TypeError):
        scaled_dot_product_attention(**given)
    assert all((given[name] == arguments()[name]).all() for name in "qkv")


def test_scores_near_the_largest_number_of_their_type_are_taken():
    q = torch.tensor([[1.7e19, 0, 0, 0]])  # q kᵀ = 2.9e38, of at most 3.4e38
    output, weights = scaled_dot_product_attention(q, q, torch.ones(1, 2))
    assert output.tolist() == [[1.0, 1.0]]
    assert weights.tolist() == [[1.0]]


@pytest.mark.parametrize(
    ("rate", "error"),
    [(-0.1, ValueError), (1.5, ValueError), (torch.nan, ValueError), ("0", TypeError)],
)
def test_a_dropout_rate_outside_0_to_1_is_refused(rate, error):
    with pytest.raises(error, match=f"^dropout_rate must be .* got {rate!r}$"):
        scaled_dot_product_attention(**arguments(dropout_rate=rate))


# ── where the numbers are ─────────────────────────────────────────────────────────────
META = torch.device("meta")


@pytest.mark.parametrize("name", ["q", "k", "v", "mask"])
def test_attention_refuses_what_has_no_numbers(name):
    given = {n: torch.ones(2, 3) for n in "qkv"} | {"mask": torch.ones(2, 2).bool()}
    given[name] = given[name].to(META)
    with pytest.raises(ValueError, match=f"^{name} must .* got .*meta"):
        scaled_dot_product_attention(**given)


def test_the_scores_of_one_call_are_computed_once(monkeypatch):
    q, k, v = torch.randn(3, 2, 4, 8).unbind()
    products = []

    class Counted(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            if function.overloadpacket in (torch.ops.aten.bmm, torch.ops.aten.mm):
                products.append(function)
            return function(*args, **(kwargs or {}))

    with Counted():
        scaled_dot_product_attention(q, k, v)
    assert len(products) == 2  # q kᵀ, and the weights times v


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_large_numbers_whose_scores_are_finite_are_no_error(dtype):
    large = torch.finfo(dtype).max
    q = torch.tensor([[large, 0.0]], dtype=dtype)
    k = torch.tensor([[0.0, large], [0.0, 1.0]], dtype=dtype)
    _, weights = scaled_dot_product_attention(q, k, k)
    assert weights.tolist() == [[0.5, 0.5]]
