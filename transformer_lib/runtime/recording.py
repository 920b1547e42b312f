"""Recording: every named tensor of a forward pass, and what it was computed from."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches

from torch import Tensor, nn
from torch.utils.weak import WeakTensorKeyDictionary

from ..checks.validation import check_arguments, require
from .hooks import Watcher, watching


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
