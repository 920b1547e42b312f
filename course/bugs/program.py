"""The program of notebook 18: a tiny decoder-only model, made of functions to replace.

The attention and the block are those of notebook 11. Each function that a case may
replace is the solution of the case's exercise, so what is mended is what runs.

Its texts are words of three random letters, repeated: cabcabcab. The first three
letters cannot be predicted, and all others can.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import log
from typing import Any

import torch
from torch import Tensor, nn

from transformer_lib.model.norms import LayerNorm

from ..exercises import EXERCISES

PAD, SOS = 0, 1
LETTERS = "abcdefghij"
V = 2 + len(LETTERS)
PERIOD = 3  # letters that are repeated
SHORTEST, LONGEST = 6, 12  # letters of a text
STEPS, RATE, BATCH = 250, 0.01, 64
#: The loss of a model that predicts all that can be predicted, per letter.
FLOOR = PERIOD * log(len(LETTERS)) / ((SHORTEST + LONGEST) / 2)

Part = Callable[..., Any]


def solution(case: int) -> Part:
    """Build the mended function of a case."""
    return EXERCISES[f"case_{case}"].build()


@dataclass(frozen=True)
class Settings:
    """What a program is built of besides its functions.

    Args:
        d_model, n_heads: the sizes of its attention.
        p: the share of features that dropout takes.
        epsilon: of label smoothing.
        rotary: whether positions turn queries and keys, and are not added.
        no_pad: whether ⟨PAD⟩ gets the logit −∞, so that it is never predicted.
    """

    d_model: int = 32
    n_heads: int = 4
    p: float = 0.0
    epsilon: float = 0.0
    rotary: bool = False
    no_pad: bool = False


@dataclass(frozen=True)
class Parts:
    """The functions of the program; each is called as in its exercise."""

    shift: Part = field(default_factory=lambda: solution(1))
    weights: Part = field(default_factory=lambda: solution(2))
    attend: Part | None = None  # in place of scores and weights, of both
    split: Part = field(default_factory=lambda: solution(3))
    loss: Part = field(default_factory=lambda: solution(4))
    positions: Part = field(default_factory=lambda: solution(5))
    drop: Part = field(default_factory=lambda: dropout_with(solution(6)))
    smooth: Part = field(default_factory=lambda: solution(8))
    rotate: Part = field(default_factory=lambda: solution(9))
    scores: Part = field(default_factory=lambda: solution(10))
    tie: Part = field(default_factory=lambda: solution(12))


def dropout_with(function: Part) -> Part:
    """Return dropout (x, p, training) that draws the noise for a function of it."""

    def drop(x: Tensor, p: float, training: bool) -> Any:
        return function(x, p, torch.rand(x.shape)) if training else x

    return drop


class Attention(nn.Module):
    """Multi-head attention as in notebook 11, with a cache of keys and values."""

    def __init__(self, settings: Settings, parts: Parts) -> None:
        super().__init__()
        D = settings.d_model
        self.settings, self.parts = settings, parts
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(D, D) for _ in range(4))

    def forward(
        self,
        x: Tensor,
        positions: Tensor | None,
        mask: Tensor,
        cache: list[Tensor],
        seen: dict[str, Tensor],
    ) -> Tensor:
        """Return the output (B, T, D); positions (T,) turn queries and keys."""
        split, H = self.parts.split, self.settings.n_heads
        Q, K, V = (split(W(x), H) for W in (self.W_Q, self.W_K, self.W_V))
        seen["queries"] = Q
        if positions is not None:
            Q, K = (self.parts.rotate(one, positions) for one in (Q, K))
            seen["turned"] = Q
        if cache:
            K, V = torch.cat([cache[0], K], dim=2), torch.cat([cache[1], V], dim=2)
        cache[:] = [K, V]
        seen["scores"] = scores = self.parts.scores(Q, K)
        attend = self.parts.attend
        weights = attend(Q, K, mask) if attend else self.parts.weights(scores, mask)
        seen["weights"] = weights
        p, training = self.settings.p, self.training
        weights = self.parts.drop(weights, p, training) if p else weights
        y: Tensor = self.W_O((weights @ V).transpose(1, 2).flatten(2))
        seen["attention"] = y
        return y


class Program(nn.Module):
    """A decoder-only model with one block, which reads texts and continues them."""

    def __init__(self, settings: Settings, parts: Parts) -> None:
        super().__init__()
        D = settings.d_model
        self.settings, self.parts = settings, parts
        drawn = parts.tie(V, D, lambda *size: torch.randn(*size) / D)
        E, W = (torch.as_tensor(one) for one in drawn)
        self.E = nn.Parameter(E)
        self.W = self.E if W is E else nn.Parameter(W)
        self.attention = Attention(settings, parts)
        self.norm_1, self.norm_2 = LayerNorm(D), LayerNorm(D)
        self.ffn = nn.Sequential(nn.Linear(D, 2 * D), nn.ReLU(), nn.Linear(2 * D, D))
        for name, weight in self.named_parameters():
            if weight.dim() > 1 and name not in ("E", "W"):
                nn.init.xavier_uniform_(weight)

    def dropped(self, x: Tensor) -> Tensor:
        """Apply dropout, if there is any."""
        p = self.settings.p
        y: Tensor = self.parts.drop(x, p, self.training) if p else x
        return y

    def forward(
        self,
        ids: Tensor,
        cache: list[Tensor] | None = None,
        seen: dict[str, Tensor] | None = None,
        *,
        order: bool = True,
    ) -> Tensor:
        """Return the logits (B, T, V) of ids (B, T).

        Args:
            ids: the tokens, or with a cache those that follow the tokens in it.
            cache: keys and values of earlier tokens; it grows.
            seen: takes the tensors on the way, by name.
            order: whether the model knows positions and has its causal mask.
        """
        cache, seen = [] if cache is None else cache, {} if seen is None else seen
        D, new = self.settings.d_model, ids.size(1)
        old = cache[0].size(2) if cache else 0
        positions = self.parts.positions(new, old)
        x = D**0.5 * self.E[ids]
        if order and not self.settings.rotary:
            x = x + sinusoids(positions, D)
        seen["vectors"] = x
        mask = torch.ones(new, old + new) == 1
        mask = mask.tril(old) if order else mask
        turned = positions if self.settings.rotary and order else None
        attention = self.attention(x, turned, mask, cache, seen)
        x = self.norm_1(x + self.dropped(attention))
        x = self.norm_2(x + self.dropped(self.ffn(x)))
        seen["block"] = x
        logits = x @ self.W.T
        if self.settings.no_pad:
            forbidden = torch.arange(V) == PAD
            logits = logits.masked_fill(forbidden, -torch.inf)
        seen["logits"] = logits
        return logits

    def loss(self, ids: Tensor) -> Tensor:
        """Return the loss on a batch of texts (B, T)."""
        inputs, labels = self.parts.shift(ids)
        logits = self(inputs)
        if not self.settings.epsilon:
            loss: Tensor = self.parts.loss(logits, labels, PAD)
            return loss
        flat = logits.flatten(0, 1), labels.flatten()
        losses: Tensor = self.parts.smooth(*flat, self.settings.epsilon, PAD)
        return losses[flat[1] != PAD].mean()


def sinusoids(positions: Tensor, D: int) -> Tensor:
    """Return the positional encodings (T, D) of positions (T,), as in notebook 11."""
    angles = positions[:, None] / 10_000 ** (torch.arange(0, D, 2) / D)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def draw_texts(
    generator: torch.Generator, count: int = BATCH, width: int = LONGEST
) -> Tensor:
    """Draw texts (count, 1 + width): ⟨SOS⟩, a word repeated, and padding."""
    length = torch.randint(SHORTEST, LONGEST + 1, (count, 1), generator=generator)
    words = draw_words(generator, count)
    at = torch.arange(width)
    letters = torch.where(at < length, words[:, at % PERIOD], PAD)
    return torch.cat([torch.full((count, 1), SOS), letters], dim=1)


def new_texts(seed: int) -> Tensor:
    """Draw 64 texts (64, 13) that the program of a seed has not been trained on."""
    return draw_texts(torch.Generator().manual_seed(1000 + seed))


def draw_words(generator: torch.Generator, count: int) -> Tensor:
    """Draw words of three letters, as ids (count, 3)."""
    return torch.randint(2, V, (count, PERIOD), generator=generator)


def build(settings: Settings, parts: Parts, seed: int) -> Program:
    """Build an untrained program; the reader's own random numbers stay as they were."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return Program(settings, parts).eval()


