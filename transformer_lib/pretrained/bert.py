"""BERT: an encoder-only Transformer that is told which of two texts a token is of."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ..checks.arguments import check_arguments
from ..model.config import TransformerConfig
from ..model.embedding import TokenEmbedding
from ..model.layers import ACTIVATIONS, LayerNorm
from ..model.masks import Mask
from ..model.transformer import EncoderOnlyTransformer
from ..runtime.hooks import hook_point
from ..runtime.module import Part
from .folder import Weights, check_told, told_activation, told_size

HEAD = "cls.predictions"
#: What is not read of a file, by a pattern of its names, and why.
LEFT_OUT = {
    r"embeddings\.(position|token_type)_ids": "counted, not learned",
    r"pooler\..*": "it turns the first vector into one of the whole text, for a "
    "classifier; ours gives a vector for each token",
    r"cls\.seq_relationship\..*": "a head that tells whether two texts follow each "
    "other, by the pooler's vector",
    r"cls\.predictions\.(bias|decoder\..*)": "copies of the embedding and of a "
    "bias, where they are tied; where not, a bias in vain",
    r"(classifier|qa_outputs)\..*": "heads for other tasks",
}
#: What a configuration may not ask for, since our blocks lack it.
PLAIN = {
    "position_embedding_type": "absolute",
    "is_decoder": False,
    "add_cross_attention": False,
}


@dataclass(frozen=True, kw_only=True)
class BertConfig(TransformerConfig):
    """What a BERT has besides: see `TransformerConfig`.

    Args:
        token_types: how many texts there may be in one sequence.
        masked_word_head: whether there is a head that says hidden words.
    """

    token_types: int = 2
    masked_word_head: bool = True


class MaskedWordHead(Part):
    """What hidden states pass before they are scored: z = norm(f(x W + b)).

    Source: Devlin et al. (2019), §3.1, with its authors' code.
    """

    @check_arguments
    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        c, D = config, config.d_model
        self.d_model = D
        self.W = nn.Linear(D, D)
        self.activation = ACTIVATIONS[c.activation]
        self.norm = LayerNorm(D, c.norm_eps)
        self.bias = nn.Parameter(torch.zeros(c.vocabulary_size))
        if not c.tie_embeddings:
            self.output = nn.Linear(D, c.vocabulary_size, bias=False)

    @check_arguments
    def forward(self, x: Tensor) -> Tensor:
        """Turn hidden states (B, T, D) into what is scored (B, T, D)."""
        return self.norm(self.activation(self.W(x)))


class PretrainedBert(EncoderOnlyTransformer):
    """An encoder whose input is token + place + text, normalised.

    On its way it records "input", token + place; "token_types", the vector of the text;
    "typed_input", both added; and "embedding_norm", what the first block is given.

    Source: Devlin et al. (2019), §3, figure 2.
    """

    config: BertConfig

    @check_arguments
    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        D = config.d_model
        self.token_types = TokenEmbedding(config.token_types, D, scaled=False)
        self.embedding_norm = LayerNorm(D, config.norm_eps)
        self.head = MaskedWordHead(config) if config.masked_word_head else None

    @check_arguments
    def forward(
        self,
        ids: Tensor,
        mask: Mask = None,
        positions: Tensor | None = None,
        token_types: Tensor | None = None,
    ) -> Tensor:
        """Turn ids (B, T) into hidden states (B, T, D).

        The mask and the positions are those of an `EncoderOnlyTransformer`. Token types
        (B, T) tell which text each token is of; all are of text 0 by default.
        """
        x = self._embed("ids", self.embedding, ids, positions)
        types = torch.zeros_like(ids) if token_types is None else token_types
        of_text = hook_point(self, "token_types", self.token_types(types), types)
        total = hook_point(self, "typed_input", x + of_text, x, of_text)
        x = self.embedding_norm(total)
        return self.encoder(x, mask)

    @check_arguments
    def logits(self, hidden: Tensor) -> Tensor:
        """Score every word at every place: hidden states (B, T, D) to (B, T, V).

            logits = z Eᵀ + b,  z = norm(f(x W + b_W))

        Raises:
            ValueError: the model was saved without its masked-word head.
        """
        if self.head is None:
            raise ValueError("model must have a masked-word head, got one without")
        z = self.head(hidden)
        tied = self.config.tie_embeddings
        scores: Tensor = self.embedding.logits(z) if tied else self.head.output(z)
        return scores + self.head.bias


def build(told: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> PretrainedBert:
    """Give a model of the sizes that a configuration says.

    Args:
        told: config.json.
        tensors: tell whether there is a masked-word head.
    """
    check_told(told, PLAIN)
    config = BertConfig(
        vocabulary_size=told_size(told, "vocab_size"),
        d_model=told_size(told, "hidden_size"),
        n_heads=told_size(told, "num_attention_heads"),
        n_encoder_layers=told_size(told, "num_hidden_layers"),
        d_ff=told_size(told, "intermediate_size"),
        dropout=0.0,
        max_length=told_size(told, "max_position_embeddings"),
        positions="learned",
        activation=told_activation(told, "hidden_act", "gelu"),
        tie_embeddings=told.get("tie_word_embeddings", True),
        norm_eps=told.get("layer_norm_eps", 1e-12),
        scale_embeddings=False,
        token_types=told_size(told, "type_vocab_size"),
        masked_word_head=any(name.startswith(f"{HEAD}.") for name in tensors),
    )
    return PretrainedBert(config)


def fill(model: PretrainedBert, weights: Weights) -> None:
    """Copy the weights."""
    weights.fill(model.embedding.weight, "embeddings.word_embeddings.weight")
    weights.fill(model.positions.table, "embeddings.position_embeddings.weight")
    weights.fill(model.token_types.weight, "embeddings.token_type_embeddings.weight")
    weights.fill_norm(model.embedding_norm, "embeddings.LayerNorm")
    blocks: Any = model.encoder.blocks
    for n, block in enumerate(blocks):
        at, own = f"encoder.layer.{n}", block.self_attention
        for W, name in (own.W_Q, "query"), (own.W_K, "key"), (own.W_V, "value"):
            weights.fill_linear(f"{at}.attention.self.{name}", W)
        weights.fill_linear(f"{at}.attention.output.dense", own.W_O)
        weights.fill_norm(block.add_norm_1.norm, f"{at}.attention.output.LayerNorm")
        weights.fill_linear(f"{at}.intermediate.dense", block.feed_forward.W_1)
        weights.fill_linear(f"{at}.output.dense", block.feed_forward.W_2)
        weights.fill_norm(block.add_norm_2.norm, f"{at}.output.LayerNorm")
    if model.head is not None:
        weights.fill_linear(f"{HEAD}.transform.dense", model.head.W)
        weights.fill_norm(model.head.norm, f"{HEAD}.transform.LayerNorm")
        tied = model.config.tie_embeddings
        weights.fill(model.head.bias, f"{HEAD}.{'' if tied else 'decoder.'}bias")
        if not tied:
            weights.fill(model.head.output.weight, f"{HEAD}.decoder.weight")
