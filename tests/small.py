"""What tests of generation share: a small model with strong opinions, and prompts."""

from dataclasses import replace

import torch

from transformer_lib import (
    DecoderOnlyTransformer,
    Decoding,
    Transformer,
    TransformerConfig,
    greedy,
)

SMALL = TransformerConfig(
    vocabulary_size=11,
    d_model=12,
    n_heads=3,
    n_encoder_layers=2,
    n_decoder_layers=2,
    d_ff=24,
    max_length=16,
)
PAD, END, START = 0, 1, 2
WRITERS = [DecoderOnlyTransformer, Transformer]
PROMPTS = torch.tensor([[3, 4, 5, 6], [7, 8, 9, 10], [3, 3, 8, 4]])
RAGGED = torch.tensor([[3, 4, 5, 6], [7, 8, PAD, PAD], [PAD, PAD, PAD, 9]])


def build(kind, seed=0, sharp=3.0, **options):
    """Make a model whose weights are large enough to tell its outputs apart."""
    torch.manual_seed(seed)
    model = kind(replace(SMALL, **options))
    with torch.no_grad():
        for p in model.parameters():
            if p.dim() > 1:
                p.mul_(sharp)
    return model.eval()


def told(kind, **options):
    """Make the settings that a model of a kind needs, and those that are asked for."""
    start = START if kind is Transformer else None
    return Decoding(**{"max_length": 12, "pad_id": PAD, "start_id": start, **options})


def settings(model, **options):
    """Make the settings that a model needs."""
    return told(type(model), **options)


def next_log_p(model, ids, text):
    """Score the next token of a text behind a prompt, by the model alone."""
    with torch.no_grad():
        if isinstance(model, Transformer):
            logits = model(ids, torch.tensor([[START, *text]]))
        else:
            logits = model(torch.cat([ids, torch.tensor([text]).long()], dim=1))
    return logits[0, -1].log_softmax(-1)


def sum_log_p(model, ids, text):
    """Score a whole text, token by token."""
    return sum(
        float(next_log_p(model, ids, text[:i])[token]) for i, token in enumerate(text)
    )


def ending(model):
    """Find a token that the model writes early on its own, to serve as an end."""
    ids = greedy(model, PROMPTS[:1], settings(model)).ids[0]
    free = ids[1:] if isinstance(model, Transformer) else ids[4:]
    return next((t for t in free[2:].tolist() if t != PAD), END), free
