"""Hook points: where a tensor with a name can be looked at, or replaced by another.

A model marks such a place by `hook_point`; `record` and `patch` are who asks there.
Without them, and in a compiled model, every hook point gives its tensor back.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec

from torch import Tensor, nn
from torch.compiler import is_compiling
from torch.nn.modules.module import register_module_forward_hook

from ..checks.validation import check_type, require
from .caching import undo_pass

P = ParamSpec("P")


class Watcher:
    """Whoever asks at the hook points of a model, such as a recording or a patch.

    Attributes:
        names: the name of each part of the model; the model's own is "".
        changes: whether it replaces tensors; who only looks sees what has changed.
    """

    changes = False

    def __init__(self, model: nn.Module) -> None:
        check_type("model", model, nn.Module)
        self.names = {part: name for name, part in model.named_modules()}

    def see(self, name: str, x: Tensor, inputs: tuple[Tensor, ...]) -> Tensor:
        """Look at a named tensor, and return it or a replacement of the same shape.

        Args:
            name: of the tensor.
            x: the tensor.
            inputs: what it was computed from; none where its hook point does not say.
        """
        raise NotImplementedError

    def end_pass(self) -> None:
        """Hear that the model itself has given its output."""


watchers: ContextVar[tuple[Watcher, ...]] = ContextVar("watchers", default=())
_owner: ContextVar[nn.Module | None] = ContextVar("owner", default=None)


def is_watched(module: nn.Module) -> bool:
    """Tell whether anybody asks at the hook points of a part."""
    if is_compiling() or not watchers.get():
        return False
    return any(module in watcher.names for watcher in watchers.get())


def hook_point(module: nn.Module, name: str, x: Tensor, *inputs: Tensor) -> Tensor:
    """Show a tensor of a module to its watchers, and return what they let go on.

    Its full name is the module's, a dot, and its own. The inputs are the tensors that
    it was computed from.
    """
    if is_compiling():
        return x
    for watcher in watchers.get():
        if module in watcher.names:
            full_name = f"{watcher.names[module]}.{name}".strip(".")
            x = watcher.see(full_name, x, inputs)
    return x


@contextmanager
def unwatched() -> Iterator[None]:
    """Let nobody see what is computed inside, such as what a patch computes."""
    owner = _owner.set(None)
    seen = watchers.set(())
    try:
        yield
    finally:
        watchers.reset(seen)
        _owner.reset(owner)


@contextmanager
def steps_of(module: nn.Module) -> Iterator[None]:
    """Let the steps of a formula that runs inside be hook points of this module."""
    token = _owner.set(module)
    try:
        yield
    finally:
        _owner.reset(token)


def step(name: str) -> Callable[[Callable[P, Tensor]], Callable[P, Tensor]]:
    """Make what a function gives a hook point of the module whose step it is."""

    def decorate(function: Callable[P, Tensor]) -> Callable[P, Tensor]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> Tensor:
            x = function(*args, **kwargs)
            owner = None if is_compiling() else _owner.get()
            return x if owner is None else hook_point(owner, name, x, *tensors_of(args))

        return call

    return decorate


def tensors_of(arguments: Iterable[object]) -> tuple[Tensor, ...]:
    """Return those arguments of a call that are tensors."""
    return tuple(x for x in arguments if isinstance(x, Tensor))


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Ask at the hook points of a model; first those who replace, then who look.

    Raises:
        ValueError: a part of the model is compiled, and so has no hook points.
    """
    for part, name in watcher.names.items():
        compiled = getattr(part, "_compiled_call_impl", None) or _wrapped(part)
        _require_plain(not compiled, name)
    known = (*watchers.get(), watcher)
    watchers.set(tuple(sorted(known, key=lambda w: not w.changes)))
    with _outputs:
        try:
            yield
        finally:
            watchers.set(tuple(w for w in watchers.get() if w is not watcher))


class _Outputs:
    """torch's hook on the output of every module, while anybody watches."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.open = 0

    def __enter__(self) -> None:
        with self.lock:
            if self.open == 0:
                self.handle = register_module_forward_hook(_output_point)  # type: ignore[arg-type]
            self.open += 1

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.open -= 1
            if self.open == 0:
                self.handle.remove()


_outputs = _Outputs()


def _output_point(
    module: nn.Module, args: tuple[object, ...], output: object
) -> object:
    """Show a part's output under the part's name.

    Not that of torch's layers, which are steps of ours; nor of an embedding, which the
    model names, since it may use one for source and target.
    """
    if is_compiling():
        return output
    for watcher in watchers.get():
        _require_plain(_wrapped(module) not in watcher.names, "")
    own = getattr(module, "records_output", True)
    inner = type(module).__module__.startswith("torch.") or not own
    mine = [w for w in watchers.get() if module in w.names]
    roots = [w for w in mine if w.names[module] == ""]
    try:
        if isinstance(output, Tensor):
            inputs = tensors_of(args)
            for watcher in roots if inner else mine:
                output = watcher.see(watcher.names[module] or "output", output, inputs)
        for watcher in roots:
            watcher.end_pass()
    except BaseException:
        undo_pass(module)
        raise
    return output


def _wrapped(module: nn.Module) -> nn.Module | None:
    """The model that `torch.compile` has wrapped in this one, if it has."""
    return getattr(module, "_orig_mod", None)


def _require_plain(plain: bool, name: str) -> None:
    """Raise a ValueError unless a part runs as it is written."""
    what = f"{name or 'model'}, to be watched,"
    require(plain, what, "run as it is written", "a compiled one")
