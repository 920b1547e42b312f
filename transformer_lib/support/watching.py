"""Who is watching a forward pass: a module shows what it computes, if anybody looks."""

from collections.abc import Callable
from contextvars import ContextVar

from torch import Tensor, nn

# `recording.record` adds a function here for as long as it is open.
Watcher = Callable[[nn.Module, str, Tensor], None]
watchers: ContextVar[tuple[Watcher, ...]] = ContextVar("watchers", default=())


def keep(module: nn.Module, name: str, x: Tensor) -> None:
    """Show a tensor of a module to whoever is watching."""
    for watch in watchers.get():
        watch(module, name, x)
