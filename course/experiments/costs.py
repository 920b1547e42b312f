"""What a layer costs: products, steps one after another, paths, memory, time.

All of it is measured on layers that run, and on the graph that autograd keeps of them.
"""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from transformer_lib.checks.validation import check_size
from transformer_lib.model.attention import attention_scores, masked_softmax

from ..models.sequence_layer import Kind, SequenceLayer

WIDTH = 4  # words that a convolution or a restricted attention sees at once
RACERS: tuple[Kind, ...] = ("RNN", "LSTM", "attention")
RACERS_D = 64
Words = Sequence[Tensor]  # n rows (1, D)
Layer = Callable[[Words, int], Words]


def self_attention(words: Words, level: int = 0) -> Words:
    """Average all words, by weights that are made of them."""
    x = torch.cat([*words])  # (n, D)
    return (masked_softmax(attention_scores(x, x)) @ x).tensor_split(len(x))


def recurrent(words: Words, level: int = 0) -> Words:
    """Read word after word: h_t = tanh(x_t W_x + h_{t−1} W_h)."""
    D = words[0].size(1)
    W_x = _weights(D, D)
    W_h = _weights(D, D)
    h = words[0].new_zeros(1, D)
    states = []
    for word in words:
        h = torch.tanh(word @ W_x + h @ W_h)  # (1, D)
        states.append(h)
    return states


def convolution(words: Words, level: int = 0) -> Words:
    """Sum over WIDTH words that stand WIDTH^level places apart."""
    x = torch.cat([*words])  # (n, D)
    apart = WIDTH**level
    padded = F.pad(x.T[None], ((WIDTH - 1) * apart, 0))  # (1, D, n + …)
    kernel = _weights(x.size(1), x.size(1), WIDTH)
    return F.conv1d(padded, kernel, dilation=apart)[0].T.tensor_split(len(x))


def restricted(words: Words, level: int = 0) -> Words:
    """Average the last WIDTH words, by weights that are made of them."""
    x = torch.cat([*words])  # (n, D)
    near = F.pad(x, (0, 0, WIDTH - 1, 0)).unfold(0, WIDTH, 1)  # (n, D, WIDTH)
    weights = torch.softmax(x[:, None] @ near / x.size(1) ** 0.5, dim=-1)
    return (weights @ near.mT)[:, 0].tensor_split(len(x))


LAYERS: Mapping[str, Layer] = {
    "self-attention": self_attention,
    "recurrent": recurrent,
    "convolution": convolution,
    "restricted": restricted,
}


@dataclass(frozen=True)
class Cost:
    """What a layer costs on n words of D numbers.

    Args:
        products: multiplications of two numbers, in one layer.
        sequential: matrix products in the longest chain, where each needs the last.
        path: matrix products on the shortest way from the first word to the last
            output, in as few layers as connect them.
        stored: numbers that one layer stores for the backward pass.
    """

    products: int
    sequential: int
    path: int
    stored: int


def measure(name: str, length: int, d_model: int) -> Cost:
    """Run one of LAYERS on random words, and read off what it did.

    Raises:
        KeyError: there is no such layer.
        TypeError, ValueError: a size is below 1.

    Source: Vaswani et al. (2017), §4, Table 1; D1.2.1, D1.2.6, D1.3.1, D1.3.2.
    """
    check_size("length", length)
    check_size("d_model", d_model)
    layer = LAYERS[name]
    words = [torch.randn(1, d_model).requires_grad_() for _ in range(length)]
    marked = [torch.full((1, d_model), torch.nan), *words[1:]]  # it marks what it meets
    levels = 1
    while not _stacked(layer, marked, levels)[-1].isnan().any():
        levels += 1
    sequential = chain(layer(words, 0)[-1], max)
    rows = _stacked(layer, words, levels)
    path = chain(rows[-1], min, words[0])

    def run() -> Words:
        return layer(words, 0)

    return Cost(products(run), sequential, path, stored(run))


def table(*names: str) -> str:
    """Write what some LAYERS cost with 32 words of 16 numbers.

    Next to the products you see how they grow when n or D is doubled.
    """
    lines = ["layer           multiplications   n→2n   d→2d   sequential   path"]
    for name in names:
        cost = measure(name, 32, 16)
        longer = round(measure(name, 64, 16).products / cost.products)
        wider = round(measure(name, 32, 32).products / cost.products)
        grown = f"{f'×{longer}':>6} {f'×{wider}':>6}"
        counted = f"{cost.products:16,} {grown} {cost.sequential:12} {cost.path:6}"
        lines.append(f"{name:14} {counted}")
    return "\n".join(lines)


