"""What a pass of a decoder multiplies, with what it remembers and without."""

from transformer_lib.checks.validation import check_size, check_type
from transformer_lib.model.config import TransformerConfig


def multiplications(
    config: TransformerConfig,
    new: int,
    known: int = 0,
    source: int | None = None,
    *,
    remembers_source: bool = False,
) -> int:
    """Count the multiplications of two numbers in the matrix products of a pass.

        a layer: 4 n D² + 2 n (m + n) D          self-attention of n new tokens
                 2 n D² + 2 S D² + 2 n S D       cross-attention to S tokens
                 2 n D d_ff                      feed-forward network
        logits:  n D V

    All n new tokens are multiplied with all m + n keys: what the causal mask hides is
    counted too, since it is computed.

    Args:
        config: the sizes of a decoder-only model, or of an encoder-decoder.
        new: n, the tokens that are read.
        known: m, the tokens whose keys and values are kept.
        source: S, the tokens that the encoder has read; None in a decoder-only model.
        remembers_source: whether their keys and values are kept (no 2 S D²).

    Raises:
        TypeError, ValueError: config is none, or a number of tokens is no size.

    Source: Vaswani et al. (2017), §3.2, §3.3; Shazeer (2019), §2.3.
    """
    check_type("config", config, TransformerConfig)
    check_size("new", new)
    check_size("known", known, least=0)
    D = config.d_model
    layer = 4 * new * D**2 + 2 * new * (known + new) * D + 2 * new * D * config.d_ff
    if source is not None:
        check_size("source", source)
        layer += 2 * new * D**2 + 2 * new * source * D
        layer += 0 if remembers_source else 2 * source * D**2
    return config.n_decoder_layers * layer + new * D * config.vocabulary_size
