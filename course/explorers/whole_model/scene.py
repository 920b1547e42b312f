"""A scene: a place on the way through a model, and whose rows are followed there."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from explorable import Table
from transformer_lib.runtime.recording import Recording

from .passes import Seen
from .steps import Step, Way

SHOWN = 8  # features of a vector


@dataclass(frozen=True)
class Scene:
    """What is looked at.

    Attributes:
        way: the model's steps.
        seen: the passes.
        number: of the step, from 1.
        layer, head: from 1.
        token: the place of the one that is followed, from 1.
        feature: the first one of those that are shown, from 1.
    """

    way: Way
    seen: Seen
    number: int
    layer: int
    head: int
    token: int
    feature: int

    @property
    def at(self) -> Step:
        """The step."""
        return self.way.steps[self.number - 1]

    @property
    def name(self) -> str:
        """What its tensor is recorded as."""
        return self.name_of(self.at)

    @property
    def own_head(self) -> int | None:
        """The head, counted from 0, where each has its own; else None."""
        return self.head - 1 if self.at.of_heads else None

    @property
    def tensors(self) -> Mapping[str, Tensor]:
        """Those of the pass that is shown."""
        return self.seen.before if self.seen.after is None else self.seen.after

    @property
    def passes(self) -> list[Recording]:
        """The unpatched pass, and the patched one if there is one."""
        return [x for x in (self.seen.before, self.seen.after) if x is not None]

    @property
    def width(self) -> int:
        """How many columns its tensor has."""
        x = self.tensors.get(self.name)
        return int(self.way.model.config.d_model if x is None else x.size(-1))

    def features(self, count: int) -> range:
        """Those that are shown of so many, counted from 0."""
        first = max(0, min(self.feature - 1, count - SHOWN))
        return range(first, min(count, first + SHOWN))

    @property
    def only(self) -> range | None:
        """The features of its tensor that are shown; None where all are."""
        few = self.features(self.width)
        return few if len(few) < self.width else None

    def name_of(self, step: Step) -> str:
        """What a step's tensor is recorded as, in the layer where it is seen now."""
        return step.name(self.way.layer(step, self.at, self.layer))

    def row(self, reads: bool) -> int:
        """The row of the followed token, or of the last one of a shorter sentence."""
        words = self.seen.source if reads else self.seen.words
        return min(self.token, len(words)) - 1

    def row_in(self, table: Table, name: str) -> int:
        """The same in a table: of the source's words, or of the other ones."""
        over = "cross_attention" in name and table.rows.name in ("key", "value")
        memory = name == "encoder" and not self.at.reads
        return self.row(bool(self.seen.source) and (self.at.reads or over or memory))

    def most_likely(self, count: int) -> list[int] | None:
        """The ids of the most likely words after the token, in a model with logits."""
        if "logits" not in self.seen.before:
            return None
        at = self.row(reads=False)
        rows = [x["logits"][0, at].double() for x in self.passes]
        best = np.stack([row.softmax(-1).cpu().numpy() for row in rows]).max(axis=0)
        return [int(n) for n in np.argsort(-best, kind="stable")[:count]]

    def source_of(self, name: str) -> str:
        """The step that gave a tensor, which may bear several names, in words."""
        x = self.tensors.get(name)
        if x is None:
            return ""
        for n, step in enumerate(self.way.steps, start=1):
            for layer in range(1, self.way.layers.get(step.stack, 1) + 1):
                own = self.tensors.get(step.name(layer))
                if own is not None and own.data_ptr() == x.data_ptr():
                    other = step.stack and layer != self.layer
                    return f"step {n}{f', layer {layer}' if other else ''}"
        return ""
