"""How deep a stack can be: what goes up through it, and the gradient that comes down.

The blocks are the library's own; all that changes is what stands around a sub-layer.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, get_args

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_lib.checks.validation import (
    check_number,
    check_option,
    check_size,
    skip_checks,
)
from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.layers import AddNorm, EncoderBlock
from transformer_lib.model.norms import LayerNorm
from transformer_lib.runtime.seed import derive_seed
from transformer_lib.training import fit_steps, seeded

Variant = Literal["nothing", "norm", "add", "post-norm", "pre-norm"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)
D = 32
H = 4
D_FF = 128
WORDS = 3  # of a sentence, such as "AI is powerful"
KINDS = 6  # words there are in `learn`
ASKED_EVERY = 5  # steps of `learn`
MOST_BLOCKS = 48  # in `passage`
#: A baseline of `learn`: the commonest word of a sentence, said for all three places.
#: Of 36 sentences 20 have three different words, 15 one word twice, one three times.
ONE_ANSWER = (20 * 1 + 15 * 2 + 1 * 3) / (36 * 3)


@dataclass(frozen=True)
class Passage:
    """What one pass up and one pass down a stack of N blocks measured.

    Args:
        signal: root mean square of the words' vectors before the first block and after
            each, (N + 1,).
        gradient: the same of the gradient there; at the top it is that of the loss.
        difference: by how much words differ: root mean square of what is left when
            their mean is taken away, as a share of the signal.
        top: the words' vectors after the last block, (WORDS, D).
    """

    signal: Tensor
    gradient: Tensor
    difference: Tensor
    top: Tensor


class Around(nn.Module):
    """Something less than Add & Norm around a sub-layer f, in the same place.

    nothing: f(x)        norm: norm(f(x))        add: x + f(x)
    """

    def __init__(self, variant: Variant, d_model: int) -> None:
        super().__init__()
        self.variant = variant
        self.norm = LayerNorm(d_model)

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Wrap a sub-layer (B, T, D) → (B, T, D) around x (B, T, D)."""
        y = sublayer(x)
        if self.variant == "norm":
            return torch.as_tensor(self.norm(y))
        return x + y if self.variant == "add" else y


def surround(block: EncoderBlock, variant: Variant) -> EncoderBlock:
    """Put another variant around both sub-layers of a block, in place.

    Raises:
        ValueError: there is no such variant.
    """
    check_option("variant", variant, VARIANTS)
    x = block.feed_forward.W_1.weight
    first = variant == "pre-norm"
    config = TransformerConfig(
        d_model=block.d_model, n_heads=block.n_heads, dropout=0.0, norm_first=first
    )
    own = variant in ("post-norm", "pre-norm")
    for name in ("add_norm_1", "add_norm_2"):
        around = AddNorm(config) if own else Around(variant, block.d_model)
        setattr(block, name, around.to(x.dtype))
    return block


def climb(blocks: Iterable[nn.Module], x: Tensor) -> list[Tensor]:
    """Return x (B, T, D), and what it is after each block."""
    found = [x]
    with skip_checks():
        for block in blocks:
            found.append(block(found[-1]))
    return found


@lru_cache(maxsize=2)
def _drawn(seed: int) -> tuple[list[EncoderBlock], list[Tensor], Tensor]:
    """Fresh blocks, their matrices as drawn, and random vectors (2, 1, WORDS, D)."""
    with seeded(seed):
        vectors = torch.randn(2, 1, WORDS, D, dtype=torch.float64)
        config = TransformerConfig(d_model=D, n_heads=H, d_ff=D_FF, dropout=0.0)
        blocks = [EncoderBlock(config).double() for _ in range(MOST_BLOCKS)]
    return blocks, [W.detach().clone() for W in _matrices(blocks)], vectors


def _matrices(blocks: Sequence[EncoderBlock]) -> list[Tensor]:
    return [W for block in blocks for W in block.parameters() if W.dim() == 2]


def passage(
    variant: Variant, blocks: int = 48, *, weights: float = 1.0, seed: int = 0
) -> Passage:
    """Send three random words up a fresh stack, and a random gradient down.

    The gradient at a word's vector says how much the loss changes with it. At the top
    it is drawn at random, of size about 1, as if some loss had asked for it.

    Args:
        variant: what stands around each sub-layer.
        blocks: N, at most 48.
        weights: what every weight matrix is multiplied by.
        seed: of the weights, the words and the gradient.

    Returns:
        what was measured, in float64.

    Raises:
        TypeError, ValueError: there is no such variant, blocks is not 1 to 48, or
            weights is not above 0.

    Source: Glorot and Bengio (2010); He et al. (2016); Xiong et al. (2020); D1.3.3.
    """
    check_size("blocks", blocks)
    check_number("blocks", blocks, 1, MOST_BLOCKS)
    check_number("weights", weights, 0, above=True)
    drawn, matrices, (words, loss) = _drawn(seed)
    with torch.no_grad():
        for W, first in zip(_matrices(drawn), matrices, strict=True):
            W.copy_(weights * first)
    stack = [surround(block, variant) for block in drawn[:blocks]]
    levels = climb(stack, words.requires_grad_())
    gradients = torch.autograd.grad(levels[-1], levels, loss)
    up, down = torch.cat(levels).detach(), torch.cat(gradients)  # (N + 1, WORDS, D)
    apart = _size(up - up.mean(1, keepdim=True))
    return Passage(_size(up), _size(down), apart / _size(up), up[-1])


