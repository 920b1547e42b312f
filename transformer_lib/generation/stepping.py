"""One token at a time: the blocks again, in few operators, for generation.

A single token is so little work that a step's time goes by between the operators: in
modules, checks and views. So the three projections of self-attention are laid side by
side, and the sub-layers become plain functions. `layers.py` says what they mean; a
test holds the two equal.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.modules import module as hooks

from ..model.activations import ACTIVATIONS
from ..model.attention import MultiHeadAttention
from ..model.embedding import PositionalEncoding, TokenEmbedding
from ..model.layers import (
    AddNorm,
    DecoderBlock,
    EncoderBlock,
    FeedForward,
    LayerNorm,
)
from ..model.stacks import Decoder, Encoder
from ..model.transformer import DecoderOnlyTransformer, Transformer
from ..support.cache_checks import check_caches
from ..support.caching import DecoderCache, KVCache
from ..support.watching import watchers

Masks = tuple[Tensor | None, Tensor | None]
Function = Callable[[Tensor], Tensor]
Sublayer = Callable[[Tensor, Masks], Tensor]

PARTS = {DecoderOnlyTransformer, Transformer, TokenEmbedding, PositionalEncoding}
PARTS |= {Encoder, Decoder, EncoderBlock, DecoderBlock, MultiHeadAttention, FeedForward}
PARTS |= {AddNorm, LayerNorm, nn.Linear, nn.ModuleList}


def can_step(model: nn.Module) -> bool:
    """Tell whether a model is made of our parts alone, and nobody listens to them.

    What an exchanged part computes, as in an exercise, only its own forward knows.
    """
    heard = watchers.get() or hooks._global_forward_hooks
    if heard or hooks._global_forward_pre_hooks:
        return False
    return all(map(_plain, model.modules()))


def _plain(part: nn.Module) -> bool:
    """Tell whether a part is one of ours, unchanged, that nobody listens to."""
    if isinstance(part, MultiHeadAttention):
        three = (part.W_Q, part.W_K, part.W_V)
        if len({W.bias is None for W in three}) > 1:
            return False
    listens = part._forward_hooks or part._forward_pre_hooks
    return type(part) in PARTS and "forward" not in vars(part) and not listens


class Stepper:
    """Reads one token of each text, and scores the next: ids (B,) to logits (B, V).

    Args:
        model: for which `can_step` is true, in evaluation mode.
        caches: one for each block of the decoder; filled as tokens are read.
    """

    def __init__(
        self,
        model: DecoderOnlyTransformer | Transformer,
        caches: Sequence[KVCache | DecoderCache],
    ) -> None:
        stack, tied = model.decoder, model.config.tie_embeddings
        kind = DecoderCache if isinstance(model, Transformer) else KVCache
        check_caches(caches, kind, len(stack.blocks))
        self.embedding = model.embedding
        if isinstance(model, Transformer) and not tied:
            self.embedding = model.target_embedding
        self.table = model.positions.table
        self.head = model.embedding.weight if tied else model.output.weight
        self.sublayers: list[tuple[Function, bool, Sublayer]] = []
        blocks = cast(Iterable[EncoderBlock | DecoderBlock], stack.blocks)
        for block, cache in zip(blocks, caches, strict=True):
            own = cache.target if isinstance(cache, DecoderCache) else cache
            self._add(block.add_norm_1, _look_back(block.self_attention, own))
            last = block.add_norm_2
            if isinstance(block, DecoderBlock) and isinstance(cache, DecoderCache):
                self._add(last, _look_across(block.cross_attention, cache.memory))
                last = block.add_norm_3
            self._add(last, _think(block.feed_forward))
        self.norm: Function | None = None if stack.norm is None else _norm(stack.norm)

    def __call__(self, token: Tensor, position: int | Tensor, masks: Masks) -> Tensor:
        """Score what follows a token of each text.

        Args:
            token: ids (B,).
            position: of all, or (B,).
            masks: for the looks at the target and at the memory.

        Returns:
            logits (B, V).
        """
        x: Tensor = self.embedding(token) + self.table[position]  # (B, D)
        for norm, norm_first, sublayer in self.sublayers:
            if norm_first:
                x = x + sublayer(norm(x), masks)
            else:
                x = norm(x + sublayer(x, masks))
        if self.norm is not None:
            x = self.norm(x)
        return F.linear(x, self.head)

    def _add(self, add_norm: AddNorm, sublayer: Sublayer) -> None:
        self.sublayers.append((_norm(add_norm.norm), add_norm.norm_first, sublayer))


def _norm(norm: LayerNorm) -> Function:
    shape, gamma, beta, eps = norm.gamma.shape, norm.gamma, norm.beta, norm.eps
    return lambda x: F.layer_norm(x, shape, gamma, beta, eps)


def _look_back(attention: MultiHeadAttention, cache: KVCache) -> Sublayer:
    """Attend to the past in the cache, and to oneself, who is added to it."""
    three = (attention.W_Q, attention.W_K, attention.W_V)
    W_QKV = torch.cat([W.weight for W in three])  # (3 D, D)
    b_QKV = torch.cat([W.bias for W in three]) if three[0].bias is not None else None
    W_O, b_O = attention.W_O.weight, attention.W_O.bias
    heads = (3, attention.n_heads, 1, attention.d_k)

    def sublayer(x: Tensor, masks: Masks) -> Tensor:
        q, k, v = F.linear(x, W_QKV, b_QKV).view(-1, *heads).unbind(1)  # (B, H, 1, d_k)
        cache.append(k, v)
        y = F.scaled_dot_product_attention(q, *cache.filled(), masks[0])
        return F.linear(y.reshape(x.shape), W_O, b_O)  # (B, D)

    return sublayer


def _look_across(attention: MultiHeadAttention, memory: KVCache) -> Sublayer:
    """Attend to the memory, whose keys and values are known."""
    W_Q, b_Q = attention.W_Q.weight, attention.W_Q.bias
    W_O, b_O = attention.W_O.weight, attention.W_O.bias
    heads = (attention.n_heads, 1, attention.d_k)

    def sublayer(x: Tensor, masks: Masks) -> Tensor:
        q = F.linear(x, W_Q, b_Q).view(-1, *heads)  # (B, H, 1, d_k)
        y = F.scaled_dot_product_attention(q, *memory.filled(), masks[1])
        return F.linear(y.reshape(x.shape), W_O, b_O)  # (B, D)

    return sublayer


def _think(network: FeedForward) -> Sublayer:
    W_1, b_1 = network.W_1.weight, network.W_1.bias
    W_2, b_2 = network.W_2.weight, network.W_2.bias
    bend = ACTIVATIONS[network.activation]
    return lambda x, _: F.linear(bend(F.linear(x, W_1, b_1)), W_2, b_2)
