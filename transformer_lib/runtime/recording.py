"""Recording: every named tensor of a forward pass, and what it was computed from.

A model marks its tensors with hook points; a recording watches them, and so does a
patch. While nobody watches, and in a compiled model, a hook point returns its tensor
unchanged.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from functools import partial, wraps
from typing import ParamSpec

from torch import Tensor, nn
from torch.compiler import is_compiling
from torch.nn.modules.module import register_module_forward_hook
from torch.utils.weak import WeakTensorKeyDictionary

from ..checks.validation import check_arguments, require, setting, skip_checks
from .caching import cache_of

P = ParamSpec("P")


class Watcher:
    """Sees the named tensors of a model, such as a recording or a patch.

    Attributes:
        names: the name of each part of the model; the model's own is "".
        changes: whether it replaces tensors. Those that do come before the others.
    """

    changes = False

    def __init__(self, model: nn.Module) -> None:
        self.names = {part: name for name, part in model.named_modules()}

    def see(self, name: str, x: Tensor, inputs: tuple[Tensor, ...]) -> Tensor:
        """Return a named tensor x, or a replacement of the same shape.

        The inputs are the tensors that it was computed from, if they are known.
        """
        raise NotImplementedError

    def end_pass(self) -> None:
        """Note that the model itself has returned its output."""


watchers: ContextVar[tuple[Watcher, ...]] = ContextVar("watchers", default=())
_registering = threading.Lock()  # torch numbers its hooks without one
_owner: ContextVar[nn.Module | None] = ContextVar("owner", default=None)


def watchers_of(module: nn.Module) -> list[Watcher]:
    """List who watches a part of a model: nobody, while it is compiled."""
    if is_compiling() or not watchers.get():
        return []
    return [watcher for watcher in watchers.get() if module in watcher.names]


def hook_point(module: nn.Module, name: str, x: Tensor, *inputs: Tensor) -> Tensor:
    """Show a module's tensor to its watchers, and return it or its replacement.

    Its full name is the module's name, a dot, and `name`.
    """
    for watcher in watchers_of(module):
        full_name = f"{watcher.names[module]}.{name}".strip(".")
        x = watcher.see(full_name, x, inputs)
    return x


@contextmanager
def unwatched() -> Iterator[None]:
    """Hide what is computed inside, such as by a patch; it is checked by itself."""
    with setting(_owner, None), setting(watchers, ()), skip_checks(False):
        yield


def steps_of(module: nn.Module) -> AbstractContextManager[None]:
    """Make the steps of a formula that runs inside hook points of a module."""
    return setting(_owner, module)


def step(name: str) -> Callable[[Callable[P, Tensor]], Callable[P, Tensor]]:
    """Make a function's result a hook point of the module given to `steps_of`."""

    def decorate(function: Callable[P, Tensor]) -> Callable[P, Tensor]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> Tensor:
            x = function(*args, **kwargs)
            owner = None if is_compiling() else _owner.get()
            return x if owner is None else hook_point(owner, name, x, *tensors_of(args))

        return call

    return decorate


