"""Checks: each error names the argument, its value and what was expected.

A public call checks its arguments once; the calls that it makes do not repeat it.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import wraps
from inspect import signature
from itertools import chain
from sys import float_info
from types import UnionType
from typing import Any, Literal, ParamSpec, TypeVar, get_args, get_origin

import numpy as np
import torch
from torch import Tensor, nn
from torch.compiler import is_compiling

P = ParamSpec("P")
R = TypeVar("R")
LARGEST_SIZE = 2**31 - 1  # no axis of a tensor is longer
TYPE_NAMES = {Tensor: "torch.Tensor", nn.Module: "torch module"}
#: Names that say what an argument is: ids, which are integers (B, T); tokens, which are
#: ids or None; the masks over a memory's keys.
IDS = "ids", "source", "target", "positions"
TOKENS = "start_id", "end_id", "pad_id"
MEMORY_MASKS = "memory_mask", "source_mask"
#: What numbers may be, by their names. Other integers are at least 1, others above 0.
SPANS: dict[str, Any] = {
    "past": (0,),
    "warmup": (0,),
    "seed": (0, 2**64 - 1),
    "dropout": (0, 1),
    "dropout_rate": (0, 1),
    "smoothing": (0, 1),
    "length_penalty": (0, 10),
    "beta2": (0,),
    "top_p": (0, 1, True),  # above 0
}
_checked: ContextVar[bool] = ContextVar("checked", default=False)


def checked_by(
    check: Callable[..., None],
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let `check` refuse the arguments of a call, unless a checked function made it.

    So a model checks what it is given, and its layers do not check it again.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        form = signature(function)

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            if is_compiling() or _checked.get():
                return function(*args, **kwargs)
            check(**form.bind(*args, **kwargs).arguments)
            with skip_checks():
                return function(*args, **kwargs)

        return call

    return decorate


def check_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Check arguments by their types, and the tensors of a layer by their names.

    A name means the same in every signature: see `check_values` and `check_tensors`.
    """
    kinds = {name: p.annotation for name, p in signature(function).parameters.items()}
    layer = kinds.pop("self", None)

    def check(**given: Any) -> None:
        check_values(given, kinds)
        if layer is not None and Tensor in kinds.values():
            check_tensors(given.pop("self"), given)

    return checked_by(check)(function)


