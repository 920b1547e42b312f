"""Which examples a model learns from, which choose its settings, and which judge it."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

T = TypeVar("T")
Part = Literal["learned", "held out", "neither"]


@dataclass(frozen=True)
class Split(Generic[T]):
    """The examples of a grammar, told apart by a rule and drawn until they fit.

    Args:
        write: draws an example.
        part: says which part an example belongs to.
    """

    write: Callable[[random.Random], T]
    part: Callable[[T], Part]

    def draw(self, chance: random.Random, part: Part) -> T:
        """Draw examples until one belongs to the part."""
        while self.part(example := self.write(chance)) != part:
            pass
        return example

    def learned(self, chance: random.Random, count: int) -> list[T]:
        """Draw examples to learn from."""
        return [self.draw(chance, "learned") for _ in range(count)]

    def held_out(self, count: int = 1000, seed: int = 1) -> list[T]:
        """Draw examples to judge a model by."""
        chance = random.Random(seed)
        return [self.draw(chance, "held out") for _ in range(count)]

    def validation(self, count: int = 1000, seed: int = 1) -> list[T]:
        """Draw examples to choose settings by: like held-out ones, and none of those.

        None is among the first 1,000 that `held_out` draws.
        """
        judged = set(map(repr, self.held_out()))
        chance = random.Random(f"validation {seed}")
        found: list[T] = []
        while len(found) < count:
            example = self.draw(chance, "held out")
            if repr(example) not in judged:
                found.append(example)
        return found
