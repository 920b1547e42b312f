"""A mixture of experts: each token is read by the experts that its router chooses."""

import torch

from course.models.experts import (
    EXPERTS,
    HIDDEN,
    MODELS,
    SIZES,
    TOP,
    Mixture,
    balance_loss,
    route,
)


def test_a_mixture_is_the_weighted_sum_of_its_chosen_experts():
    torch.manual_seed(0)
    mixture = Mixture(SIZES)
    x = torch.randn(2, 5, SIZES.d_model)
    y = mixture(x)
    weights = route(mixture.router(x))  # (2, 5, E)
    assert torch.equal((weights > 0).sum(-1), torch.full((2, 5), TOP))
    assert torch.allclose(weights.sum(-1), torch.ones(2, 5))
    every = torch.stack([expert(x) for expert in mixture.experts], dim=2)
    expected = (weights[..., None] * every).sum(2)
    assert torch.allclose(y, expected, atol=1e-6)


def test_the_balance_loss_is_1_if_all_are_used_alike_and_e_over_k_if_two_do_all():
    even = torch.eye(EXPERTS) * 9 + torch.eye(EXPERTS).roll(1, 1) * 9
    assert torch.isclose(balance_loss(even, route(even)), torch.tensor(1.0))
    two = torch.tensor([[40.0, 40.0] + [0.0] * (EXPERTS - 2)] * 6)
    assert torch.isclose(balance_loss(two, route(two)), torch.tensor(EXPERTS / TOP))


def test_two_models_have_the_work_or_the_parameters_of_the_mixture():
    def size(name):
        return sum(p.numel() for p in MODELS[name].untrained().parameters())

    layers, D = SIZES.n_decoder_layers, SIZES.d_model
    extra = layers * (EXPERTS * D + (EXPERTS - 1) * D)  # the routers, and more biases
    assert size("experts") - size("dense, same parameters") == extra
    assert SIZES.d_ff == TOP * HIDDEN
