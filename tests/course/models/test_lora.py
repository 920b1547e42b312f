"""LoRA: what is added, what is frozen, and how many numbers are trained."""

import pytest
import torch
from torch import nn

from course.models.dictionary import BERT, GPT, SIZES
from course.models.lora import LoRA, add_lora, trained_parameters
from transformer_lib.training import seeded

X = torch.randn(2, 3, 6, generator=torch.Generator().manual_seed(1))


def layer(rank=2):
    with seeded(0):
        return LoRA(nn.Linear(6, 4), rank)


def test_at_first_the_layer_computes_what_it_did():
    lora = layer()
    assert lora(X).equal(lora.linear(X))


def test_a_matrix_of_the_rank_is_added():
    lora = layer()
    nn.init.normal_(lora.B, generator=torch.Generator().manual_seed(2))
    W = lora.linear.weight + lora.B @ lora.A
    assert torch.allclose(lora(X), X @ W.T + lora.linear.bias, atol=1e-6)
    assert torch.linalg.matrix_rank(lora.B @ lora.A) == 2


def test_a_step_changes_the_addition_alone():
    lora = layer()
    before = {name: p.detach().clone() for name, p in lora.named_parameters()}
    lora(X).square().sum().backward()
    torch.optim.SGD([p for p in lora.parameters() if p.requires_grad], lr=1.0).step()
    changed = {n for n, p in lora.named_parameters() if not p.equal(before[n])}
    assert changed == {"B"}  # A moves once B is not 0
    assert lora.linear.weight.grad is None


@pytest.mark.parametrize("small", [GPT, BERT])
@pytest.mark.parametrize("rank", [1, 8])
def test_the_trained_numbers_are_counted(small, rank):
    model = small.untrained()
    whole = trained_parameters(model)
    ids = torch.arange(12)[None]
    before = model(ids)
    add_lora(model, rank)
    assert model(ids).equal(before)
    D, layers = SIZES.d_model, SIZES.n_decoder_layers
    assert trained_parameters(model) == layers * 2 * rank * (D + D)
    assert trained_parameters(model) < whole / 20


def test_other_layers_can_be_named():
    model = GPT.untrained()
    add_lora(model, 2, ["W_O"])
    assert trained_parameters(model) == 4 * 2 * 2 * 160


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: layer(0), "rank must be at least 1, got 0"),
        (lambda: layer(5), "rank must be at most 4, got 5"),
        (
            lambda: add_lora(nn.Linear(2, 2), 1),
            r"names must name linear layers of the model, got \['W_Q', 'W_V'\]",
        ),
        (
            lambda: add_lora(GPT.untrained(), 1, ["W_Q", "norm"]),
            r"names must name linear layers of the model, got \['norm'\]",
        ),
    ],
)
def test_what_cannot_be_added_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()
