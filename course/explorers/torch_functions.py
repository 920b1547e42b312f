"""What the library brings to explorers: its functions, and a state of torch."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from numpy.typing import NDArray

from explorable.functions import register
from transformer_lib.model.attention import masked_softmax
from transformer_lib.model.config import Activation
from transformer_lib.model.embedding import sinusoidal_encoding
from transformer_lib.model.layers import ACTIVATIONS

Array = NDArray[np.float64]
#: What the activations are called, as functions of a sheet and on the page.
SAID: dict[Activation, str] = {
    "relu": "ReLU",
    "gelu": "GELU",
    "gelu_tanh": "GELU, by tanh",
}


def softmax(scores: Array, mask: NDArray[np.bool_] | None = None) -> Array:
    """Call the softmax of the model on scores (…, T, S)."""
    x = torch.from_numpy(scores)
    seen = None if mask is None else torch.from_numpy(mask)
    weights: Array = masked_softmax(x, seen).numpy()
    return weights


def activation(kind: Activation) -> Callable[[Array], Array]:
    """Return an activation of the model, such as ReLU, as a function of arrays."""

    def activate(x: Array) -> Array:
        y: Array = ACTIVATIONS[kind](torch.from_numpy(x)).numpy()
        return y

    return activate


def sinusoid(
    *, positions: Sequence[int], base: float, d_model: int, first: int, count: int
) -> Array:
    """Call the model's positional encoding: `count` features of each position.

    They are those from `first` on, of d_model; in float64.
    """
    length = max(positions) + 1
    every = sinusoidal_encoding(length, d_model, float(base), dtype=torch.float64)
    waves: Array = every[list(positions), first : first + count].numpy()
    return waves


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute on one thread: what is shown is too small to wait for help."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


class Isolated:
    """A state of torch that long work has for itself from step to step.

    Its random numbers, its number type, its gradients and its one thread are its own;
    the program's are left as they were.
    """

    def __init__(self) -> None:
        self._random = torch.Generator().manual_seed(0).get_state()
        self._gradients = True

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Take up the state, and put it away again."""
        theirs = torch.get_rng_state()
        dtype = torch.get_default_dtype()
        torch.set_rng_state(self._random)
        torch.set_default_dtype(torch.float32)
        try:
            with (
                one_thread(),
                torch.inference_mode(False),
                torch.set_grad_enabled(self._gradients),
            ):
                yield
                self._gradients = torch.is_grad_enabled()
        finally:
            self._random = torch.get_rng_state()
            torch.set_default_dtype(dtype)
            torch.set_rng_state(theirs)


register(
    masked_softmax=softmax,
    sinusoid=sinusoid,
    quiet=one_thread,
    isolated=Isolated,
    **{said: activation(kind) for kind, said in SAID.items()},
)
