"""The models: stacks of blocks between embeddings and logits."""

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor, nn

from ..support.cache_checks import check_caches, check_decode
from ..support.caching import DecoderCache, KVCache
from ..support.dropout import dropout
from ..support.shapes import check_ids, check_positions, check_source_mask
from ..support.summary import Tree
from ..support.watching import keep
from .config import TransformerConfig, check_config
from .embedding import PositionalEncoding, TokenEmbedding
from .stacks import Decoder, Encoder


class _Model(Tree):
    """What all three models share: ids in, vectors with positions out."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        check_config(config)
        V, D = config.vocabulary_size, config.d_model
        self.config = config
        self.embedding = TokenEmbedding(V, D)
        self.positions = PositionalEncoding(config.max_length, D, config.positions)

    def _embed(
        self,
        ids: Tensor,
        side: str = "",
        *,
        embedding: TokenEmbedding | None = None,
        positions: Tensor | None = None,
        past: int = 0,
    ) -> Tensor:
        """Turn ids (B, T) into token vectors plus position vectors (B, T, D)."""
        end = past + ids.size(1)
        if positions is not None:
            check_positions(positions, ids)
        elif end > self.config.max_length:
            raise ValueError(
                f"ids must end within max_length = {self.config.max_length}, "
                f"got {past} past and {ids.size(1)} new positions"
            )
        else:
            positions = torch.arange(past, end, device=ids.device)  # (T,)
        token = (embedding or self.embedding)(ids)  # (B, T, D)
        place = self.positions(positions)  # (T, D) or (B, T, D)
        total: Tensor = token + place  # (B, T, D)
        for name, x in (("embedding", token), ("positions", place), ("input", total)):
            keep(self, side + name, x)
        return dropout(total, self.config.dropout, self.training)


class Transformer(_Model):
    """Read a source, write a target: encoder and decoder, with logits for every token.

    A target position sees itself and the past alone; logits[:, t] score token t + 1.

    Source: Vaswani et al. (2017), §3; D0.2, D1.17, D2.12.
    """

    target_embedding: TokenEmbedding
    output: nn.Linear

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)
        if not config.tie_embeddings:
            V, D = config.vocabulary_size, config.d_model
            self.target_embedding = TokenEmbedding(V, D)
            self.output = nn.Linear(D, V, bias=False)

    def forward(
        self,
        source: Tensor,
        target: Tensor,
        source_mask: Tensor | None = None,
        target_mask: Tensor | None = None,
    ) -> Tensor:
        """Score every next token of the target.

        Args:
            source: ids (B, S).
            target: ids (B, T), shifted right.
            source_mask: boolean (B, 1, 1, S), True at real tokens; for the encoder and
                for the decoder's look at its output.
            target_mask: boolean, broadcasts to (B, H, T, T); joins the causal mask.

        Returns:
            logits (B, T, V).

        Raises:
            TypeError, ValueError, IndexError: ids or masks do not fit, or an id is
                outside the vocabulary.
        """
        memory = self.encode(source, source_mask)
        return self.decode(target, memory, target_mask, source_mask)

    def encode(
        self,
        source: Tensor,
        source_mask: Tensor | None = None,
        *,
        positions: Tensor | None = None,
    ) -> Tensor:
        """Turn the source's ids (B, S) into the memory (B, S, D).

        `positions` (S,) or (B, S) are 0 … S − 1 unless given, as left-padding needs.
        """
        check_ids("source", source)
        check_source_mask(source_mask, source)
        x = self._embed(source, "source.", positions=positions)
        memory: Tensor = self.encoder(x, source_mask)
        return memory

    def decode(
        self,
        target: Tensor,
        memory: Tensor | None,
        target_mask: Tensor | None = None,
        source_mask: Tensor | None = None,
        *,
        positions: Tensor | None = None,
        cache: Sequence[DecoderCache] | None = None,
    ) -> Tensor:
        """Score every next token of the target ids (B, T), given the memory (B, S, D).

        With a cache from `new_cache`, the target holds the new tokens only, the memory
        is None, and masks count the past's columns too. Returns logits (B, T, V).
        """
        check_ids("target", target)
        tied = self.config.tie_embeddings
        embedding = self.embedding if tied else self.target_embedding
        check_caches(cache, DecoderCache, len(self.decoder.blocks))
        size = (target.size(0), self.config.n_heads, target.size(1))
        masks, first = (target_mask, source_mask), cache[0] if cache else None
        check_decode(size, memory, masks, first, self.embedding.weight)
        past = cache[0].target.length if cache else 0
        x = self._embed(
            target, "target.", embedding=embedding, positions=positions, past=past
        )
        x = self.decoder(x, memory, target_mask, source_mask, causal=True, cache=cache)
        logits: Tensor = self.embedding.logits(x) if tied else self.output(x)
        keep(self, "logits", logits)
        return logits

    def new_cache(self, memory: Tensor, room: int) -> list[DecoderCache]:
        """Project the memory (B, S, D) once, and make room for `room` target tokens."""
        return self.decoder.new_cache(memory, room)


class EncoderOnlyTransformer(_Model):
    """Read a text both ways: ids (B, T) to hidden states (B, T, D), as BERT does.

    Source: D1.18.3, D3.8.only.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        self.encoder = Encoder(config)

    def forward(
        self,
        ids: Tensor,
        mask: Tensor | None = None,
        *,
        positions: Tensor | None = None,
    ) -> Tensor:
        """Turn ids into hidden states (B, T, D).

        Args:
            ids: (B, T).
            mask: boolean, broadcasts to (B, H, T, T); True where a token may look.
            positions: (T,) or (B, T); 0 … T − 1 unless given, as left-padding needs.

        Raises:
            TypeError, ValueError, IndexError: ids, mask or positions are of the wrong
                type or shape, too long, or outside the vocabulary.
        """
        check_ids("ids", ids)
        hidden: Tensor = self.encoder(self._embed(ids, positions=positions), mask)
        return hidden


