"""What a decoder-only model costs: parameters, work and memory, by its sizes alone."""

from typing import NamedTuple

from transformer_lib.checks.validation import check_arguments
from transformer_lib.model.config import TransformerConfig


class Costs(NamedTuple):
    """What a decoder-only model of some configuration costs.

    parameters: how many numbers it learns.
    flops: floating-point operations in the matrix products of a forward pass: a
        multiplication and an addition for each pair of numbers.
    cache_bytes: the keys and values that later tokens may attend to, after the pass.
    """

    parameters: int
    flops: int
    cache_bytes: int


@check_arguments
def costs(
    config: TransformerConfig, length: int, past: int = 0, bytes_per_number: int = 4
) -> Costs:
    """Count what a `DecoderOnlyTransformer` costs for one text, without building it.

        flops = 2 · T · (numbers in its matrices) + 4 · T · S · H · d_k · n_layers

    Masked scores are computed too, since the mask comes after them. But a cache hands
    over no key that the window hides from all new tokens.

    Args:
        config: its sizes and options.
        length: T, how many tokens the pass reads.
        past: how many tokens a cache holds before them; S = past + T without a window.
        bytes_per_number: 4 for float32, 2 for float16 and bfloat16.

    Raises:
        TypeError, ValueError: config is not a TransformerConfig, or a number is not an
            integer or too small.

    Source: Kaplan et al. (2020), table 1; Pope et al. (2023), §3, for the cache.
    """
    c, T = config, length
    H, D, V, layers = c.n_heads, c.d_model, c.vocabulary_size, c.n_decoder_layers
    d_k, G = c.head_size, c.n_kv_heads or H
    heads, keys = H * d_k, G * d_k  # the features of all queries, and of all keys

    inner = 2 if c.gated else 1  # W_1, and W_3 of a gate
    attention = D * heads + 2 * D * keys + heads * D
    network = (inner + 1) * D * c.d_ff
    qkv_bias = c.bias if c.qkv_bias is None else c.qkv_bias
    biases = qkv_bias * (heads + 2 * keys) + c.bias * (D + inner * c.d_ff + D)
    norm = D * (2 if c.norm == "layer" and c.bias else 1)
    block = attention + network + biases + 2 * norm + c.qk_norm * 2 * d_k
    outside = V * D * (1 if c.tie_embeddings else 2)
    outside += (c.positions == "learned") * c.max_length * D
    outside += (c.norm_first or c.final_norm) * norm

    held = past if c.window is None else min(past, c.window - 1)
    products = layers * (attention + network) + V * D  # for each token
    pairs = layers * 2 * (held + T) * heads  # scores, and values that they weight
    kept = past + T if c.window is None else min(past + T, c.window)
    return Costs(
        parameters=layers * block + outside,
        flops=2 * T * (products + pairs),
        cache_bytes=2 * layers * kept * keys * bytes_per_number,
    )
