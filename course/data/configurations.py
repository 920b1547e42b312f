"""Configurations of language models as they were published.

Sources: the configuration files of the models on Hugging Face; Radford et al. (2019),
table 2; Touvron et al. (2023), table 1; Grattafiori et al. (2024), table 3; Jiang et
al. (2023), table 1, for version 0.1; Yang et al. (2025), table 1.
"""

from collections.abc import Mapping
from dataclasses import replace

from transformer_lib.model.config import TransformerConfig

#: GPT-2, the smallest (2019).
GPT2 = TransformerConfig(
    vocabulary_size=50_257,
    d_model=768,
    n_decoder_layers=12,
    n_heads=12,
    d_ff=3072,
    max_length=1024,
    positions="learned",
    activation="gelu_tanh",
    norm_first=True,
    scale_embeddings=False,
)
#: Mistral 7B (2023), without its window.
MISTRAL = TransformerConfig(
    vocabulary_size=32_000,
    d_model=4096,
    n_decoder_layers=32,
    n_heads=32,
    n_kv_heads=8,
    d_ff=14_336,
    max_length=32_768,
    activation="silu",
    gated=True,
    norm="rms",
    norm_first=True,
    bias=False,
    positions="rotary",
    rotary_pairs="halves",
    tie_embeddings=False,
    scale_embeddings=False,
)
#: Llama 2 7B (2023).
LLAMA2 = replace(MISTRAL, n_kv_heads=32, d_ff=11_008, max_length=4096)
#: Llama 3 8B (2024).
LLAMA3 = replace(
    MISTRAL, vocabulary_size=128_256, rotary_base=500_000.0, max_length=8192
)
#: Qwen3 8B (2025).
QWEN3 = replace(
    MISTRAL,
    vocabulary_size=151_936,
    n_decoder_layers=36,
    d_ff=12_288,
    qk_norm=True,
    norm_eps=1e-6,
    rotary_base=1_000_000.0,
)
#: Their max_length is what they were trained to read at once.
REAL_MODELS: Mapping[str, TransformerConfig] = {
    "GPT-2 124M": GPT2,
    "Llama 2 7B": LLAMA2,
    "Llama 3 8B": LLAMA3,
    "Mistral 7B": replace(MISTRAL, window=4096, max_length=8192),
    "Qwen3 8B": QWEN3,
}
