"""The models: stacks of blocks between embeddings and logits."""

import torch
from torch import Tensor, nn

from ..checks.arguments import check_arguments
from ..checks.validation import require
from ..runtime.caching import one_pass
from ..runtime.fast_attention import dropout
from ..runtime.hooks import hook_point
from ..runtime.module import Assembly
from .config import TransformerConfig
from .embedding import PatchEmbedding, PositionalEncoding, TokenEmbedding
from .layers import DecoderBlock, EncoderBlock, LayerNorm
from .masks import Mask, causal_mask


class _Stack(Assembly):
    """A stack of blocks; it ends in a norm if it is pre-norm or has a `final_norm`."""

    def __init__(
        self,
        config: TransformerConfig,
        block: type[EncoderBlock] | type[DecoderBlock],
        n_layers: int,
    ) -> None:
        super().__init__()
        self.d_model = config.d_model
        self.n_heads = config.n_heads
        self.blocks = nn.ModuleList(block(config) for _ in range(n_layers))
        self.norm: LayerNorm | None = None
        if config.norm_first or config.final_norm:
            self.norm = LayerNorm(config.d_model, config.norm_eps, config.bias)

    def _forward_blocks(self, x: Tensor, *given: Mask) -> Tensor:
        """Pass x (B, T, D) through all blocks, with the memory and masks given."""
        for block in self.blocks:
            x = block(x, *given)
        return x if self.norm is None else self.norm(x)


class Encoder(_Stack):
    """Pass vectors up through encoder blocks: (B, T, D) to (B, T, D).

    Source: Vaswani et al. (2017), §3.1; D0.2.1, D2.6, D3.8.
    """

    bidirectional = True  # so that `caching` lets it read a source as a whole

    @check_arguments
    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config, EncoderBlock, config.n_encoder_layers)

    @check_arguments
    def forward(self, x: Tensor, mask: Mask = None) -> Tensor:
        """Turn x (B, T, D) into (B, T, D); the mask broadcasts to (B, H, T, S)."""
        return self._forward_blocks(x, mask)


class Decoder(_Stack):
    """Pass vectors up through decoder blocks, each of which attends to the memory.

    Without a causal mask, the target sees its own future.

    Source: Vaswani et al. (2017), §3.1; D0.2.2, D2.11.
    """

    @check_arguments
    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config, DecoderBlock, config.n_decoder_layers)

    @check_arguments
    def forward(
        self, x: Tensor, memory: Tensor, mask: Mask = None, memory_mask: Mask = None
    ) -> Tensor:
        """Turn x (B, T, D), given the memory (B, S, D), into (B, T, D)."""
        return self._forward_blocks(x, memory, mask, memory_mask)


class CausalStack(_Stack):
    """The stack of a decoder-only model: encoder blocks, given a causal mask.

    Without a memory, its blocks are the encoder's; only the mask makes it a decoder.

    Source: Radford et al. (2018), §3.1; D3.10.
    """

    @check_arguments
    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config, EncoderBlock, config.n_decoder_layers)

    @check_arguments
    def forward(self, x: Tensor, mask: Mask) -> Tensor:
        """Turn x (B, T, D) into (B, T, D); the mask broadcasts to (B, H, T, S)."""
        return self._forward_blocks(x, mask)


class _Model(Assembly):
    """What all models of ids share: embedding them, and scoring the next token."""

    target_embedding: TokenEmbedding
    output: nn.Linear

    @check_arguments
    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = c = config
        self.d_model = c.d_model
        self.n_heads = c.n_heads
        self.embedding = self._table()
        self.positions = PositionalEncoding(c.max_length, c.d_model, c.positions)

    def _table(self) -> TokenEmbedding:
        c = self.config
        return TokenEmbedding(c.vocabulary_size, c.d_model, c.scale_embeddings)

    def _embed(
        self,
        name: str,
        table: TokenEmbedding,
        ids: Tensor,
        positions: Tensor | None,
        past: int = 0,
    ) -> Tensor:
        """Turn ids (B, T), the argument `name`, into token plus position vectors."""
        if positions is None:
            positions = torch.arange(past, past + ids.size(1), device=ids.device)
        side = "" if name == "ids" else f"{name}."
        try:
            token = table(ids)  # (B, T, D)
        except IndexError as error:
            raise IndexError(str(error).replace("ids", name, 1)) from None
        token = hook_point(self, f"{side}embedding", token, ids)
        place = self.positions(positions)  # (T, D) or (B, T, D)
        place = hook_point(self, f"{side}positions", place, positions)
        total = hook_point(self, f"{side}input", token + place, token, place)
        return dropout(total, self.config.dropout, self.training)  # (B, T, D)

    def _hide_future(self, ids: Tensor, mask: Mask, past: int) -> Mask:
        """Combine a mask with the causal mask of ids (B, T)."""
        if ids.size(1) == 1:
            return mask  # the last token may attend to all that is before it
        causal = causal_mask(ids.size(1), past, ids.device)
        return causal if mask is None else mask & causal

    def _score(self, x: Tensor) -> Tensor:
        """Turn vectors (B, T, D) into the logits of every token (B, T, V)."""
        tied = self.config.tie_embeddings
        logits: Tensor = self.embedding.logits(x) if tied else self.output(x)
        return hook_point(self, "logits", logits, x)


