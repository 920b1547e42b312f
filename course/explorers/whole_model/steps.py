"""The steps of a forward pass, in order, and the boxes that they stand in."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from transformer_lib.model.config import TransformerConfig

from ..drawings.architecture import Column, Plan, Row, planned
from ..recorded.places import Places, kind_of, under

LAYER = "blocks.@"  # stands for the layer that is looked at
SUBLAYERS = "self_attention", "cross_attention", "feed_forward"
OF_HEADS = "q", "k", "v", "scores", "weights", "heads"


@dataclass(frozen=True)
class Said:
    """What is said of a step: on its button, as its equation, in a sentence.

    Attributes:
        chip: its short name.
        formula: the equation that made it.
        what: what it is, in one sentence.
        shape: the letters of its axes.
        hue: a key of `plots.HUES`, or "".
    """

    chip: str
    formula: str
    what: str
    shape: str = "B, T, D"
    hue: str = ""


SAID = {
    "embedding": Said("embedding", "{scale}its row of E", "Each word is a vector."),
    "positions": Said(
        "positions", "{place}", "Each position has a vector.", "T, D", "position"
    ),
    "input": Said("sum", "embedding + positions", "Which word, and at which position."),
    "token_types": Said(
        "token type", "its learned row", "Each of the two sentences has a vector."
    ),
    "typed_input": Said(
        "sum", "x + token type", "Which word, where, in which sentence."
    ),
    "q": Said("q", "x W_Q{b}", "What each word asks.", "B, H, T, d_k", "query"),
    "k": Said("k", "x W_K{b}", "What each word offers.", "B, H, S, d_k", "key"),
    "v": Said("v", "x W_V{b}", "What each word hands over.", "B, H, S, d_k", "value"),
    "scores": Said(
        "scores",
        "q kᵀ ÷ √{d_k}",
        "How well each query matches each key.",
        "B, H, T, S",
        "scores",
    ),
    "weights": Said(
        "weights",
        "softmax of each row of scores",
        "Each query’s weights sum to 1.",
        "B, H, T, S",
        "weights",
    ),
    "heads": Said(
        "average",
        "weights v",
        "A weighted average of the values.",
        "B, H, T, d_k",
        "output",
    ),
    "joined": Said("joined", "[head 1 … head {H}]", "All heads, side by side."),
    "attention": Said("output", "joined W_O{b}", "One vector that combines all heads."),
    "sum": Said("sum", "x + f(x)", "The input plus the sub-layer’s output."),
    "norm": Said(
        "norm", "γ (x − μ) ÷ √(σ² + ε){β}", "Each vector, normalized and rescaled."
    ),
    "hidden": Said(
        "hidden", "{f}(x W_1{b1})", "Each word by itself, expanded.", "B, T, d_ff"
    ),
    "feed-forward": Said(
        "output", "hidden W_2{b2}", "Projected back to its old width."
    ),
    "logits": Said("logits", "x {E}ᵀ", "A score for every word.", "B, T, V"),
    "probabilities": Said(
        "probabilities",
        "softmax of each row",
        "The probability of each next word.",
        "B, T, V",
    ),
}
#: What is said of a step in one kind of box alone.
SPECIAL = {
    ("masked self-attention", "weights"): "Each row sums to 1. Hatched: later words.",
    ("cross-attention", "q"): "What each target word asks.",
    ("cross-attention", "k"): "What each source word offers.",
    ("cross-attention", "v"): "What each source word hands over.",
}
ACTIVATION = {"relu": "ReLU", "gelu": "GELU", "gelu_tanh": "GELU", "silu": "SiLU"}
PLACED = {
    "sinusoidal": "sines and cosines",
    "learned": "its learned row",
    "none": "nothing",
}


@dataclass(frozen=True)
class Step:
    """One tensor of a pass.

    Attributes:
        path: its recorded name, where `LAYER` stands for a block.
        box: the number of its box.
        stack: "encoder" or "decoder", if every layer has its own; else "".
        reads: whether its box is of what is read, and not of what is written.
        said: what is said of it.
    """

    path: str
    box: int
    stack: str
    reads: bool
    said: Said

    def name(self, layer: int) -> str:
        """Its recorded name in a layer, counted from 1."""
        return self.path.replace("@", str(layer - 1))

    def formula(self, c: TransformerConfig) -> str:
        """Its equation, with the sizes and the choices of a model."""
        b = c.bias
        return self.said.formula.format(
            D=c.d_model,
            scale=f"√{c.d_model} × " * c.scale_embeddings,
            d_k=c.d_model // c.n_heads,
            H=c.n_heads,
            b=" + b" * b,
            b1=" + b_1" * b,
            b2=" + b_2" * b,
            β=" + β" * b,
            f=ACTIVATION[c.activation],
            E="E" if c.tie_embeddings else "W",
            place=PLACED[c.positions],
        )

    @property
    def of_heads(self) -> bool:
        """Whether each head has its own."""
        return self.path.rpartition(".")[-1] in OF_HEADS


@dataclass
class Way:
    """The way through a model: its steps, and the boxes as they are drawn.

    Attributes:
        steps: in the order of the pass.
        layers: how many each stack has.
        columns: of boxes, from left to right.
        rows: the name and the steps of each box.
    """

    model: Any
    steps: list[Step] = field(default_factory=list)
    layers: dict[str, int] = field(default_factory=dict)
    columns: list[list[Row]] = field(default_factory=list)

    def __post_init__(self) -> None:
        both = hasattr(self.model, "encoder") and hasattr(self.model, "decoder")
        for stack in ("encoder", "decoder"):
            if hasattr(self.model, stack):
                side = {"encoder": "source.", "decoder": "target."}[stack]
                reads = both and stack == "encoder"
                self._column(stack, side if both else "", reads)

    def _column(self, stack: str, side: str, reads: bool) -> None:
        blocks = getattr(self.model, stack).blocks
        self.layers[stack] = len(blocks)
        self.columns.append([])
        self._reads = reads
        self._box(Row("embedding"), "", f"{side}embedding")
        self._box(Row("+ positions", "position"), "", *_both(side))
        if hasattr(self.model, "embedding_norm"):
            self._box(Row("+ token types"), "", "token_types", "typed_input")
            self._box(Row("norm"), "", "embedding_norm")
        own_parts = [name for name in SUBLAYERS if hasattr(blocks[0], name)]
        for n, own in enumerate(own_parts, start=1):
            self._sublayer(stack, own, n)
        if getattr(self.model, stack).norm is not None:
            self._box(Row("norm"), "", f"{stack}.norm")
        if stack == "decoder":
            self._box(Row("linear"), "", "logits")
            self._box(Row("softmax", "weights"), "", "probabilities")

    def _sublayer(self, stack: str, own: str, n: int) -> None:
        block = f"{stack}.{LAYER}"
        path, around = f"{block}.{own}", f"{block}.add_norm_{n}"
        first = getattr(
            getattr(self.model, stack).blocks[0], f"add_norm_{n}"
        ).norm_first
        if first:
            self._box(Row("norm", "", "norm", True), stack, f"{around}.norm")
        if own == "feed_forward":
            row = Row("feed-forward", "", "think", True)
            self._box(row, stack, f"{path}.hidden", path)
        else:
            masked = "masked " * (stack == "decoder" and own == "self_attention")
            words = masked + own.replace("_", "-")
            look = Row(words, "weights", _role(own), True)
            names = [*(f"{path}.{x}" for x in OF_HEADS), f"{path}.joined", path]
            self._box(look, stack, *names)
        add = Row("Add" if first else "Add & Norm", "", "add", True)
        names = [f"{around}.sum"] + ([] if first else [f"{around}.norm"])
        self._box(add, stack, *names)

    def _box(self, row: Row, stack: str, *paths: str) -> None:
        box = sum(map(len, self.columns))
        self.columns[-1].append(row)
        for path in paths:
            said = SAID[self._kind(path)]
            own = path.rpartition(".")[-1]
            what = SPECIAL.get((row.words, own), said.what)
            said = replace(said, what=what)
            self.steps.append(Step(path, box, stack, self._reads, said))

    def _kind(self, path: str) -> str:
        """What `SAID` calls it."""
        own = path.rpartition(".")[-1]
        if own in SAID:
            return own
        part = self.model.get_submodule(path.replace("@", "0"))
        return kind_of(part)

    def layer(self, step: Step, now: Step, layer: int) -> int:
        """The layer in which a step is seen while another is the present one."""
        return self.layer_of(step.stack, now, layer) if step.stack else 1

    def layer_of(self, stack: str, now: Step, layer: int) -> int:
        """The layer of a stack: the chosen one while the pass is in it."""
        count = self.layers[stack]
        if now.stack == stack:
            return min(layer, count)
        mine = [n for n, step in enumerate(self.steps) if step.stack == stack]
        return 1 if self.steps.index(now) < mine[0] else count

    def boxes_of(self, names: Sequence[str]) -> list[int]:
        """The boxes in which tensors of these names stand, in any layer."""
        layers = range(1, max(self.layers.values()) + 1)
        found = {s.box for s in self.steps for n in layers if s.name(n) in names}
        return sorted(found)

    def plan(self) -> Plan:
        """Where its boxes stand."""
        names = list(self.layers)
        return planned(
            [
                Column(rows, writes=name == "decoder")
                for name, rows in zip(names, self.columns, strict=True)
            ]
        )

    def boxes(self) -> list[list[int]]:
        """The steps of each box, counted from 1."""
        found: list[list[int]] = [[] for _ in range(sum(map(len, self.columns)))]
        for n, step in enumerate(self.steps, start=1):
            found[step.box].append(n)
        return found

    def pass_(self) -> list[tuple[int, int]]:
        """Every step of the whole pass, layer after layer, as (step, layer).

        Outside of the stacks the layer is the one that was left last.
        """
        places: list[tuple[int, int]] = []
        numbered = enumerate(self.steps, start=1)
        left = 1
        for stack, together in groupby(numbered, lambda one: one[1].stack):
            numbers = [n for n, _ in together]
            layers = range(1, self.layers[stack] + 1) if stack else [left]
            places += [(n, layer) for layer in layers for n in numbers]
            left = places[-1][1]
        return places


def _both(side: str) -> Iterator[str]:
    yield f"{side}positions"
    yield f"{side}input"


def _role(own: str) -> Any:
    return "look over" if own == "cross_attention" else "look"


#: What a part makes of other tensors of its own.
WITHIN = {
    ("attention", "scores"): ("q", "k"),
    ("attention", "weights"): ("scores",),
    ("attention", "heads"): ("weights", "v"),
    ("attention", "joined"): ("heads",),
    ("attention", ""): ("joined",),
    ("norm", ""): ("mean", "root"),  # beside what comes in
    ("feed-forward", "hidden"): ("sums",),
    ("feed-forward", ""): ("hidden",),
    ("model", "probabilities"): ("logits",),
}
WHOLE = "attention", "feed-forward", "model"  # made of nothing but these


def made_of(places: Places, name: str) -> Sequence[str]:
    """The names of the tensors that a tensor was made of, parameters left out."""
    path, own = places.split(name)
    kind = kind_of(places.parts[path])
    within = [under(path, field) for field in WITHIN.get((kind, own), ())]
    received = [] if kind in WHOLE and within else places.all_received(name)
    return [*received, *within]


#: What a tensor is called where another was made of it; any other is "x".
CALLED = {
    **{name: name for name in ("q", "k", "v", "scores", "weights", "joined", "hidden")},
    **{name: name for name in ("embedding", "positions", "logits")},
    "token_types": "token type",
    **dict.fromkeys(("self_attention", "cross_attention", "feed_forward"), "f(x)"),
    "mean": "μ",
    "root": "√(σ² + ε)",
    "sums": "x W_1 + b_1",
    "heads": "average",
    "encoder": "memory",
}


def called(name: str) -> str:
    """What a tensor is called where another was made of it."""
    return CALLED.get(name.rpartition(".")[-1], "x")


def hue_of(name: str) -> str:
    """The palette of a tensor: that of its role, or the one that tells the sign."""
    said = SAID.get(name.rpartition(".")[-1])
    return said.hue if said and said.hue else "scores"
