"""Hook points: named tensors of a forward pass that can be recorded or replaced.

A model marks them with `hook_point`; `record` and `patch` watch them. While nobody
watches, and in a compiled model, a hook point returns its tensor unchanged.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import partial, wraps
from typing import ParamSpec

from torch import Tensor, nn
from torch.compiler import is_compiling
from torch.nn.modules.module import register_module_forward_hook

from ..checks.validation import require, setting, skip_checks
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
    if is_compiling():
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
