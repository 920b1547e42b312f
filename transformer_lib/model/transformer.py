"""The models: stacks of blocks between embeddings and logits."""

from typing import Any

import torch
from torch import Tensor, nn

from ..checks.validation import check_arguments, require
from ..runtime.caching import one_pass
from ..runtime.fast_attention import dropout
from ..runtime.module import Assembly
from ..runtime.recording import hook_point
from .config import TransformerConfig
from .embedding import PositionalEncoding, RotaryEncoding, TokenEmbedding
from .layers import DecoderBlock, EncoderBlock
from .masks import Mask, causal_mask
from .norms import new_norm


class _Stack(Assembly):
    """Blocks one after another, and a final norm if pre-norm or `final_norm`.

    Rotary positions are (T,) or (B, T), by default those after cached tokens, and their
    rotations are looked up for all blocks at once.
    """

    block: type[EncoderBlock] | type[DecoderBlock]
    layers: str  # the option that counts them

    @check_arguments
    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.d_model = config.d_model
        self.n_heads = config.n_heads
        n = getattr(config, self.layers)
        self.blocks = nn.ModuleList(self.block(config) for _ in range(n))
        normed = config.norm_first or config.final_norm
        self.norm = new_norm(config) if normed else None
        self.rotary: RotaryEncoding | None = None
        if config.positions == "rotary":
            sizes = config.max_length, config.head_size, config.rotary_base
            self.rotary = RotaryEncoding(*sizes, config.rotary_pairs)

    def _forward_blocks(
        self, x: Tensor, positions: Tensor | None, *memory_and_masks: Mask
    ) -> Tensor:
        """Pass x (B, T, D) through all blocks, each with the same memory and masks."""
        given: tuple[Any, ...] = memory_and_masks
        if self.rotary is not None:
            if positions is None:
                past = self.past_length()
                positions = torch.arange(past, past + x.size(1), device=x.device)
            rows = self.rotary(positions)  # (1 or B, 1, T, 2 d_k)
            given = *given, rows.chunk(2, dim=-1)
        for block in self.blocks:
            x = block(x, *given)
        return x if self.norm is None else self.norm(x)


class Encoder(_Stack):
    """A stack of encoder blocks.

    Source: Vaswani et al. (2017), §3.1; D0.2.1, D2.6, D3.8.
    """

    block = EncoderBlock
    layers = "n_encoder_layers"
    bidirectional = True  # `caching` stores no keys: all tokens are read at once

    @check_arguments
    def forward(
        self, x: Tensor, mask: Mask = None, positions: Tensor | None = None
    ) -> Tensor:
        """Turn x (B, T, D) into (B, T, D); the mask broadcasts to (B, H, T, T)."""
        return self._forward_blocks(x, positions, mask)


class Decoder(_Stack):
    """A stack of decoder blocks, each of which attends to the encoder's output.

    It adds no causal mask: `mask` must hide future positions of the target.

    Source: Vaswani et al. (2017), §3.1; D0.2.2, D2.11.
    """

    block = DecoderBlock
    layers = "n_decoder_layers"

    @check_arguments
    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Mask = None,
        memory_mask: Mask = None,
        positions: Tensor | None = None,
    ) -> Tensor:
        """Turn x (B, T, D) into (B, T, D), as `DecoderBlock.forward` in each block."""
        return self._forward_blocks(x, positions, memory, mask, memory_mask)


class DecoderOnlyStack(_Stack):
    """The stack of a decoder-only model, which has no memory to attend to.

    Without cross-attention, its blocks are encoder blocks; the causal mask that the
    model passes is what makes it a decoder.

    Source: Radford et al. (2018), §3.1; D3.10.
    """

    block = EncoderBlock
    layers = "n_decoder_layers"

    @check_arguments
    def forward(self, x: Tensor, mask: Mask, positions: Tensor | None = None) -> Tensor:
        """Turn x (B, T, D) into (B, T, D); the mask broadcasts to (B, H, T, S)."""
        return self._forward_blocks(x, positions, mask)


def add_positions(
    model: Any, tokens: Tensor, positions: Tensor, prefix: str = ""
) -> Tensor:
    """Add the vectors of positions (T,) or (B, T) to tokens (B, T, D); apply dropout.

    Rotary positions are not added here: they turn the queries and keys of blocks.
    """
    total = tokens
    if model.config.positions != "rotary":
        position = model.positions(positions)  # (T, D) or (B, T, D)
        position = hook_point(model, f"{prefix}positions", position, positions)
        total = hook_point(model, f"{prefix}input", tokens + position, tokens, position)
    return dropout(total, model.config.dropout, model.training)


class _TokenModel(Assembly):
    """The base of all models of token ids: embeddings and the output projection."""

    target_embedding: TokenEmbedding  # of a `Transformer`, if untied
    output: nn.Linear  # of a model that predicts tokens, if untied
    positions: PositionalEncoding  # it exists unless positions are rotary

    @check_arguments
    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = c = config
        self.d_model = c.d_model
        self.n_heads = c.n_heads
        self.embedding = self._new_embedding()
        if c.positions != "rotary":
            self.positions = PositionalEncoding(c.max_length, c.d_model, c.positions)

    def _new_embedding(self) -> TokenEmbedding:
        c = self.config
        return TokenEmbedding(c.vocabulary_size, c.d_model, c.scale_embeddings)

    def _embed(
        self,
        name: str,
        embedding: TokenEmbedding,
        ids: Tensor,
        positions: Tensor | None,
        past: int = 0,
    ) -> Tensor:
        """Turn ids (B, T), the argument `name`, into token plus position vectors."""
        prefix = "" if name == "ids" else f"{name}."
        try:
            token = embedding(ids)  # (B, T, D)
        except IndexError as error:
            raise IndexError(str(error).replace("ids", name, 1)) from None
        token = hook_point(self, f"{prefix}embedding", token, ids)
        if positions is None:
            positions = torch.arange(past, past + ids.size(1), device=ids.device)
        return add_positions(self, token, positions, prefix)

    def _add_causal_mask(self, ids: Tensor, mask: Mask, past: int) -> Mask:
        """Combine a mask with the causal mask (T, past + T) of ids (B, T)."""
        if ids.size(1) == 1:
            return mask  # a single new token may attend to all keys that are kept
        causal = causal_mask(ids.size(1), past, ids.device, self.config.window)
        return causal if mask is None else mask & causal

    def _logits(self, x: Tensor) -> Tensor:
        """Turn vectors (B, T, D) into a logit for every token (B, T, V)."""
        tied = self.config.tie_embeddings
        logits: Tensor = self.embedding.logits(x) if tied else self.output(x)
        return hook_point(self, "logits", logits, x)


