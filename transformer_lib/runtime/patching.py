"""Patching: a named tensor of a forward pass replaced by another, to see what follows.

What `record` shows is what can be replaced, by the same names.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from ..checks.arguments import skip_checks
from ..checks.validation import check_dense, check_function, check_type, require
from .hooks import Watcher, unwatched, watching
from .recording import near

Name = str | tuple[str, int]
Change = Tensor | Callable[[Tensor], Tensor]
Changes = (
    Mapping[str, Change] | Mapping[tuple[str, int], Change] | Mapping[Name, Change]
)


class Patch(Watcher):
    """Replaces what it sees, where it is told to.

    Args:
        model: whose tensors.
        changes: what to put in the place of each, by name.

    Raises:
        TypeError: they are no tensors or functions by name, or by name and head.
    """

    changes = True

    def __init__(self, model: nn.Module, changes: Changes) -> None:
        super().__init__(model)
        check_type("changes", changes, Mapping)
        self.wanted: dict[str, list[tuple[int | None, Change]]] = {}
        for place, change in changes.items():
            name, head = _place(place)
            wanted = "be a tensor or a function of one"
            fits = isinstance(change, Tensor) or callable(change)
            got = type(change).__name__
            what = f"the change of {place!r}"
            require(fits, what, wanted, got, TypeError)
            if isinstance(change, Tensor):
                check_dense(what, change)
            else:
                check_function(what, change, "a tensor")
            self.wanted.setdefault(name, []).append((head, change))
        self.met = set[str]()  # since the pass began
        self.known: dict[str, None] = {}  # all that were met, in order

    def see(self, name: str, x: Tensor, inputs: tuple[Tensor, ...]) -> Tensor:
        """Give what goes on in the place of a tensor."""
        self.met.add(name)
        self.known[name] = None
        for head, change in self.wanted.get(name, []):
            if head is None:
                x = _changed(name, change, x)
            else:
                x = _changed_head(name, head, change, x)
        return x

    def end_pass(self) -> None:
        """Raise a KeyError unless the pass has met every name."""
        met = self.met
        self.met = set()
        self._check(met)

    def end(self) -> None:
        """Raise a KeyError unless the parts of passes that were made met every name."""
        if self.met:
            self._check(set(self.known))

    def _check(self, met: set[str]) -> None:
        for name in self.wanted:
            if name not in met:
                likely = near(name, self.known)
                raise KeyError(f"{name!r} was not met in the pass; near it: {likely}")


@contextmanager
def patch(model: nn.Module, changes: Changes) -> Iterator[None]:
    """Replace named tensors in the passes that `model` makes inside the `with`.

        weights = "decoder.blocks.0.self_attention.weights"
        with patch(model, {(weights, 2): torch.zeros_like}):  # head 2 looks nowhere
            logits = model(source, target)

    The names are those that `record` gives; what is computed from a tensor follows from
    what was put in its place, recorded tensors too. Keys and values inside `caching`
    are replaced in each pass, those of the past as well; the cache keeps its own. Of
    several patches the one that was opened first is the first to act. Nothing stays on
    the model, and other threads are not patched. Gradients go through a patch.

    Args:
        model: any module: one of ours, or one that is built of ours.
        changes: by a tensor's name, or (name, head) for one head of a tensor
            (B, H, …): what to put there. A function is given the tensor, (B, …) for
            one head, and gives one of its shape and type; it may change it in place. A
            tensor is put there itself, and must broadcast to the shape.

    Raises:
        TypeError: model is no torch module, or a change is no tensor or function, or a
            function gives no tensor.
        ValueError: what a function gives, or a tensor, does not fit; or a head is
            asked of a tensor without heads; or a part of the model is compiled.
        IndexError: there is no such head.
        KeyError: a pass has ended that did not meet a name; the nearest are named.

    Source: Vig et al. (2020), for what replacing a part can show.
    """
    patching = Patch(model, changes)
    with watching(patching):
        yield
    patching.end()


def _place(place: Name) -> tuple[str, int | None]:
    """Read a key of changes: the name, and the head if there is one."""
    if isinstance(place, str):
        return place, None
    pair = isinstance(place, tuple) and list(map(type, place)) == [str, int]
    require(pair, "a name to patch", "be a str or (str, int)", repr(place), TypeError)
    return place


def _changed(name: str, change: Change, x: Tensor) -> Tensor:
    """Give what stands in the place of x."""
    if isinstance(change, Tensor):
        new = change
    else:
        with unwatched(), skip_checks(False):
            new = change(x.clone())
    kind = type(new).__name__
    require(isinstance(new, Tensor), name, "be replaced by a tensor", kind, TypeError)
    fits = new.dtype == x.dtype and new.device == x.device
    wanted = f"be replaced by numbers of {x.dtype} on {x.device}"
    require(fits, name, wanted, f"{new.dtype} on {new.device}")
    shape = tuple(x.shape)
    if isinstance(change, Tensor):
        fits = _broadcasts(new, x)
        wanted = f"be replaced by a tensor that broadcasts to {shape}"
    else:
        fits = new.shape == x.shape
        wanted = f"be replaced by a tensor of its shape {shape}"
    require(fits, name, wanted, tuple(new.shape))
    return new.expand(x.shape).clone() if new is change else new


def _changed_head(name: str, head: int, change: Change, x: Tensor) -> Tensor:
    """Give x (B, H, …) with something else in the place of one head (B, …)."""
    heads = x.dim() == 4
    require(heads, name, f"have heads, for head {head}", f"shape {tuple(x.shape)}")
    H = x.size(1)
    there = 0 <= head < H
    require(there, f"head of {name}", f"be from 0 to {H - 1}", head, IndexError)
    new = _changed(f"head {head} of {name}", change, x[:, head])
    return torch.cat([x[:, :head], new[:, None], x[:, head + 1 :]], dim=1)


def _broadcasts(new: Tensor, x: Tensor) -> bool:
    """Tell whether a tensor can be repeated to the shape of x."""
    sizes = zip(reversed(new.shape), reversed(x.shape), strict=False)
    return new.dim() <= x.dim() and all(own in (1, n) for own, n in sizes)
