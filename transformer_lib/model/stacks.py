"""The stacks: blocks on top of each other, vectors in and vectors out."""

from collections.abc import Iterable, Sequence
from typing import cast

from torch import Tensor, nn

from ..support.cache_checks import check_caches, check_gradients
from ..support.caching import DecoderCache, KVCache
from ..support.summary import Tree
from .config import TransformerConfig, check_config
from .layers import DecoderBlock, EncoderBlock, LayerNorm


class Encoder(Tree):
    """Pass vectors up through encoder blocks: (B, T, D) to (B, T, D).

    With `causal` it is the stack of a decoder-only model.

    Source: Vaswani et al. (2017), §3.1; D0.2.1, D2.6, D3.8.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        n = check_config(config).n_encoder_layers
        self.blocks = nn.ModuleList(EncoderBlock(config) for _ in range(n))
        self.norm = _final_norm(config)

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        *,
        causal: bool = False,
        cache: Sequence[KVCache] | None = None,
    ) -> Tensor:
        """Turn x (B, T, D) into (B, T, D).

        Args:
            x: (B, T, D).
            mask: boolean, broadcasts to (B, H, T, S); True where a query may look.
            causal: hide the future as well.
            cache: one for each block, when S counts past tokens too.
        """
        check_caches(cache, KVCache, len(self.blocks))
        if cache is not None:
            check_gradients(self.blocks)
        for i, block in enumerate(self.blocks):
            x = block(x, mask, causal=causal, cache=cache[i] if cache else None)
        return x if self.norm is None else self.norm(x)

    def new_cache(self, batch: int, room: int) -> list[KVCache]:
        """Make room for `room` tokens in each block."""
        blocks = cast(Iterable[EncoderBlock], self.blocks)
        return [block.self_attention.new_cache(batch, room) for block in blocks]


class Decoder(Tree):
    """Pass vectors up through decoder blocks, each of which looks at the memory.

    Source: Vaswani et al. (2017), §3.1; D0.2.2, D2.11.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        n = check_config(config).n_decoder_layers
        self.blocks = nn.ModuleList(DecoderBlock(config) for _ in range(n))
        self.norm = _final_norm(config)

    def forward(
        self,
        x: Tensor,
        memory: Tensor | None,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        *,
        causal: bool = False,
        cache: Sequence[DecoderCache] | None = None,
    ) -> Tensor:
        """Turn x (B, T, D), given the memory (B, S, D), into (B, T, D).

        Args:
            x: (B, T, D).
            memory: (B, S, D), or None with a cache, which holds its keys and values.
            mask: boolean, broadcasts to (B, H, T, T); True where a target may look.
            memory_mask: boolean, broadcasts to (B, H, T, S).
            causal: hide the target's future as well; False obeys the mask alone.
            cache: one for each block.
        """
        check_caches(cache, DecoderCache, len(self.blocks))
        if cache is not None:
            check_gradients(self.blocks)
        for i, block in enumerate(self.blocks):
            own = cache[i] if cache else None
            x = block(x, memory, mask, memory_mask, causal=causal, cache=own)
        return x if self.norm is None else self.norm(x)

    def new_cache(self, memory: Tensor, room: int) -> list[DecoderCache]:
        """Project the memory (B, S, D) once for each block, and make room in each."""
        caches = []
        for block in cast(Iterable[DecoderBlock], self.blocks):
            memory_cache = block.cross_attention.remember(memory)
            target_cache = block.self_attention.new_cache(memory.size(0), room)
            caches.append(DecoderCache(target_cache, memory_cache))
        return caches


def _final_norm(config: TransformerConfig) -> LayerNorm | None:
    """Pre-norm needs a norm at the end; post-norm has one where it is asked for."""
    wanted = config.norm_first or config.final_norm
    return LayerNorm(config.d_model, bias=config.bias) if wanted else None