def _stacked(layer: Layer, words: Words, levels: int) -> Words:
    for level in range(levels):
        words = layer(words, level)
    return words


def multiplications(kind: Kind, length: int, d_model: int) -> tuple[int, int]:
    """Count what a `SequenceLayer` multiplies: with its words, and of words by words.

    An RNN multiplies each word and each state by a matrix, an LSTM by four; attention
    makes four projections, then n² scores and an average over n words for each word.

    Source: Vaswani et al. (2017), Table 1, which counts one matrix product of each.
    """
    matrices = {"RNN": 2, "attention": 4}.get(kind, 8)
    pairs = 2 * length**2 * d_model if kind == "attention" else 0
    return matrices * length * d_model**2, pairs


def products(run: Callable[[], object]) -> int:
    """Count the multiplications of two numbers in the matrix products of a call.

    An LSTM of 32-bit numbers runs as one kernel here, and its products are not seen:
    count one of 64-bit numbers.
    """
    counter = FlopCounterMode(display=False)
    with sdpa_kernel(SDPBackend.MATH), counter:
        run()
    return int(counter.get_total_flops()) // 2  # it counts an addition for each


def stored(run: Callable[[], object]) -> int:
    """Count the numbers that a call stores for its backward pass, each once."""
    sizes: dict[int, int] = {}

    def keep(x: Tensor) -> Tensor:
        memory = x.untyped_storage()
        sizes[memory.data_ptr()] = memory.nbytes() // x.element_size()
        return x

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda x: x):
        y = run()
    del y  # until here nothing that was stored is freed, so no address counts twice
    return sum(sizes.values())


def chain(y: Tensor, pick: Callable[..., int], word: Tensor | None = None) -> int:
    """Count the matrix products on the way from an output back to the words.

    Args:
        y: the output.
        pick: max for the longest way, min for the shortest.
        word: where the way must end; by default anywhere.
    """
    found: dict[Any, int | None] = {}
    waiting: list[Any] = [y.grad_fn]
    while waiting:
        node = waiting[-1]
        before = [other for other, _ in node.next_functions if other is not None]
        unknown = [other for other in before if other not in found]
        waiting += unknown
        if not unknown:
            found[waiting.pop()] = _length(node, [found[n] for n in before], pick, word)
    return found[y.grad_fn] or 0


def _length(
    node: Any, before: list[int | None], pick: Callable[..., int], word: Tensor | None
) -> int | None:
    """The products from a node of the graph back to the words, or None: no way."""
    if not before:
        return 0 if word is None or node.variable is word else None
    lengths = [length for length in before if length is not None]
    own = any(kind in node.name() for kind in ("mmBackward", "MmBackward", "Convol"))
    return pick(lengths) + own if lengths else None


def seconds(
    runs: Mapping[str, Callable[[], Tensor]], rounds: int = 7
) -> dict[str, float]:
    """Time calls and their gradients: the median of some rounds, all in turn.

    It is the core's own time: that on the clock, where a thread has a core to itself.
    What slows the core down meets all calls alike; the first round warms up.
    """
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds + 1):
        for name, run in runs.items():
            began = time.process_time()
            run().sum().backward()  # type: ignore[no-untyped-call]
            taken[name].append(time.process_time() - began)
    return {name: statistics.median(times[1:]) for name, times in taken.items()}


def race(length: int, sentences: int = 1) -> dict[str, float]:
    """Time a forward and a backward pass of layers on the same words, in milliseconds.

    An RNN, an LSTM and attention read sentences of n words of 64 numbers.

    Raises:
        TypeError, ValueError: a size is below 1.

    Source: D1.2.1, D1.3.1, D1.7.3.
    """
    check_size("length", length)
    check_size("sentences", sentences)
    x = torch.randn(sentences, length, RACERS_D)
    runs: dict[str, Callable[[], Tensor]]
    runs = {kind: partial(SequenceLayer(kind, RACERS_D), x) for kind in RACERS}
    return {kind: 1000 * t for kind, t in seconds(runs, rounds=5).items()}


def _weights(*shape: int) -> Tensor:
    """A random matrix that is learned, and leaves a vector about as long as it is."""
    fan = torch.Size(shape[1:]).numel()
    weights: Tensor = torch.randn(shape) / fan**0.5
    return weights.requires_grad_()
