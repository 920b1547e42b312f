"""The comparison of notebook 11: three models that agree, and what a change does."""

import pytest
import torch
from torch import nn

from course.experiments.torch_twin import compare
from transformer_lib import Transformer, TransformerConfig

SIZES = {"vocabulary_size": 7, "d_model": 12, "n_heads": 4, "d_ff": 20, "dropout": 0.0}
LAYERS = {"n_encoder_layers": 2, "n_decoder_layers": 2}


def torchs():
    theirs = nn.Transformer(12, 4, 2, 2, 20, 0.0, batch_first=True)
    theirs.encoder.norm = theirs.decoder.norm = None
    return theirs


def ours(**other):
    return Transformer(TransformerConfig(**SIZES, **LAYERS, **other))


def test_equal_models_are_found_equal_and_stay_as_they_are():
    mine, theirs = ours(), torchs()
    before = [w.clone() for w in (*mine.parameters(), *theirs.parameters())]
    assert compare(mine, theirs) == "logits (3, 5, 7) and 85 gradients equal"
    after = (*mine.parameters(), *theirs.parameters())
    assert all(map(torch.equal, before, after))


def test_embeddings_that_are_not_scaled_give_other_logits():
    said = compare(ours(scale_embeddings=False), torchs())
    assert said.startswith("logits (3, 5, 7) differ by up to")


class Deaf(nn.Module):
    """A model whose embedding learns nothing from the words that come in."""

    def __init__(self):
        super().__init__()
        self.inner = ours()

    def forward(self, source, target, mask):
        embedding = self.inner.embedding
        embedding.register_forward_hook(lambda _, __, x: x.detach())
        return self.inner(source, target, mask)


def test_equal_logits_with_another_gradient_are_told():
    assert compare(Deaf(), torchs()).endswith("equal, but 1 of 85 gradients differ")


def test_torchs_own_final_norms_are_refused():
    theirs = nn.Transformer(12, 4, 2, 2, 20, 0.0, batch_first=True)
    with pytest.raises(ValueError, match="final norm"):
        compare(ours(), theirs)
