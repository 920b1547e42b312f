"""A small GPT whose feed-forward networks are mixtures of experts, and dense ones.

All of them learn from the dictionary. A mixture has eight experts and uses two of them
for each token, so it does the work of a network with two experts' hidden features, and
has the parameters of one with eight experts' (and a router).
"""

from dataclasses import replace
from functools import partial

import torch
from torch import Tensor, nn

from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.layers import FeedForward
from transformer_lib.model.transformer import DecoderOnlyTransformer
from transformer_lib.runtime.module import Part

from .dictionary import DRAFT_SIZES, batch, next_token_loss
from .small_model import Recipe, SmallModel

EXPERTS = 8
TOP = 2
HIDDEN = 64  # features of an expert's hidden layer
BALANCE = 0.01  # weight of the load-balancing loss
RECIPE = Recipe(steps=300, peak=0.005, warmup=30, batch_size=16)
SIZES = replace(DRAFT_SIZES, d_ff=TOP * HIDDEN)


def route(logits: Tensor, top: int = TOP) -> Tensor:
    """Weigh the experts of each token: softmax over the `top` best, 0 for the others.

    Shapes: logits and weights (..., E).
    Source: Shazeer et al. (2017), §2.1; Jiang et al. (2024), §2.1.
    """
    best, experts = logits.topk(top, dim=-1)  # (..., top)
    return torch.zeros_like(logits).scatter(-1, experts, best.softmax(dim=-1))


def balance_loss(logits: Tensor, weights: Tensor) -> Tensor:
    """Return E Σ f_e P_e, which is 1 if all experts are used equally.

    f_e is the fraction of choices that fall on expert e, and P_e the mean probability
    that the router gives it. Shapes: logits and weights (N, E).

    Source: Fedus, Zoph and Shazeer (2022), §2.2.
    """
    chosen = (weights > 0).float().mean(0)  # (E,)
    return logits.size(-1) * (chosen / chosen.sum()) @ logits.softmax(-1).mean(0)


class Mixture(Part):
    """Let a router choose two of eight feed-forward networks for each token.

        y = Σ w_e FFN_e(x),  w = route(x W_router)

    Attributes:
        logits: of the router in the latest pass (N, E).
        weights: that it gave the experts (N, E).

    Source: Shazeer et al. (2017), §2.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        D = config.d_model
        self.router = nn.Linear(D, EXPERTS, bias=False)
        experts = [
            FeedForward(D, HIDDEN, config.dropout, config.activation, config.bias)
            for _ in range(EXPERTS)
        ]
        self.experts = nn.ModuleList(experts)

    def forward(self, x: Tensor) -> Tensor:
        """Turn x (B, T, D) into (B, T, D): each expert reads its own tokens only."""
        tokens = x.flatten(0, 1)  # (N, D)
        self.logits = self.router(tokens)  # (N, E)
        self.weights = route(self.logits)
        y = torch.zeros_like(tokens)
        for e, expert in enumerate(self.experts):
            taken = self.weights[:, e].nonzero()[:, 0]  # (n,)
            part = self.weights[taken, e, None] * expert(tokens[taken])  # (n, D)
            y = y.index_add(0, taken, part)
        return y.view_as(x)


def build_mixture() -> DecoderOnlyTransformer:
    """Return the GPT with a mixture in each block, with random weights."""
    model = DecoderOnlyTransformer(SIZES)
    for block in model.decoder.blocks:
        block.feed_forward = Mixture(SIZES)
    return model


def mixtures(model: DecoderOnlyTransformer) -> list[Mixture]:
    """Return the mixtures of a model, from the first block to the last."""
    return [part for part in model.modules() if isinstance(part, Mixture)]


def loss(model: DecoderOnlyTransformer, ids: Tensor, *, balance: float) -> Tensor:
    """Return the loss of the next token, plus the weighted load-balancing loss."""
    total = next_token_loss(model, ids)
    if balance:
        losses = [balance_loss(part.logits, part.weights) for part in mixtures(model)]
        total = total + balance * torch.stack(losses).sum()
    return total


def dense(d_ff: int) -> SmallModel[DecoderOnlyTransformer, Tensor]:
    """Return the GPT with ordinary feed-forward networks."""
    return SmallModel(
        name=f"dense_{d_ff}",
        build=lambda: DecoderOnlyTransformer(replace(SIZES, d_ff=d_ff)),
        batch=batch,
        loss=next_token_loss,
        recipe=RECIPE,
        seeds=(),
    )


def mixture(balance: float) -> SmallModel[DecoderOnlyTransformer, Tensor]:
    """Return the GPT with mixtures, trained with a load-balancing loss or without."""
    return SmallModel(
        name="mixture" if balance else "mixture_unbalanced",
        build=build_mixture,
        batch=batch,
        loss=partial(loss, balance=balance),
        recipe=RECIPE,
        seeds=(),
        settings={
            "experts": EXPERTS,
            "top": TOP,
            "hidden": HIDDEN,
            "balance": balance,
        },
    )


#: Four models: the work of two experts, the parameters of eight, and two mixtures.
MODELS = {
    "dense, same work": dense(TOP * HIDDEN),
    "dense, same parameters": dense(EXPERTS * HIDDEN),
    "experts": mixture(BALANCE),
    "experts, no balance loss": mixture(0.0),
}
