"""Recording: every named tensor of a forward pass, for as long as one is watching."""

from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches

from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook

from ..model.embedding import PositionalEncoding, TokenEmbedding
from .watching import watchers


class Recording(dict[str, Tensor]):
    """Tensors by name, in the order in which they came; prints names and shapes."""

    def __missing__(self, name: str) -> Tensor:
        near = get_close_matches(name, self, n=3, cutoff=0.4)
        raise KeyError(f"{name!r} was not recorded; near it: {near}")

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        return "\n".join(
            f"{name:{width}}  {tuple(x.shape)}" for name, x in self.items()
        )


@contextmanager
def record(model: nn.Module) -> Iterator[Recording]:
    """Keep every named tensor of the passes that `model` makes inside the `with`.

        with record(model) as tensors:
            model(source, target)
        tensors["encoder.blocks.0.self_attention.weights"]  # (B, H, T, S)

    A part's output bears the part's name (the model's own is "output"), and what it
    computes on the way a name behind that. A second pass replaces the first. Tensors
    are detached; nothing stays on the model, and other threads are not heard.

    Args:
        model: any module: one of ours, or one that is built of ours.

    Yields:
        the tensors by name, empty until the model runs.

    Raises:
        TypeError: model is no torch module.
    """
    names, tensors = _names(model), Recording()

    def watch(module: nn.Module, name: str, x: Tensor) -> None:
        if module in names:
            tensors[f"{names[module]}.{name}".strip(".") or "output"] = x.detach()

    def hook(module: nn.Module, _: object, output: object) -> None:
        heard = watch in watchers.get() and (module is model or _speaks(module))
        if heard and isinstance(output, Tensor):
            watch(module, "", output)

    watchers.set((*watchers.get(), watch))
    handle = register_module_forward_hook(hook)
    try:
        yield tensors
    finally:
        handle.remove()
        watchers.set(tuple(w for w in watchers.get() if w is not watch))


def _names(model: nn.Module) -> dict[nn.Module, str]:
    if not isinstance(model, nn.Module):
        raise TypeError(f"model must be a torch module, got {type(model).__name__}")
    return {module: name for name, module in model.named_modules()}


def _speaks(module: nn.Module) -> bool:
    """Tell whether a part's output is worth a name of its own.

    torch's layers are steps of ours. Source and target may share an embedding, so the
    model itself says whose each output is.
    """
    shared = isinstance(module, TokenEmbedding | PositionalEncoding)
    return not shared and not type(module).__module__.startswith("torch.")