@contextmanager
def setting(variable: ContextVar[R], value: R) -> Iterator[None]:
    """Set a variable of this thread inside the `with`, and set it back afterwards."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def skip_checks(skip: bool = True) -> AbstractContextManager[None]:
    """Skip the checks of every call inside the `with`, or make them again."""
    return setting(_checked, skip)


def require(
    fits: bool, name: str, wanted: str, got: object, error: type[Exception] = ValueError
) -> None:
    """Raise an error that says what an argument must be or do, unless it fits."""
    if not fits:
        got = tuple(got) if isinstance(got, torch.Size) else got
        raise error(f"{name} must {wanted}, got {got}")


def brief(value: object) -> str:
    """Show any value in one short line."""
    try:
        value = value.item() if isinstance(value, np.generic) else value
        text = " ".join(repr(value).split())
    except Exception:  # Python writes no integer of more than 4300 digits
        kind = f"a value of type {type(value).__name__}"
        text = "a number of thousands of digits" if isinstance(value, int) else kind
    return text if len(text) <= 60 else text[:59] + "…"


def check_values(given: Mapping[str, Any], kinds: Mapping[str, Any]) -> None:
    """Raise unless each size, number, flag, option and object is of its type.

    Tensors are left to `check_tensors`, and devices to torch.
    """
    for name, x in given.items():
        kind = kinds.get(name)
        choices = get_args(kind)
        if type(None) in choices:
            if x is None:
                continue
            kind = choices[0]
        if kind in (Tensor, torch.device):
            continue
        if name in TOKENS:
            check_token(name, x)
        elif kind is int:
            check_size(name, x, *SPANS.get(name, ()))
        elif kind is float:
            check_number(name, x, *SPANS.get(name, (0, math.inf, True)))
        elif kind is bool:
            flag = isinstance(x, bool)
            require(flag, name, "be True or False", brief(x), TypeError)
        elif get_origin(kind) is Literal:
            check_option(name, x, get_args(kind))
        else:
            classes = choices if isinstance(kind, UnionType) else (kind,)
            if all(isinstance(each, type) for each in classes):
                check_type(name, x, *classes)
    if "n_heads" in given:
        check_heads(given)


def check_heads(given: Mapping[str, Any]) -> None:
    """Raise a ValueError unless features divide into heads, groups and pairs."""
    H, D, d_k = given["n_heads"], given["d_model"], given.get("d_k")
    got = f"n_heads={H} and d_model={D}"
    require(d_k is not None or D % H == 0, "n_heads", "divide d_model", got)
    G = given.get("n_kv_heads") or H
    got = f"n_kv_heads={G} and n_heads={H}"
    require(H % G == 0, "n_kv_heads", "divide n_heads", got)
    pairs = given.get("rotary_pairs") is not None
    if given.get("positions", "rotary") == "rotary" and pairs:
        check_even(d_k or D // H)


def check_even(d_k: int) -> None:
    """Raise a ValueError unless the features of a head come in pairs."""
    require(d_k % 2 == 0, "d_k", "be even, for rotary positions turn pairs", d_k)


def check_type(name: str, x: object, *kinds: type) -> None:
    """Raise a TypeError unless x is of one of the kinds."""
    wanted = " or a ".join(TYPE_NAMES.get(kind, kind.__name__) for kind in kinds)
    require(isinstance(x, kinds), name, f"be a {wanted}", type(x).__name__, TypeError)
    if isinstance(x, Tensor):
        check_dense(name, x)


def check_dense(name: str, x: Tensor) -> None:
    """Raise a TypeError if a tensor is sparse or nested."""
    dense = x.layout == torch.strided and not x.is_nested
    got = "a nested tensor" if x.is_nested else x.layout
    require(dense, name, "be a dense tensor", got, TypeError)


def check_function(name: str, function: Callable[..., object], given: str) -> None:
    """Raise a TypeError unless a function takes one argument, which `given` names."""
    wanted = f"be a function of {given}"
    require(callable(function), name, wanted, brief(function), TypeError)
    try:
        signature(function).bind(given)
    except ValueError:
        pass  # a function written in C may not say what it takes
    except TypeError:
        got = f"one of {signature(function)}"
        raise TypeError(f"{name} must {wanted}, got {got}") from None


def check_size(name: str, size: int, least: int = 1, most: int = LARGEST_SIZE) -> None:
    """Raise a TypeError or ValueError unless size is an integer in least … most."""
    require(type(size) is int, name, "be an integer", brief(size), TypeError)
    require(size >= least, name, f"be at least {least}", brief(size))
    require(size <= most, name, f"be at most {most}", brief(size))


def check_number(
    name: str, number: float, low: float, high: float = math.inf, above: bool = False
) -> None:
    """Raise unless number is finite and low ≤ number ≤ high; above low if `above`."""
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    require(is_number, name, "be a number", brief(number), TypeError)
    enough = low < number or (number == low and not above)
    most = "finite" if high == math.inf else f"at most {high:g}"
    wanted = f"be {'above' if above else 'at least'} {low:g} and {most}"
    require(enough and number <= min(high, float_info.max), name, wanted, brief(number))


def check_token(name: str, token: int | None, size: int | None = None) -> None:
    """Raise unless a token is None, or an integer, below any size of a vocabulary."""
    if token is None:
        return
    require(type(token) is int, name, "be an integer or None", brief(token), TypeError)
    check_size(name, token, least=-LARGEST_SIZE)
    if size is not None:
        wanted = f"lie between 0 and {size - 1}"
        require(0 <= token < size, name, wanted, brief(token), IndexError)


def check_span(
    name: str, ids: Tensor, size: int, error: type[Exception] = IndexError
) -> None:
    """Raise an IndexError, or another error, unless all ids are in 0 … size − 1."""
    if ids.numel():
        low, high = int(ids.min()), int(ids.max())
        fits, wanted = 0 <= low <= high < size, f"lie between 0 and {size - 1}"
        require(fits, name, wanted, f"{low} to {high}", error)


def check_floating(name: str, x: Tensor) -> None:
    """Raise a TypeError unless x is a dense tensor of floating-point numbers."""
    kind = x.dtype if isinstance(x, Tensor) else type(x).__name__
    floating = isinstance(x, Tensor) and x.is_floating_point()
    require(floating, name, "be a floating-point tensor", kind, TypeError)
    check_dense(name, x)


def check_logits(logits: Tensor) -> None:
    """Raise unless logits are floating-point numbers (..., V) with V ≥ 1."""
    check_floating("logits", logits)
    shape = tuple(logits.shape)
    require(shape != () and shape[-1] > 0, "logits", "be (..., V)", shape)


def check_option(name: str, option: str, options: Sequence[str]) -> None:
    """Raise a ValueError unless the option is among the options."""
    fits = isinstance(option, str | int | float) and option in options
    require(fits, name, f"be one of {list(options)}", brief(option))


def check_tensors(layer: Any, given: Mapping[str, Any]) -> None:
    """Raise unless the tensors of a layer's call fit it and each other, by name.

    The first is what the layer reads: ids or vectors.
    """
    name, x = next(iter(given.items()))
    attends = hasattr(layer, "n_heads")  # and so needs (B, T); others take (…) too
    if name in IDS:
        check_ids(name, x, layer, batch=attends)
    else:
        check_vectors(name, x, layer, batch=attends)
    memory = given.get("memory", x)
    if memory is not x:
        check_vectors("memory", memory, layer)
        B, S = len(x), len(memory)
        require(B == S, "query and memory", "be of one batch size", f"{B} and {S}")
    positions = given.get("positions")
    if attends and (name in IDS or positions is not None):
        check_positions(layer, name, x, positions)
    if given.get("token_types") is not None:
        check_token_types(layer, x, given["token_types"])
    if given.get("rotation") is not None:
        d_k = getattr(layer, "self_attention", layer).d_k
        check_rotation(given["rotation"], (len(x), layer.n_heads, x.size(1), d_k))
    for mask_name, mask in given.items():
        if mask_name.endswith("mask") and mask is not None:
            across = name == "query" or mask_name in MEMORY_MASKS
            check_attention_mask(mask_name, mask, layer, x, memory if across else x)


def check_positions(model: Any, name: str, x: Tensor, given: Tensor | None) -> None:
    """Raise unless positions are (T,) or (B, T), or without any, T more exist."""
    B, T = x.shape[:2]
    if given is not None:
        check_ids("positions", given, model, batch=False)
        fits = given.shape in ((T,), (B, T))
        require(fits, "positions", f"have shape {(T,)} or {(B, T)}", given.shape)
    else:
        past = 0 if name == "source" else model.past_length()
        most = model.config.max_length
        new = f"{past} past and {T} new positions"
        require(past + T <= most, name, f"end within max_length = {most}", new)


def check_rotation(rotation: Any, shape: tuple[int, ...]) -> None:
    """Raise unless a rotation is cosines and sines that broadcast to (..., T, d_k)."""
    pair = isinstance(rotation, tuple) and len(rotation) == 2
    wanted = "be a pair of tensors, cosines and sines"
    require(pair, "rotation", wanted, brief(rotation), TypeError)
    for x in rotation:
        check_floating("rotation", x)
        fits = x.shape[-2:] == shape[-2:] and broadcasts(x.shape, shape)
        require(fits, "rotation", f"broadcast to (..., T, d_k) = {shape}", x.shape)


def check_rotary(x: Tensor, rotation: Any, rotary_pairs: str) -> None:
    """Raise unless x (..., T, d_k) can be turned, pair by pair, by a rotation."""
    _check_sequence("x", x, x)
    even = x.size(-1) % 2 == 0
    require(even, "x", "have an even number of features", tuple(x.shape))
    check_rotation(rotation, tuple(x.shape))
    check_option("rotary_pairs", rotary_pairs, ("neighbors", "halves"))


def check_token_types(model: Any, ids: Tensor, types: Tensor) -> None:
    """Raise unless there is a token type for each id, and the model knows it."""
    check_ids("token_types", types, model)
    wanted = f"have the shape of ids, {tuple(ids.shape)}"
    require(types.shape == ids.shape, "token_types", wanted, tuple(types.shape))
    check_has_numbers("token_types", types)
    check_span("token_types", types, model.config.token_types, ValueError)


def check_device(name: str, x: Tensor, layer: Any) -> None:
    """Raise unless a tensor is on the device of a layer's parameters, if any."""
    first = next(chain(layer.parameters(), layer.buffers()), x)
    wanted = f"be on the model's device, {first.device}"
    require(x.device == first.device, name, wanted, x.device)


