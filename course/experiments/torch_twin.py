"""Whether a whole model computes what the library's and PyTorch's own models do."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.embedding import sinusoidal_encoding
from transformer_lib.model.transformer import Transformer
from transformer_lib.oracles.torch_twins import load_torch

CLOSE = 1e-9  # all three compute in float64
S, T = 6, 5


def compare(mine: nn.Module, theirs: Any) -> str:
    """Give three models the same parameters; compare their logits and gradients.

    The three are the reader's, the library's, and PyTorch's. They read the same random
    batch, in which one source ends in padding, and compute in float64.

    Args:
        mine: ids (B, S), ids (B, T), mask (B, 1, 1, S) → logits (B, T, V). Its
            parameters are listed in the order of the library's: the embedding, the
            encoder's blocks, the decoder's blocks.
        theirs: an `nn.Transformer` without dropout and final norms. It has no
            embedding, so it gets the library's.

    Returns:
        a sentence: what is equal, or how far apart the models are.
    """
    mine, theirs = deepcopy(mine).double(), deepcopy(theirs).double()
    V = next(mine.parameters()).size(0)
    ours = Transformer(_config(V, theirs)).double()
    load_torch(ours, theirs)
    values = ours.state_dict().values()
    mine.load_state_dict(dict(zip(mine.state_dict(), values, strict=True)))
    draw = torch.Generator().manual_seed(0)
    source, target = (torch.randint(V, (3, n), generator=draw) for n in (S, T))
    mask = torch.ones(3, 1, 1, S, dtype=torch.bool)
    mask[0, ..., -2:] = False  # padding
    logits = [model(source, target, mask) for model in (mine, ours)]
    logits.append(_torchs(ours, theirs, source, target, mask))
    gradients = [
        torch.autograd.grad(logits[0].square().mean(), [*mine.parameters()]),
        torch.autograd.grad(logits[1].square().mean(), [*ours.parameters()]),
        _gradients(ours, theirs, logits[2]),
    ]
    return _told(logits, gradients)


def _config(V: int, theirs: Any) -> TransformerConfig:
    layer = theirs.encoder.layers[0]
    return TransformerConfig(
        vocabulary_size=V,
        d_model=theirs.d_model,
        n_heads=theirs.nhead,
        n_encoder_layers=len(theirs.encoder.layers),
        n_decoder_layers=len(theirs.decoder.layers),
        d_ff=layer.linear1.out_features,
        dropout=0.0,
    )


def _torchs(
    ours: Transformer, theirs: Any, source: Tensor, target: Tensor, mask: Tensor
) -> Tensor:
    """Return PyTorch's logits, with our embedding before its stacks and after them."""
    P = sinusoidal_encoding(S, ours.d_model, dtype=torch.float64)
    x, y = (ours.embedding(ids) + P[: ids.size(1)] for ids in (source, target))
    hidden = ~mask[:, 0, 0]  # to PyTorch, True is what cannot be seen
    future = ~torch.ones(T, T, dtype=torch.bool).tril()
    padding = {"src_key_padding_mask": hidden, "memory_key_padding_mask": hidden}
    return ours.embedding.logits(theirs(x, y, tgt_mask=future, **padding))


def _gradients(ours: Transformer, theirs: Any, logits: Tensor) -> Sequence[Tensor]:
    """Return PyTorch's gradients in the order of ours: they travel as weights do."""
    parts = [*theirs.parameters(), ours.embedding.weight]
    *found, of_embedding = torch.autograd.grad(logits.square().mean(), parts)
    vector_to_parameters(parameters_to_vector(found), theirs.parameters())
    carrier = deepcopy(ours)
    load_torch(carrier, theirs)
    return [of_embedding, *[*carrier.parameters()][1:]]


def _told(logits: Sequence[Tensor], gradients: Sequence[Sequence[Tensor]]) -> str:
    shape, count = tuple(logits[0].shape), len(gradients[0])
    apart = max(_distance(logits[0], other) for other in logits[1:])
    if apart > CLOSE:
        return f"logits {shape} differ by up to {apart:.2g}"
    wrong = sum(
        any(_distance(own, other) > CLOSE for other in others)
        for own, *others in zip(*gradients, strict=True)
    )
    if wrong:
        return f"logits {shape} equal, but {wrong} of {count} gradients differ"
    return f"logits {shape} and {count} gradients equal"


def _distance(a: Tensor, b: Tensor) -> float:
    return float((a - b).detach().abs().max())
