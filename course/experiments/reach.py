"""How far back a layer reaches: by its gradient, and by its state."""

import numpy as np
import torch
from numpy.typing import NDArray

from transformer_lib.checks.validation import check_number, check_size
from transformer_lib.training import seeded

from ..models.sequence_layer import Kind, SequenceLayer

Vector = NDArray[np.float64]
BATCH = 32
DRIVEN = 10_000  # words that a state reads
FARTHEST = 1000  # of them back


def gradient_back(kind: Kind, length: int, d_model: int, seed: int = 0) -> Vector:
    """How an untrained layer's last output depends on each word, from the last back.

    The gradient of a random sum of the last output's features: its norm at each word,
    as a share of the norms at all words, averaged over 32 random sequences.

    Args:
        kind: of the layer.
        length: n words, each D normal numbers.
        d_model: D.
        seed: of words and weights.

    Returns:
        (n,): the share of the word k steps back, for k = 0 … n − 1. They sum to 1.

    Raises:
        TypeError, ValueError: a size is below 1, or the kind is unknown.

    Source: Bengio, Simard and Frasconi (1994); D1.2.2, D1.3.2, D1.3.3.
    """
    check_size("length", length)
    with seeded(seed):
        layer = SequenceLayer(kind, d_model)
    draw = torch.Generator().manual_seed(seed)
    x = torch.randn(BATCH, length, d_model, generator=draw).requires_grad_()
    asked = torch.randn(BATCH, d_model, generator=draw)
    (slopes,) = torch.autograd.grad((layer(x)[:, -1] * asked).sum(), x)  # (B, n, D)
    size = slopes.double().norm(dim=-1).mean(dim=0).flip(0)  # (n,)
    shares: Vector = (size / size.sum()).numpy()
    return shares


def readable(d_model: int, farthest: int, keep: float, seed: int = 0) -> Vector:
    """How well a state of D numbers tells the word k steps back, for k = 0, 1, ….

        h_t = keep · U h_{t−1} + w x_t,   U orthogonal,   x_t one random number

    The best straight-line reading of x_{t−k} from h_t is found by least squares on one
    half of the states; R², on the other half, is the share of the word's variance that
    it explains. Over all k these shares sum to D at most, for every recurrent network.

    Args:
        d_model: D, at least 3.
        farthest: the largest k, at most 1000.
        keep: what a step leaves of the state's length, above 0 and at most 0.99.
        seed: of the network and the words.

    Returns:
        (farthest + 1,): R² for each k, up to what chance does to 10,000 words.

    Raises:
        TypeError, ValueError: a size is too small or too large.

    Source: Jaeger (2001), proposition 2; D1.2.3, D1.2.4.
    """
    check_size("d_model", d_model, least=3)
    check_size("farthest", farthest)
    check_number("farthest", farthest, 1, FARTHEST)
    check_number("keep", keep, 0, 0.99, above=True)
    draw = np.random.default_rng(seed)
    U = np.linalg.qr(draw.normal(size=(d_model, d_model)))[0] * keep
    w = draw.normal(size=d_model)
    x = draw.normal(size=DRIVEN)
    h = np.zeros(d_model)
    states = []
    for word in x:
        h = U @ h + w * word
        states.append(h)
    H = np.stack(states[farthest:])  # (N, D)
    back = range(farthest + 1)
    words = np.stack([x[farthest - k : DRIVEN - k] for k in back], axis=1)  # (N, k)
    half = len(H) // 2
    reading = np.linalg.lstsq(H[:half], words[:half], rcond=None)[0]  # (D, k)
    missed = (words[half:] - H[half:] @ reading).var(axis=0)
    told: Vector = 1 - missed / words[half:].var(axis=0)
    return told