class DecoderOnlyTransformer(_Model):
    """Write on from a text: ids (B, T) to logits (B, T, V), as GPT does.

    Its blocks are the encoder's, with one self-attention each; the causal mask alone
    makes the stack a decoder. logits[:, t] score token t + 1 and know nothing of it.

    Source: Radford et al. (2018), §3.1; D2.end, D3.10.
    """

    output: nn.Linear

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        n = config.n_decoder_layers
        self.decoder = Encoder(replace(config, n_encoder_layers=n))
        if not config.tie_embeddings:
            V, D = config.vocabulary_size, config.d_model
            self.output = nn.Linear(D, V, bias=False)

    def forward(
        self,
        ids: Tensor,
        mask: Tensor | None = None,
        *,
        positions: Tensor | None = None,
        cache: Sequence[KVCache] | None = None,
    ) -> Tensor:
        """Score every next token.

        Args:
            ids: (B, T); with a cache, the new tokens only.
            mask: boolean, broadcasts to (B, H, T, S); joins the causal mask. With a
                cache S counts the past too.
            positions: (T,) or (B, T); those that follow the past unless given, as
                left-padding needs.
            cache: from `new_cache`; filled as the model reads.

        Returns:
            logits (B, T, V).

        Raises:
            TypeError, ValueError, IndexError: ids, mask or positions are of the wrong
                type or shape, too long, or outside the vocabulary.
        """
        check_ids("ids", ids)
        check_caches(cache, KVCache, len(self.decoder.blocks))
        past = cache[0].length if cache else 0
        x = self._embed(ids, positions=positions, past=past)
        x = self.decoder(x, mask, causal=True, cache=cache)
        tied = self.config.tie_embeddings
        logits: Tensor = self.embedding.logits(x) if tied else self.output(x)
        keep(self, "logits", logits)
        return logits

    def new_cache(self, batch: int, room: int) -> list[KVCache]:
        """Make room for `room` tokens of `batch` texts, one cache for each block."""
        return self.decoder.new_cache(batch, room)