def check_has_numbers(name: str, x: Tensor) -> None:
    """Raise if a tensor is on the meta device, where there are only shapes."""
    require(not x.is_meta, name, "hold numbers", "a tensor on the meta device")


def check_ids(name: str, ids: Tensor, layer: Any = None, *, batch: bool = True) -> None:
    """Raise unless ids are integers for a layer, and (B, T ≥ 1) in a batch."""
    check_type(name, ids, Tensor)
    whole = ids.dtype in (torch.int64, torch.int32)
    require(whole, name, "hold int64 or int32", ids.dtype, TypeError)
    fits = not batch or (ids.dim() == 2 and ids.size(1) > 0)
    require(fits, name, "have shape (batch, length ≥ 1)", ids.shape)
    if layer is not None:
        check_device(name, ids, layer)


def check_vectors(name: str, x: Tensor, layer: Any, *, batch: bool = True) -> None:
    """Raise unless x is (…, D) and fits a layer, and (B, T, D) in a batch."""
    check_numbers(name, x, layer)
    D, shape = layer.d_model, x.shape
    wanted = f"(batch, length ≥ 1, {D})" if batch else f"(…, {D})"
    fits = len(shape) == 3 and shape[1] > 0 if batch else len(shape) > 0
    require(fits and shape[-1] == D, name, f"have shape {wanted}", shape)


