"""A small model that several test files build alike."""

from dataclasses import replace

import torch

from transformer_lib import TransformerConfig

SMALL = TransformerConfig(
    vocabulary_size=11,
    d_model=12,
    n_heads=3,
    n_encoder_layers=2,
    n_decoder_layers=2,
    d_ff=24,
    max_length=16,
)
PAD = 0
RAGGED = torch.tensor([[3, 4, 5, 6], [7, 8, PAD, PAD], [PAD, PAD, PAD, 9]])


def build(kind, **options):
    """Make a model whose weights are large enough to tell its outputs apart."""
    torch.manual_seed(0)
    model = kind(replace(SMALL, **options))
    with torch.no_grad():
        for p in model.parameters():
            if p.dim() > 1:
                p.mul_(3.0)
    return model.eval()
