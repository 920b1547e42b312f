"""BERT: an encoder-only Transformer whose tokens belong to the first or second text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ..checkpoints import build_config
from ..checks.validation import check_arguments
from ..model.config import TransformerConfig
from ..model.embedding import TokenEmbedding
from ..model.layers import ACTIVATIONS
from ..model.masks import Mask
from ..model.norms import LayerNorm
from ..model.transformer import EncoderOnlyTransformer
from ..runtime.module import Part
from ..runtime.recording import hook_point
from .folder import ACTIVATIONS as OURS
from .folder import read_options

SIZES = {
    "vocabulary_size": "vocab_size",
    "d_model": "hidden_size",
    "n_heads": "num_attention_heads",
    "n_encoder_layers": "num_hidden_layers",
    "d_ff": "intermediate_size",
    "max_length": "max_position_embeddings",
    "token_types": "type_vocab_size",
}
HEAD = "cls.predictions"
#: Patterns of the weights that are not read, and why.
LEFT_OUT = {
    r"embeddings\.(position|token_type)_ids": "counted, not learned",
    r"pooler\..*": "it turns the first vector into one for the whole text, for a "
    "classifier; our model returns a vector for each token",
    r"cls\.seq_relationship\..*": "a head that predicts from the pooler's vector "
    "whether the second text follows the first",
    r"cls\.predictions\.(bias|decoder\..*)": "copies of the embedding and of the "
    "bias, if they are tied; if not, an unused bias",
    r"(classifier|qa_outputs)\..*": "heads for other tasks",
}
#: What the files call our parts; n is the number of a block.
NAMES = {
    "embedding": "embeddings.word_embeddings",
    "positions": "embeddings.position_embeddings",
    "token_types": "embeddings.token_type_embeddings",
    "embedding_norm": "embeddings.LayerNorm",
    "encoder.blocks.n.self_attention.W_Q": "encoder.layer.n.attention.self.query",
    "encoder.blocks.n.self_attention.W_K": "encoder.layer.n.attention.self.key",
    "encoder.blocks.n.self_attention.W_V": "encoder.layer.n.attention.self.value",
    "encoder.blocks.n.self_attention.W_O": "encoder.layer.n.attention.output.dense",
    "encoder.blocks.n.add_norm_1.norm": "encoder.layer.n.attention.output.LayerNorm",
    "encoder.blocks.n.feed_forward.W_1": "encoder.layer.n.intermediate.dense",
    "encoder.blocks.n.feed_forward.W_2": "encoder.layer.n.output.dense",
    "encoder.blocks.n.add_norm_2.norm": "encoder.layer.n.output.LayerNorm",
    "head.W": f"{HEAD}.transform.dense",
    "head.norm": f"{HEAD}.transform.LayerNorm",
    "head": f"{HEAD}.decoder|{HEAD}",  # a file may hold either copy of its bias
    "head.output": f"{HEAD}.decoder",
}


@dataclass(frozen=True, kw_only=True)
class BertConfig(TransformerConfig):
    """A TransformerConfig with what only BERT has.

    Args:
        token_types: the number of token types, one for each text of a sequence.
        masked_word_head: whether the model has a head that predicts masked words.
    """

    token_types: int = 2
    masked_word_head: bool = True


class MaskedWordHead(Part):
    """The layers between hidden states and scores: z = norm(f(x W + b)).

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
        """Turn hidden states x (B, T, D) into z (B, T, D)."""
        return self.norm(self.activation(self.W(x)))


class PretrainedBert(EncoderOnlyTransformer):
    """An encoder whose input is token + position + token type, normalized.

    It records "input", token + position; "token_types", the vectors of the types;
    "typed_input", the sum of both; and "embedding_norm", the first block's input.

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

        Mask and positions are as in `EncoderOnlyTransformer`. Token types (B, T) say
        which text each token belongs to, by default 0.
        """
        x = self._embed("ids", self.embedding, ids, positions)
        types = torch.zeros_like(ids) if token_types is None else token_types
        of_text = hook_point(self, "token_types", self.token_types(types), types)
        total = hook_point(self, "typed_input", x + of_text, x, of_text)
        x = self.embedding_norm(total)
        return self.encoder(x, mask)

    @check_arguments
    def logits(self, hidden: Tensor) -> Tensor:
        """Score every word at every position: hidden states (B, T, D) to (B, T, V).

            logits = z Eᵀ + b,  z = norm(f(x W + b_W))

        Raise a ValueError if the model was saved without its masked-word head.
        """
        if self.head is None:
            raise ValueError("model must have a masked-word head, got one without")
        z = self.head(hidden)
        tied = self.config.tie_embeddings
        scores: Tensor = self.embedding.logits(z) if tied else self.head.output(z)
        return scores + self.head.bias


def build(settings: dict[str, Any], tensors: Mapping[str, Tensor]) -> PretrainedBert:
    """Build a model by the settings of config.json.

    The tensors show whether there is a head, and whether it is tied to the embedding.
    """
    options = read_options(settings, SIZES, tensors, NAMES)
    options |= dict(
        positions="learned",
        activation=OURS[settings.get("hidden_act", "gelu")],
        norm_eps=settings.get("layer_norm_eps", 1e-12),
        masked_word_head=any(name.startswith(f"{HEAD}.") for name in tensors),
    )
    return PretrainedBert(build_config(BertConfig, options))
