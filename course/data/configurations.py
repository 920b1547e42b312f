"""Configurations of language models as they were published.

Sources: the configuration files of the models on Hugging Face.
"""

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
