"""Stacks of blocks for self-attention: some see the future, some do not."""

from torch import Tensor, nn

from transformer_lib.checks.validation import check_option
from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.layers import AddNorm, EncoderBlock, FeedForward
from transformer_lib.model.masks import causal_mask

ENCODER, GPT, UNMASKED, MASKED = KINDS = (
    "encoder",
    "GPT-style",
    "second unmasked",
    "both masked",
)


class TwoAttentions(nn.Module):
    """The decoder-only block of document D3: two self-attentions and a network.

    The first is masked. The second is an encoder-decoder's look at the source with the
    source taken away; the document leaves it without a mask.

    Args:
        config: the sizes.
        second_causal: whether the second attention is masked too.

    Source: D3.9.
    """

    def __init__(self, config: TransformerConfig, second_causal: bool) -> None:
        super().__init__()
        D = config.d_model
        H = config.n_heads
        self.first, self.second = (
            MultiHeadAttention(D, H, config.dropout) for _ in range(2)
        )
        self.feed_forward = FeedForward(D, config.d_ff, config.dropout)
        self.add_norm_1, self.add_norm_2, self.add_norm_3 = (
            AddNorm(config) for _ in range(3)
        )
        self.second_causal = second_causal

    def forward(self, z: Tensor) -> Tensor:
        """Turn z (B, T, D) into (B, T, D)."""
        past = causal_mask(z.size(1))[None, None].to(z.device)  # (1, 1, T, T)
        second = past if self.second_causal else None
        n = self.add_norm_1(z, lambda z: self.first(z, z, past))
        m = self.add_norm_2(n, lambda n: self.second(n, n, second))
        y: Tensor = self.add_norm_3(m, self.feed_forward)
        return y


class Stack(nn.Module):
    """Blocks of one kind on top of each other.

    Args:
        kind: one of KINDS: "encoder" (no mask), "GPT-style" (one masked
            self-attention), "second unmasked" or "both masked" (`TwoAttentions`).
        n_blocks: how many.
        config: their sizes.

    Raises:
        ValueError: there is no such kind.
    """

    def __init__(self, kind: str, n_blocks: int, config: TransformerConfig) -> None:
        super().__init__()
        check_option("kind", kind, KINDS)
        self.kind = kind
        self.blocks = nn.ModuleList(
            EncoderBlock(config)
            if kind in (ENCODER, GPT)
            else TwoAttentions(config, kind == MASKED)
            for _ in range(n_blocks)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Turn x (B, T, D) into (B, T, D)."""
        past = causal_mask(x.size(1))[None, None].to(x.device)  # (1, 1, T, T)
        for block in self.blocks:
            x = block(x, past) if self.kind == GPT else block(x)
        return x
