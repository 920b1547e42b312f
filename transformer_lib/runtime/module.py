"""The base classes of our layers and models: modules that print their sizes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

from torch import Tensor, nn

from ..checks.validation import check_arguments, require
from .caching import cache_of

#: What a configuration says about weights that their shapes do not.
MEANING = (
    "n_heads",
    "positions",
    "activation",
    "norm_first",
    "norm_eps",
    "scale_embeddings",
    "norm",
    "rotary_base",
    "rotary_pairs",
    "window",
)


def glorot(*layers: nn.Linear) -> None:
    """Draw weights as Glorot and Bengio (2010) do, and set biases to 0."""
    for W in layers:
        nn.init.xavier_uniform_(W.weight)
        if W.bias is not None:
            nn.init.zeros_(W.bias)


class Part(nn.Module):
    """A module that returns one tensor, and prints its sizes."""

    __call__: Callable[..., Tensor]
    printed = ""  # how the sizes of a part {0} are printed

    def extra_repr(self) -> str:
        """Show the sizes."""
        return self.printed.format(self)

    def fill(self) -> None:
        """Compute the buffers that are not learned; called again after every move."""

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Move the part, and fill it again: `.double()`, for example, adds digits."""
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        self.fill()
        return self

    def past_length(self) -> int:
        """Count the tokens that self-attention has read before, inside `caching`."""
        cache = cache_of(self)
        return 0 if cache is None else cache.count(cache.names.get(self, ""))


class Assembly(Part):
    """A module that prints as a tree of its parts.

    What its configuration says about the weights is saved with them in a state dict,
    and a model with another such configuration refuses them.
    """

    def _meaning(self) -> dict[str, object]:
        config = getattr(self, "config", None)
        return {n: getattr(config, n) for n in MEANING if hasattr(config, n)}

    def _save_to_state_dict(self, destination: Any, prefix: str, keep: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep)
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] |= self._meaning()

    def _load_from_state_dict(
        self, state: Any, prefix: str, said: dict[str, object], *rest: Any
    ) -> None:
        for name, own in self._meaning().items():
            theirs = said.get(name, own)
            what = f"state_dict of {name}"
            require(theirs == own, what, f"be {own!r}, as the model is", repr(theirs))
        super()._load_from_state_dict(state, prefix, said, *rest)

    def __repr__(self) -> str:
        return "\n".join([_label(self), *_branches(self)])


def _branches(module: nn.Module) -> list[str]:
    """Draw the children, each with its own branches, and equal blocks once."""
    children = list(module.named_children())
    lines = []
    for i, (name, child) in enumerate(children):
        end = i == len(children) - 1
        inner = child
        label = f"{name}: {_label(child)}"
        if isinstance(child, nn.ModuleList) and len(child):
            inner = child[0]
            label = f"{name}: {len(child)} × {_label(inner)}"
        lines.append(("└─ " if end else "├─ ") + label)
        lines += [("   " if end else "│  ") + line for line in _branches(inner)]
    return lines


def _label(module: nn.Module) -> str:
    """Show a module's class, sizes and number of parameters."""
    said = module.extra_repr()
    count = sum(p.numel() for p in module.parameters())
    return f"{type(module).__name__}{f'({said})' if said else ''} · {count:,}"


@check_arguments
@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Put a model into evaluation mode inside the `with`, and restore it afterwards.

    The mode is stored on the model, so two threads should not share one in training.
    Raise a TypeError if model is not a torch module.
    """
    training = [part for part in model.modules() if part.training]
    for part in training:
        part.training = False
    try:
        yield
    finally:
        for part in training:
            part.training = True