def train(
    program: Program, seed: int, steps: int = STEPS, texts: Tensor | None = None
) -> list[float]:
    """Train a program on new texts, or on the same ones, and return its losses.

    It stops where the loss is not finite any more.
    """
    draw = torch.Generator().manual_seed(100 + seed)
    adam = torch.optim.Adam(program.parameters(), lr=RATE)
    losses = []
    with torch.random.fork_rng():
        torch.manual_seed(seed)  # dropout
        program.train()
        for _ in range(steps):
            loss = program.loss(draw_texts(draw) if texts is None else texts)
            losses.append(loss.item())
            if not loss.isfinite():
                break
            adam.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            adam.step()
        program.eval()
    return losses


def trained(
    settings: Settings, parts: Parts, seed: int = 0
) -> tuple[Program, list[float]]:
    """Build a program and train it."""
    program = build(settings, parts, seed)
    return program, train(program, seed)


@torch.no_grad()
def generate(program: Program, words: Tensor, *, cached: bool = False) -> Tensor:
    """Continue words (B, 3) greedily to texts of twelve letters (B, 12)."""
    ids = torch.cat([torch.full((len(words), 1), SOS), words], dim=1)
    cache: list[Tensor] = []
    fresh = ids
    while ids.size(1) <= LONGEST:
        logits = program(fresh, cache) if cached else program(ids)
        fresh = logits[:, -1].argmax(dim=-1, keepdim=True)
        ids = torch.cat([ids, fresh], dim=1)
    return ids[:, 1:]


def exact_match(program: Program, *, cached: bool = False, count: int = 200) -> float:
    """Return the share of words that a program repeats without a mistake."""
    words = draw_words(torch.Generator().manual_seed(7), count)
    wanted = words[:, torch.arange(LONGEST) % PERIOD]
    found = generate(program, words, cached=cached)
    return (found == wanted).all(dim=1).float().mean().item()


def ids_of(word: str) -> list[int]:
    """Read letters as ids."""
    return [2 + LETTERS.index(letter) for letter in word]


def spelled(ids: Tensor) -> str:
    """Write ids as letters; ⟨PAD⟩ is a dot, ⟨SOS⟩ a caret."""
    return "".join(("." + "^" + LETTERS)[i] for i in ids.tolist())


def continued(program: Program, word: str = "cab", *, cached: bool = False) -> str:
    """Continue one word, in letters."""
    return spelled(generate(program, torch.tensor([ids_of(word)]), cached=cached)[0])