class Transformer(_Model):
    """An encoder of the source, and a decoder that predicts the target.

    A target position sees only itself and the past; logits[:, t] score token t + 1.

    Source: Vaswani et al. (2017), §3; D0.2, D1.17, D2.12.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)
        if not config.tie_embeddings:
            V, D = config.vocabulary_size, config.d_model
            self.target_embedding = self._table()
            self.output = nn.Linear(D, V, bias=False)

    def forward(
        self,
        source: Tensor,
        target: Tensor,
        source_mask: Mask = None,
        target_mask: Mask = None,
    ) -> Tensor:
        """Score every next token of the target: logits (B, T, V).

        Args:
            source: ids (B, S).
            target: ids (B, T), shifted right.
            source_mask: boolean (B, 1, 1, S), True at real tokens.
            target_mask: boolean, broadcasts to (B, H, T, T), beside the causal mask.
        """
        memory = self.encode(source, source_mask)
        return self.decode(target, memory, target_mask, source_mask)

    @check_arguments
    def encode(
        self, source: Tensor, source_mask: Mask = None, positions: Tensor | None = None
    ) -> Tensor:
        """Turn the source's ids (B, S), at positions 0 … or given, into (B, S, D)."""
        x = self._embed("source", self.embedding, source, positions)
        return self.encoder(x, source_mask)

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
        """Score every next token of the target ids (B, T), given the memory (B, S, D).

        Inside `caching`, target_mask includes the past, and positions do not.
        """
        past = self.keys_before(target, target)
        tied = self.config.tie_embeddings
        table = self.embedding if tied else self.target_embedding
        x = self._embed("target", table, target, positions, past)
        mask = self._hide_future(target, target_mask, past)
        return self._score(self.decoder(x, memory, mask, source_mask))


class EncoderOnlyTransformer(_Model):
    """Read a text in both directions, as BERT does.

    Source: D1.18.3, D3.8.only.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        self.encoder = Encoder(config)

    @check_arguments
    def forward(
        self, ids: Tensor, mask: Mask = None, positions: Tensor | None = None
    ) -> Tensor:
        """Turn ids (B, T) into hidden states (B, T, D).

        The mask broadcasts to (B, H, T, T); positions are (T,) or (B, T), by default
        0 … T − 1.
        """
        return self.encoder(self._embed("ids", self.embedding, ids, positions), mask)


class VisionTransformer(Assembly):
    """Read a picture, as ViT does: its N patches are the tokens.

    Before them comes a learned class token, whose hidden state represents the picture.

    Args:
        config: its sizes, apart from the vocabulary; max_length is at least 1 + N.
        channels: C, 3 for colors.
        side: the height and width of a picture, in pixels.
        patch_size: the height and width of a patch; divides side.

    Source: Dosovitskiy et al. (2021), §3.1; D0.6.vision.
    """

    @check_arguments
    def __init__(
        self, config: TransformerConfig, channels: int, side: int, patch_size: int
    ) -> None:
        super().__init__()
        whole = side % patch_size == 0
        require(whole, "patch_size", "divide side", f"{patch_size} and {side}")
        needed = 1 + (side // patch_size) ** 2
        wanted = (
            f"have max_length of at least {needed}, for the class token and patches"
        )
        require(config.max_length >= needed, "config", wanted, config.max_length)
        self.config = c = config
        self.d_model = c.d_model
        self.side = side
        self.patches = PatchEmbedding(channels, patch_size, c.d_model)
        row = torch.empty(c.d_model)
        self.class_token = nn.Parameter(nn.init.normal_(row, std=c.d_model**-0.5))
        self.positions = PositionalEncoding(c.max_length, c.d_model, c.positions)
        self.encoder = Encoder(c)

    @check_arguments
    def forward(self, pictures: Tensor) -> Tensor:
        """Turn pictures (B, C, side, side) into hidden states (B, 1 + N, D).

        The first is the class token's; the others are the patches', row by row.
        """
        patches = self.patches(pictures)  # (B, N, D)
        row = self.class_token.expand(len(patches), 1, -1)  # (B, 1, D)
        tokens = torch.cat([row, patches], dim=1)  # (B, 1 + N, D)
        places = torch.arange(tokens.size(1), device=tokens.device)
        place = hook_point(self, "positions", self.positions(places), places)
        total = hook_point(self, "input", tokens + place, tokens, place)
        return self.encoder(dropout(total, self.config.dropout, self.training))


class DecoderOnlyTransformer(_Model):
    """Continue a text, as GPT does: logits[:, t] score token t + 1, from tokens 0 … t.

    Source: Radford et al. (2018), §3.1; D2.end, D3.10.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        self.decoder = CausalStack(config)
        if not config.tie_embeddings:
            self.output = nn.Linear(config.d_model, config.vocabulary_size, bias=False)

    @check_arguments
    @one_pass
    def forward(
        self, ids: Tensor, mask: Mask = None, positions: Tensor | None = None
    ) -> Tensor:
        """Score every next token of the ids (B, T): logits (B, T, V).

        The mask broadcasts to (B, H, T, S) and is combined with the causal mask; inside
        `caching`, S includes the past. Positions are (T,) or (B, T); by default they
        follow the past. With padding on the left, they must be given.
        """
        past = self.keys_before(ids, ids)
        x = self._embed("ids", self.embedding, ids, positions, past)
        return self._score(self.decoder(x, self._hide_future(ids, mask, past)))