def check_numbers(name: str, x: Tensor, layer: Any) -> None:
    """Raise unless x is a tensor of the type and on the device of a layer's weights."""
    check_type(name, x, Tensor)
    own = next((p for p in layer.parameters() if p.is_floating_point()), x).dtype
    fits = x.dtype == own or torch.is_autocast_enabled(x.device.type)
    require(fits, name, f"be of type {own}", x.dtype, TypeError)
    check_device(name, x, layer)


def broadcasts(shape: Sequence[int], to: Sequence[int]) -> bool:
    """Return whether a tensor can be repeated to another shape."""
    pairs = zip(reversed(shape), reversed(to), strict=False)
    return len(shape) <= len(to) and all(own in (1, n) for own, n in pairs)


def check_mask(
    name: str, mask: Tensor, scores: tuple[int, ...], device: torch.device
) -> None:
    """Raise unless a mask is boolean and broadcasts to scores on the same device."""
    kind = mask.dtype if isinstance(mask, Tensor) else type(mask).__name__
    wanted = "be a boolean tensor, True where a query may look"
    require(kind == torch.bool, name, wanted, kind, TypeError)
    wanted = f"broadcast to the scores' shape (..., T, S) = {scores}"
    require(broadcasts(mask.shape, scores), name, wanted, mask.shape)
    require(mask.device == device, name, f"be on the device {device}", mask.device)


def check_padding(sequences: Tensor, pad_id: int | None, length: int | None) -> None:
    """Raise unless sequences are lengths (B,), or ids (B, S) with the id of padding."""
    check_type("sequences", sequences, Tensor)
    dtype, shape = sequences.dtype, tuple(sequences.shape)
    whole = not (dtype == torch.bool or dtype.is_floating_point or dtype.is_complex)
    require(whole, "sequences", "hold integers", dtype, TypeError)
    wanted = "be lengths (B,) or ids (B, S)"
    require(len(shape) in (1, 2), "sequences", wanted, f"shape {shape}")
    if len(shape) == 1:
        require(pad_id is None, "pad_id", f"be None with lengths {shape}", pad_id)
        check_has_numbers("sequences", sequences)
        lengths = sequences.tolist()
        most = LARGEST_SIZE if length is None else length
        check_size("length", most, least=0)
        fits = all(0 <= n <= most for n in lengths)
        require(fits, "sequences", f"be lengths between 0 and {most}", lengths)
        return
    require(length is None, "length", f"be None with ids {shape}", length)
    if pad_id is None:
        raise ValueError(f"pad_id must name the padding in ids {shape}, got None")
    whole = type(pad_id) is int
    require(whole, "pad_id", "be an integer", brief(pad_id), TypeError)
    known = torch.iinfo(dtype)  # beyond it, the comparison would wrap around
    span = f"lie between {known.min} and {known.max}, as {dtype} does"
    require(known.min <= pad_id <= known.max, "pad_id", span, brief(pad_id))