def _size(x: Tensor) -> Tensor:
    """Root mean square of each (WORDS, D) of x (N, WORDS, D)."""
    most = x.abs().amax((1, 2)).clamp_min(1e-300)  # so that no square is ∞ or 0
    return most * (x / most[:, None, None]).square().mean((1, 2)).sqrt()


@dataclass(frozen=True)
class Learned:
    """What training came to, or has come to by now.

    Args:
        losses: at every step.
        accuracy: the share of words that came through, of 600, after the last step or
            when they were asked last.
        same: the share of sentences that got one answer for all their words, of 200.
    """

    losses: list[float]
    accuracy: float
    same: float


def learn(
    variants: Sequence[Variant] = VARIANTS,
    blocks: int = 12,
    *,
    steps: int = 40,
    seed: int = 0,
) -> dict[Variant, Learned]:
    """Train a stack on the easiest task there is: say each word that came in.

    There are six words, sentences of three, drawn at random; guessing is right in one
    of six. It is enough that a stack hands each vector on unchanged: then only the
    output has to learn the six vectors.

    Args:
        variants: what stands around each sub-layer, one training for each.
        blocks: N.
        steps: batches of 16 sentences.
        seed: of the weights and the sentences, which are the same for all variants.

    Returns:
        for each variant, its losses and its share of right answers.

    Raises:
        TypeError, ValueError: there is no such variant, or blocks or steps is below 1.

    Source: Xiong et al. (2020); D1.3.3, D2.4.
    """
    *_, found = learn_steps(variants, blocks, steps=steps, seed=seed)
    return found


def learn_steps(
    variants: Sequence[Variant] = VARIANTS,
    blocks: int = 12,
    *,
    steps: int = 40,
    seed: int = 0,
) -> Iterator[dict[Variant, Learned]]:
    """Do what `learn` does, a step at a time: the variants take turns.

    After every fifth step, and the last, a stack is asked how many words come through;
    no training feels it.

    Returns:
        what the variants have come to before the first step and after each of any.
    """
    runs = {variant: _learned(variant, blocks, steps, seed) for variant in variants}
    found = {variant: next(run) for variant, run in runs.items()}
    yield dict(found)
    for _ in range(steps):
        for variant, run in runs.items():
            found[variant] = next(run)
            yield dict(found)


class _Copier(nn.Module):
    """Words' ids (B, T), each a vector, up a stack, to logits (B, T, KINDS)."""

    def __init__(self, variant: Variant, blocks: int) -> None:
        super().__init__()
        config = TransformerConfig(d_model=16, n_heads=2, d_ff=64, dropout=0.0)
        stack = [surround(EncoderBlock(config), variant) for _ in range(blocks)]
        self.embed = nn.Embedding(KINDS, 16)
        self.blocks = nn.ModuleList(stack)
        self.output = nn.Linear(16, KINDS)

    def forward(self, ids: Tensor) -> Tensor:
        return torch.as_tensor(self.output(climb(self.blocks, self.embed(ids))[-1]))


def _sentences(draw: torch.Generator, count: int = 16) -> Tensor:
    return torch.randint(KINDS, (count, WORDS), generator=draw)


def _learned(variant: Variant, blocks: int, steps: int, seed: int) -> Iterator[Learned]:
    with seeded(seed):
        model = _Copier(variant, blocks)

    def loss(ids: Tensor) -> Tensor:
        return F.cross_entropy(model(ids).flatten(0, 1), ids.flatten())

    def asked(losses: list[float]) -> Learned:
        with torch.no_grad():
            draw = torch.Generator().manual_seed(derive_seed(seed, "asked"))
            ids = _sentences(draw, 200)
            said = model(ids).argmax(-1)  # (200, WORDS)
        right = said == ids
        same = (said == said[:, :1]).all(1)
        return Learned(losses, float(right.float().mean()), float(same.float().mean()))

    batches = derive_seed(seed, "batches")
    fitting = fit_steps(model, _sentences, loss, steps, lr=2e-3, seed=batches)
    found = asked([])
    yield found
    for new in fitting:
        losses = [*found.losses, new]
        ask = len(losses) % ASKED_EVERY == 0 or len(losses) == steps
        found = asked(losses) if ask else replace(found, losses=losses)
        yield found
