"""Recording: every named tensor of a forward pass, for as long as one is watching."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches

from torch import Tensor, nn

from ..checks.arguments import check_arguments
from .hooks import Watcher, watching


class Recording(dict[str, Tensor]):
    """Tensors by name, in the order in which they came; prints names and shapes."""

    def __missing__(self, name: str) -> Tensor:
        raise KeyError(f"{name!r} was not recorded; near it: {near(name, self)}")

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        return "\n".join(
            f"{name:{width}}  {tuple(x.shape)}" for name, x in self.items()
        )


class Recorder(Watcher):
    """Keeps what it sees.

    Args:
        model: whose tensors.
        gradients: whether to keep them as they are; else they are detached.
    """

    def __init__(self, model: nn.Module, gradients: bool) -> None:
        super().__init__(model)
        self.gradients = gradients
        self.tensors = Recording()

    def see(self, name: str, x: Tensor) -> Tensor:
        """Keep a tensor, and let it go on."""
        self.tensors[name] = x if self.gradients else x.detach()
        return x


@contextmanager
@check_arguments
def record(model: nn.Module, *, gradients: bool = False) -> Iterator[Recording]:
    """Keep every named tensor of the passes that `model` makes inside the `with`.

        with record(model) as tensors:
            model(source, target)
        tensors["encoder.blocks.0.self_attention.weights"]  # (B, H, T, S)

    A part's output bears the part's name (the model's own is "output"), and what it
    computes on the way a name behind that. A second pass replaces the first. The
    tensors are those of the pass: what is changed in place changes them too. Nothing
    stays on the model, and other threads are not recorded. What is replaced by `patch`
    is kept as it was replaced.

    Args:
        model: any module: one of ours, or one that is built of ours.
        gradients: keep the tensors as they are, for a loss; else they are detached.

    Yields:
        the tensors by name, empty until the model runs.

    Raises:
        TypeError: model is no torch module.
        ValueError: model, or a part of it, is compiled.
    """
    recorder = Recorder(model, gradients)
    with watching(recorder):
        yield recorder.tensors


def near(name: str, known: Iterable[str]) -> list[str]:
    """List the known names that are most like one that is not known."""
    return get_close_matches(name, list(known), n=3, cutoff=0.4)
