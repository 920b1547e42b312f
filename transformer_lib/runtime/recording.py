"""Recording: every named tensor of a forward pass, for as long as one is watching."""

from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches

from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook

from ..checks.validation import check_type
from .context import recordings


class Recording(dict[str, Tensor]):
    """Tensors by name, in the order in which they came; prints names and shapes."""

    def __init__(self, model: nn.Module, *, gradients: bool = False) -> None:
        super().__init__()
        self.gradients = gradients
        self.names = {module: name for name, module in model.named_modules()}

    def add(self, module: nn.Module, name: str, x: Tensor) -> None:
        """Keep a tensor that a part of the model has computed."""
        if module in self.names:
            name = f"{self.names[module]}.{name}".strip(".") or "output"
            self[name] = x if self.gradients else x.detach()

    def names_output_of(self, module: nn.Module) -> bool:
        """Tell whether a part's output bears the part's name.

        torch's layers are steps of ours, and what an embedding gives is named by the
        model, which may use one for source and target.
        """
        own = getattr(module, "records_output", True)
        theirs = type(module).__module__.startswith("torch.")
        return self.names.get(module) == "" or (own and not theirs)

    def __missing__(self, name: str) -> Tensor:
        near = get_close_matches(name, self, n=3, cutoff=0.4)
        raise KeyError(f"{name!r} was not recorded; near it: {near}")

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        return "\n".join(
            f"{name:{width}}  {tuple(x.shape)}" for name, x in self.items()
        )


@contextmanager
def record(model: nn.Module, *, gradients: bool = False) -> Iterator[Recording]:
    """Keep every named tensor of the passes that `model` makes inside the `with`.

        with record(model) as tensors:
            model(source, target)
        tensors["encoder.blocks.0.self_attention.weights"]  # (B, H, T, S)

    A part's output bears the part's name (the model's own is "output"), and what it
    computes on the way a name behind that. A second pass replaces the first. Nothing
    stays on the model, and other threads are not recorded.

    Args:
        model: any module: one of ours, or one that is built of ours.
        gradients: keep the tensors as they are, for a loss; else they are detached.

    Yields:
        the tensors by name, empty until the model runs.

    Raises:
        TypeError: model is no torch module.
    """
    check_type("model", model, nn.Module)
    recording = Recording(model, gradients=gradients)

    def hook(module: nn.Module, _: object, output: object) -> None:
        ours = any(open_one is recording for open_one in recordings.get())
        if ours and isinstance(output, Tensor) and recording.names_output_of(module):
            recording.add(module, "", output)

    recordings.set((*recordings.get(), recording))
    handle = register_module_forward_hook(hook)
    try:
        yield recording
    finally:
        handle.remove()
        recordings.set(tuple(r for r in recordings.get() if r is not recording))


def record_as(model: nn.Module, twin: nn.Module) -> None:
    """Let whoever records a model record its twin, under the same names."""
    for recording in recordings.get():
        names = recording.names
        pairs = zip(model.modules(), twin.modules(), strict=True)
        names |= {other: names[own] for own, other in pairs if own in names}