class Transformer(_TokenModel):
    """An encoder that reads the source, and a decoder that predicts the target.

    Target positions attend only to themselves and to earlier ones, so logits[:, t]
    predict token t + 1 from the source and the target's tokens 0 … t.

    Source: Vaswani et al. (2017), §3; D0.2, D1.17, D2.12.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)
        if not config.tie_embeddings:
            V, D = config.vocabulary_size, config.d_model
            self.target_embedding = self._new_embedding()
            self.output = nn.Linear(D, V, bias=False)

    def forward(
        self,
        source: Tensor,
        target: Tensor,
        source_mask: Mask = None,
        target_mask: Mask = None,
    ) -> Tensor:
        """Predict the next token at each position of the target: logits (B, T, V).

        Args:
            source: ids (B, S).
            target: ids (B, T), shifted right: they begin with the start token.
            source_mask: boolean (B, 1, 1, S), False for padding, as `padding_mask`.
            target_mask: boolean, broadcasts to (B, H, T, T); the causal mask is added.

        Raises:
            TypeError, ValueError, IndexError: ids or a mask have the wrong type or
                shape, an id is not in 0 … V − 1, or a text exceeds max_length.
        """
        memory = self.encode(source, source_mask)
        return self.decode(target, memory, target_mask, source_mask)

    @check_arguments
    def encode(
        self, source: Tensor, source_mask: Mask = None, positions: Tensor | None = None
    ) -> Tensor:
        """Encode the source: ids (B, S) to the memory (B, S, D).

        Positions are (S,) or (B, S), by default 0 … S − 1. Errors are as in `forward`.
        """
        x = self._embed("source", self.embedding, source, positions)
        return self.encoder(x, source_mask, positions)

    @check_arguments
    @one_pass
    def decode(
        self,
        target: Tensor,
        memory: Tensor,
        target_mask: Mask = None,
        source_mask: Mask = None,
        positions: Tensor | None = None,
    ) -> Tensor:
        """Predict each next token of the target (B, T), given the memory (B, S, D).

        The result is logits (B, T, V). Inside `caching`, target and positions are those
        of new tokens; target_mask covers cached ones too. Errors are as in `forward`.
        """
        past = self.past_length()
        tied = self.config.tie_embeddings
        embedding = self.embedding if tied else self.target_embedding
        x = self._embed("target", embedding, target, positions, past)
        mask = self._add_causal_mask(target, target_mask, past)
        x = self.decoder(x, memory, mask, source_mask, positions)
        return self._logits(x)


def check_no_window(config: TransformerConfig) -> None:
    """Raise a ValueError if an encoder is given a window."""
    wanted = "have no window, for an encoder's tokens may all attend to each other"
    require(config.window is None, "config", wanted, config.window)


class EncoderOnlyTransformer(_TokenModel):
    """A bidirectional encoder, such as BERT: every token may attend to every other.

    It returns hidden states; `model.embedding.logits(hidden)` scores every token with
    the matrix of the embedding, which is tied.

    Source: D1.18.3, D3.8.only.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        check_no_window(config)
        self.encoder = Encoder(config)

    @check_arguments
    def forward(
        self, ids: Tensor, mask: Mask = None, positions: Tensor | None = None
    ) -> Tensor:
        """Turn ids (B, T) into hidden states (B, T, D).

        The mask broadcasts to (B, H, T, T); positions are (T,) or (B, T), by default
        0 … T − 1. Errors are as in `Transformer.forward`.
        """
        x = self._embed("ids", self.embedding, ids, positions)
        return self.encoder(x, mask, positions)


class DecoderOnlyTransformer(_TokenModel):
    """A language model, such as GPT: logits[:, t] predict token t + 1 from 0 … t.

    Source: Radford et al. (2018), §3.1; D2.end, D3.10.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        self.decoder = DecoderOnlyStack(config)
        if not config.tie_embeddings:
            self.output = nn.Linear(config.d_model, config.vocabulary_size, bias=False)

    @check_arguments
    @one_pass
    def forward(
        self, ids: Tensor, mask: Mask = None, positions: Tensor | None = None
    ) -> Tensor:
        """Predict the next token at each position of ids (B, T): logits (B, T, V).

        The mask broadcasts to (B, H, T, S) and is combined with the causal mask. Inside
        `caching`, S includes the cached tokens, and ids are the new ones alone.
        Positions are (T,) or (B, T); by default they continue after the cached tokens.
        With padding on the left, pass positions. Errors are as in `Transformer.forward`.
        """
        past = self.past_length()
        x = self._embed("ids", self.embedding, ids, positions, past)
        x = self.decoder(x, self._add_causal_mask(ids, mask, past), positions)
        return self._logits(x)
