"""Patching: replace a named tensor of a forward pass, and see what changes.

The names are those of `record`.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from ..checks.validation import (
    broadcasts,
    check_arguments,
    check_dense,
    check_function,
    check_type,
    require,
)
from .recording import Watcher, near, unwatched, watching

Name = str | tuple[str, int]
Change = Tensor | Callable[[Tensor], Tensor]
Changes = (
    Mapping[str, Change] | Mapping[tuple[str, int], Change] | Mapping[Name, Change]
)


class Patch(Watcher):
    """Replaces tensors of a model: see `patch`."""

    changes = True

    def __init__(self, model: nn.Module, changes: Changes) -> None:
        super().__init__(model)
        check_type("changes", changes, Mapping)
        self.wanted: dict[str, list[tuple[int | None, Change]]] = {}
        for key, change in changes.items():
            name, head = _split_key(key)
            what = f"the change of {key!r}"
            if isinstance(change, Tensor):
                check_dense(what, change)
            else:
                wanted, got = "be a tensor or a function of one", type(change).__name__
                require(callable(change), what, wanted, got, TypeError)
                check_function(what, change, "a tensor")
            self.wanted.setdefault(name, []).append((head, change))
        self.met: dict[str, None] = {}  # since the pass began, in order
        self.passes = 0

    def see(self, name: str, x: Tensor, inputs: tuple[Tensor, ...]) -> Tensor:
        """Return a tensor, or its replacement."""
        self.met[name] = None
        for head, change in self.wanted.get(name, []):
            if head is None:
                x = _changed(name, change, x)
            else:
                x = _changed_head(name, head, change, x)
        return x

    def end_pass(self) -> None:
        """Raise a KeyError unless the pass has met every name."""
        met, self.met = self.met, {}
        self.passes += 1
        for name in self.wanted:
            if name not in met:
                likely = near(name, met)
                raise KeyError(f"{name!r} was not met in the pass; near it: {likely}")


@check_arguments
@contextmanager
def patch(model: nn.Module, changes: Changes) -> Iterator[None]:
    """Replace named tensors in the passes that `model` makes inside the `with`.

        weights = "decoder.blocks.0.self_attention.weights"
        with patch(model, {(weights, 2): torch.zeros_like}):  # head 2 looks nowhere
            logits = model(source, target)

    The names are those of `record`. Everything that is computed from a tensor is then
    computed from its replacement. Inside `caching`, keys and values are replaced in
    each pass, with those of the past, and the cache keeps its own. Several patches act
    in the order in which they were opened. Nothing is stored on the model, and other
    threads are not patched. Gradients flow through a patch.

    Args:
        model: any module that is one of ours or built from ours.
        changes: the replacement of each tensor by its name, or by (name, head) for one
            head of a tensor (B, H, …). A function takes the tensor, (B, …) for one
            head, and returns one of the same shape and type; it may change it in place.
            A tensor must broadcast to the shape.

    Raises:
        TypeError: model is not a torch module, a change is neither a tensor nor a
            function, or a function does not return a tensor.
        ValueError: a replacement does not fit; or a tensor has no heads; or a part of
            the model is compiled.
        IndexError: there is no such head.
        KeyError: a pass has ended without meeting a name; similar names are listed.

    Source: Vig et al. (2020), for what replacing a part can show.
    """
    patching = Patch(model, changes)
    with watching(patching):
        yield
    if patching.met and not patching.passes:  # only parts of the model ran
        patching.end_pass()


def _split_key(key: Name) -> tuple[str, int | None]:
    """Read a key of changes: the name, and the head if there is one."""
    if isinstance(key, str):
        return key, None
    pair = isinstance(key, tuple) and list(map(type, key)) == [str, int]
    require(pair, "a name to patch", "be a str or (str, int)", repr(key), TypeError)
    return key


def _changed(name: str, change: Change, x: Tensor) -> Tensor:
    """Return the replacement of x."""
    with unwatched():
        new = change if isinstance(change, Tensor) else change(x.clone())
    kind = type(new).__name__
    require(isinstance(new, Tensor), name, "be replaced by a tensor", kind, TypeError)
    fits = new.dtype == x.dtype and new.device == x.device
    wanted = f"be replaced by numbers of {x.dtype} on {x.device}"
    require(fits, name, wanted, f"{new.dtype} on {new.device}")
    given = new is change
    fits = broadcasts(new.shape, x.shape) if given else new.shape == x.shape
    wanted = "that broadcasts to" if given else "of its shape"
    wanted = f"be replaced by a tensor {wanted} {tuple(x.shape)}"
    require(fits, name, wanted, tuple(new.shape))
    return new.expand(x.shape).clone() if given else new


def _changed_head(name: str, head: int, change: Change, x: Tensor) -> Tensor:
    """Return x (B, H, …) with one head (B, …) replaced."""
    heads = x.dim() == 4
    require(heads, name, f"have heads, for head {head}", f"shape {tuple(x.shape)}")
    H = x.size(1)
    there = 0 <= head < H
    require(there, f"head of {name}", f"be from 0 to {H - 1}", head, IndexError)
    new = _changed(f"head {head} of {name}", change, x[:, head])
    return torch.cat([x[:, :head], new[:, None], x[:, head + 1 :]], dim=1)