def tensors_of(arguments: Iterable[object]) -> tuple[Tensor, ...]:
    """Return the tensors among the arguments of a call."""
    return tuple(x for x in arguments if isinstance(x, Tensor))


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Watch a model inside the `with`; raise a ValueError if a part is compiled."""
    for part, name in watcher.names.items():
        wrapped = hasattr(part, "_orig_mod") or part._compiled_call_impl
        _require_plain(not wrapped, name)
    known = (*watchers.get(), watcher)
    watchers.set(tuple(sorted(known, key=lambda w: not w.changes)))
    see = partial(_output_point, watcher)
    with _registering:
        hook = register_module_forward_hook(see)  # type: ignore[arg-type]
    try:
        yield
    finally:
        hook.remove()
        watchers.set(tuple(w for w in watchers.get() if w is not watcher))


def _output_point(
    watcher: Watcher, module: nn.Module, args: tuple[object, ...], output: object
) -> object:
    """Show a part's output under the part's name.

    Every watcher has this hook; that of the first one in this thread acts for all. The
    outputs of torch's layers are skipped, and so are those of embeddings, which the
    model names itself, since source and target may share one.
    """
    if is_compiling() or watchers.get()[:1] != (watcher,):
        return output
    for watcher in watchers.get():
        inside = getattr(module, "_orig_mod", None)  # by `torch.compile`
        _require_plain(inside not in watcher.names, "")
    own = getattr(module, "records_output", True)
    inner = type(module).__module__.startswith("torch.") or not own
    mine = watchers_of(module)
    roots = [w for w in mine if w.names[module] == ""]
    try:
        if isinstance(output, Tensor):
            inputs = tensors_of(args)
            for watcher in roots if inner else mine:
                output = watcher.see(watcher.names[module] or "output", output, inputs)
        for watcher in roots:
            watcher.end_pass()
    except BaseException:
        cache = cache_of(module)
        if cache is not None:  # the pass has ended, but its output is refused
            cache.undo()
        raise
    return output


def _require_plain(plain: bool, name: str) -> None:
    """Raise a ValueError if a part is compiled."""
    what = f"{name or 'model'}, to be watched,"
    require(plain, what, "run as it is written", "a compiled one")


class Recording(dict[str, Tensor]):
    """Tensors by name, in the order in which they were computed; prints their shapes.

    Attributes:
        inputs: for each name, the tensors that its step received, in order:

            - a part's output ("encoder.blocks.0", "…add_norm_1.norm", "output"): the
              tensors that its call passed by position, masks included;
            - "…q", "…k" and "…v": the query, the memory, and the mask, if any;
            - "…scores": q and k; "…weights": the scores, and the mask, if any;
              "…heads": the weights and v; "…hidden" and "…gate": the network's input;
            - "…sum": the sub-layer's input and output;
            - "…embedding": the ids; "…positions": their positions; "…input": the
              vectors of token and position; "logits": the last hidden states.

            A recorded tensor is the same object here, so `is` tells its names. It may
            have several: a block's output is also that of its last Add & Norm. A tensor
            without a name came from outside (ids, masks, a memory) or from a step
            without one (dropout; the cast of q, k and v in half precision; a head of k
            or v that is repeated for its group). Inside `caching`, k and v also hold
            the rows of earlier passes. Rotary positions have already turned q and k.
    """

    def __init__(self, tensors: Mapping[str, Tensor] | None = None) -> None:
        super().__init__(tensors or {})
        self.inputs: dict[str, tuple[Tensor, ...]] = {}
        if isinstance(tensors, Recording):
            self.inputs |= tensors.inputs

    def mask(self, name: str) -> Tensor | None:
        """Return the mask by which attention weights were computed, or None.

        It is boolean (B, H, T, S), like the weights, True where a query may attend, and
        includes a decoder's causal mask. The name is that of the weights, such as
        "decoder.blocks.0.self_attention.weights". Raise a KeyError if nothing of this
        name was recorded, and a ValueError if it does not name attention weights.
        """
        weights = self[name]
        named = name.rpartition(".")[2] == "weights"
        require(named, "name", "be that of attention weights", repr(name))
        masks = self.inputs[name][1:]
        return masks[0].expand_as(weights) if masks else None

    def __missing__(self, name: str) -> Tensor:
        raise KeyError(f"{name!r} was not recorded; near it: {near(name, self)}")

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        rows = (f"{name:{width}}  {tuple(x.shape)}" for name, x in self.items())
        return "\n".join(rows)


class Recorder(Watcher):
    """Keeps the tensors of a model: with their gradients, or else detached."""

    def __init__(self, model: nn.Module, gradients: bool) -> None:
        super().__init__(model)
        self.gradients = gradients
        self.tensors = Recording()
        self.kept = WeakTensorKeyDictionary()  # each tensor that was met, as it is kept

    def see(self, name: str, x: Tensor, inputs: tuple[Tensor, ...]) -> Tensor:
        """Keep a tensor and its inputs, and return it."""
        self.tensors[name] = self.keep(x)
        self.tensors.inputs[name] = tuple(map(self.keep, inputs))
        return x

    def keep(self, x: Tensor) -> Tensor:
        """Return a tensor as it is kept, which is the same object each time."""
        if x not in self.kept:
            self.kept[x] = x if self.gradients else x.detach()
        kept: Tensor = self.kept[x]
        return kept


@check_arguments
@contextmanager
def record(model: nn.Module, *, gradients: bool = False) -> Iterator[Recording]:
    """Keep every named tensor of the passes that `model` makes inside the `with`.

        with record(model) as tensors:
            model(source, target)
        tensors["encoder.blocks.0.self_attention.weights"]  # (B, H, T, S)

    A part's output has the part's name (the model's own is "output"), and the tensors
    inside it have names that begin with it. A second pass replaces the first. The
    tensors are not copied, so changing them in place changes the record. Nothing is
    stored on the model, and other threads are not recorded. A tensor that `patch`
    replaces is recorded as its replacement.

    Args:
        model: any module that is one of ours or built from ours.
        gradients: keep the tensors attached, for a loss; otherwise they are detached.

    Yields:
        the tensors by name, empty until the model runs.

    Raises:
        TypeError: model is not a torch module, or gradients neither True nor False.
        ValueError: the model, or a part of it, is compiled.
    """
    recorder = Recorder(model, gradients)
    with watching(recorder):
        yield recorder.tensors


def near(name: str, known: Iterable[str]) -> list[str]:
    """List the known names that are most similar to an unknown one."""
    return get_close_matches(name, list(known), n=3, cutoff=0.4)