def check_attention_mask(
    name: str, mask: Tensor, layer: Any, x: Tensor, memory: Tensor
) -> None:
    """Raise unless a mask fits x (B, T, …) and a memory, and is unambiguous."""
    B, T, H = x.size(0), x.size(1), layer.n_heads
    S = memory.size(1) + (layer.past_length() if memory is x else 0)
    if name == "source_mask" and memory is x:
        S = x.size(1)  # an encoder has no past
        H = T = 1  # the decoder, too, will ask which tokens of the source are real
    check_mask(name, mask, (B, H, T, S), x.device)
    shape = tuple(mask.shape)
    flat = mask.dim() == 2
    letter, size, rest = ("T", T, "S") if flat else ("H", H, "T, S")
    if mask.dim() in (2, 3) and B > 1 and shape[0] == B == size:
        raise ValueError(
            f"{name} of shape {shape} could be ({letter}, {rest}) or (B, {rest}), for "
            f"B = {letter} = {B}: write {name}[None{', None' * flat}] for the former, "
            f"{name}[:, None{', None, :' * flat}] for the latter"
        )


def check_attention(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, dropout_rate: float = 0
) -> None:
    """Raise unless q, k, v and a mask fit each other, and all numbers are finite."""
    check_number("dropout_rate", dropout_rate, 0, 1)
    for name, x in (("q", q), ("k", k), ("v", v)):
        _check_sequence(name, x, q)
    shapes = f"q {tuple(q.shape)}, k {tuple(k.shape)}, v {tuple(v.shape)}"
    require(q.size(-1) == k.size(-1), "q and k", "share d_k, their last size", shapes)
    require(k.size(-2) == v.size(-2), "k and v", "share S, the number of keys", shapes)
    try:
        leads = q.shape[:-2], k.shape[:-2], v.shape[:-2]
        lead = torch.broadcast_shapes(*leads)  # type: ignore[no-untyped-call]
    except RuntimeError:
        wanted = "q, k, v must have leading sizes that fit"
        raise ValueError(f"{wanted}, got {shapes}") from None
    if mask is not None:
        check_mask("mask", mask, (*lead, q.size(-2), k.size(-2)), q.device)
    check_scores(q, k)


def check_scores(q: Tensor, k: Tensor) -> None:
    """Raise unless all scores are finite.

    Since |q · k| ≤ d_k · max |q| · max |k|, the scores are computed only if this bound
    exceeds the type's largest number.
    """
    if q.size(-1) * _largest(q) * _largest(k) <= torch.finfo(q.dtype).max:
        return
    products = q @ k.transpose(-2, -1)  # (..., T, S), finite where the scores are
    for i, j in torch.nonzero(~torch.isfinite(products))[:1, -2:].tolist():
        where = f"the score of query {i} and key {j} is not finite"
        raise ValueError(f"q and k are too large for {q.dtype}: {where}")


def _largest(x: Tensor) -> float:
    """Return the largest magnitude: NaN or ∞ if x holds one, 0 if it is empty."""
    return x.detach().abs().amax().item() if x.numel() else 0.0


def _check_sequence(name: str, x: Tensor, q: Tensor) -> None:
    check_floating(name, x)
    wanted = "hold at least one vector: (..., length, features)"
    fits = x.dim() > 1 and 0 not in x.shape[-2:]
    require(fits, name, wanted, f"shape {tuple(x.shape)}")
    check_has_numbers(name, x)
    if not math.isfinite(_largest(x)):
        place = tuple(torch.nonzero(~torch.isfinite(x))[0].tolist())
        raise ValueError(f"{name} must be finite, got {x[place].item()} at {place}")
    got = f"{x.dtype} and {q.dtype}"
    require(x.dtype == q.dtype, name, "have the type of q", got, TypeError)
    got = f"{x.device} and {q.device}"
    require(x.device == q.device, name, "be on the device of q", got)
