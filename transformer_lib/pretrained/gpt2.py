"""GPT-2: a decoder-only Transformer, pre-norm, with learned positions."""

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from ..checkpoints.registry import build_config
from ..model.config import TransformerConfig
from ..model.transformer import DecoderOnlyTransformer
from .folder import ACTIVATIONS, CONFIG, KNOWN, SIZE, Weights, check_settings, is_tied

#: Patterns of the weights that are not read, and why.
LEFT_OUT = {
    r"h\.\d+\.attn\.(bias|masked_bias)": "the causal mask, which `causal_mask` makes",
    r"lm_head\.weight": "a copy of the embedding, if both are tied",
    r"(score|classifier|qa_outputs|multiple_choice_head)\..*": "heads for other tasks",
}
SIZES = "vocab_size|n_embd|n_head|n_layer|n_positions|n_inner"


def build(settings: dict[str, Any], tensors: Mapping[str, Tensor]) -> Any:
    """Build a model by the settings of config.json.

    The tensors show whether the head is tied to the embedding.
    """
    if settings.get("n_inner") is None:
        settings["n_inner"] = 4 * settings.get("n_embd", 1)
    check_settings(CONFIG, settings, KNOWN | {SIZES: SIZE})
    sizes = dict(
        vocabulary_size=settings["vocab_size"],
        d_model=settings["n_embd"],
        n_heads=settings["n_head"],
        n_decoder_layers=settings["n_layer"],
        d_ff=settings["n_inner"],
        dropout=0.0,
        max_length=settings["n_positions"],
        positions="learned",
        activation=ACTIVATIONS[settings.get("activation_function", "gelu_new")],
        norm_first=True,
        tie_embeddings=is_tied(settings, tensors, "wte.weight", "lm_head.weight"),
        norm_eps=settings.get("layer_norm_epsilon", 1e-5),
        scale_embeddings=False,
    )
    return DecoderOnlyTransformer(build_config(TransformerConfig, sizes))


def fill(model: DecoderOnlyTransformer, weights: Weights) -> None:
    """Copy the weights; GPT-2's matrices are transposed, and W_Q, W_K, W_V are one."""
    weights.fill(model.embedding.weight, "wte.weight")
    weights.fill(model.positions.table, "wpe.weight")
    decoder: Any = model.decoder
    for n, block in enumerate(decoder.blocks):
        at, own = f"h.{n}", block.self_attention
        projections = own.W_Q, own.W_K, own.W_V
        weights.fill_norm(block.add_norm_1.norm, f"{at}.ln_1")
        weights.fill_linear(f"{at}.attn.c_attn", *projections, transposed=True)
        weights.fill_linear(f"{at}.attn.c_proj", own.W_O, transposed=True)
        weights.fill_norm(block.add_norm_2.norm, f"{at}.ln_2")
        network = block.feed_forward
        weights.fill_linear(f"{at}.mlp.c_fc", network.W_1, transposed=True)
        weights.fill_linear(f"{at}.mlp.c_proj", network.W_2, transposed=True)
    weights.fill_norm(decoder.norm, "ln_f")
    if not model.config.tie_embeddings:
        weights.fill(model.output.weight, "lm_head.weight")
