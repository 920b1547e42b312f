"""Places: where a recorded name stands in a model, and what comes in there."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.embedding import PositionalEncoding, TokenEmbedding
from transformer_lib.model.layers import (
    AddNorm,
    DecoderBlock,
    EncoderBlock,
    FeedForward,
    LayerNorm,
)
from transformer_lib.model.transformer import (
    CausalStack,
    Decoder,
    DecoderOnlyTransformer,
    Encoder,
    EncoderOnlyTransformer,
    Transformer,
)

SUBLAYERS = "self_attention", "cross_attention", "feed_forward"
OF_A_HEAD = "q", "k", "v", "scores", "weights", "heads", "mask"
SPLIT = "W_Q", "W_K", "W_V"  # each head has its own columns of these
KINDS: dict[type, str] = {
    type(None): "attention",  # the formula alone
    MultiHeadAttention: "attention",
    LayerNorm: "norm",
    FeedForward: "feed-forward",
    AddNorm: "add & norm",
    **dict.fromkeys((EncoderBlock, DecoderBlock), "block"),
    **dict.fromkeys((Encoder, Decoder, CausalStack), "stack"),
    **dict.fromkeys(
        (Transformer, EncoderOnlyTransformer, DecoderOnlyTransformer), "model"
    ),
    TokenEmbedding: "embedding",
    PositionalEncoding: "positions",
    nn.Linear: "linear",
}
#: What the rows and columns are of what a part computes.
AXES = {
    "q": ("query", "feature"),
    "k": ("key", "feature"),
    "v": ("value", "feature"),
    **dict.fromkeys(("scores", "weights", "mask"), ("query", "key")),
    "heads": ("query", "feature"),
    "joined": ("token", "head·feature"),
    **dict.fromkeys(("sums", "hidden"), ("token", "hidden unit")),
    **dict.fromkeys(("logits", "probabilities"), ("token", "word")),
    **dict.fromkeys(("mean", "variance", "root"), ("token", "")),
}
#: What columns may be left out, since none is needed to explain another.
CUT = "feature", "head·feature", "hidden unit"


@dataclass(frozen=True)
class Place:
    """What a part of a model computes, in one of its heads.

    Attributes:
        name: as in `record`.
        path: of the part: its name in the model; "" for the model itself.
        part: the part; None where only the formula was run.
        field: what the part computes on its way; "" for its output.
        head: counted from 0; None for what all heads share.
        only: which of its columns are asked for; None for all.
        key: the name of its table.
    """

    name: str
    path: str
    part: Any
    field: str
    head: int | None
    only: range | None
    key: str

    @property
    def start(self) -> int:
        """The first of its columns that is asked for."""
        return 0 if self.only is None else self.only.start

    @property
    def cut(self) -> slice:
        """The columns that are asked for."""
        return slice(self.start, None if self.only is None else self.only.stop)

    @property
    def kind(self) -> str:
        """What the part is: "attention", "norm", …; "" for what is not ours."""
        return kind_of(self.part)


def kind_of(part: Any) -> str:
    """What a part of a model is: "attention", "norm", …; "" for what is not ours."""
    return next((KINDS[t] for t in type(part).__mro__ if t in KINDS), "")


def under(path: str, name: str) -> str:
    """The name of what stands in a part of a model, or in the model itself."""
    return f"{path}.{name}".strip(".") or "output"


def of_heads(only: range | None, count: int, wide: int) -> list[tuple[int, range]]:
    """The heads that some columns are of, which stand side by side, and their own."""
    only = range(count * wide) if only is None else only
    each = [
        (h, range(max(0, only.start - h * wide), min(wide, only.stop - h * wide)))
        for h in range(count)
    ]
    return [(h, own) for h, own in each if len(own) > 0]


def above(path: str) -> str:
    """The path of what a part stands in."""
    return path.rpartition(".")[0]


class Places:
    """The parts of a model by their paths, and the names that a pass has recorded."""

    def __init__(self, model: nn.Module | None, names: Mapping[str, Tensor]) -> None:
        self.parts: dict[str, Any] = {"": None}
        if model is not None:
            self.parts = dict(model.named_modules())
        self.names = names
        self._split: dict[str, tuple[str, str]] = {}

    def split(self, name: str) -> tuple[str, str]:
        """The path of the part that a name stands in, and what it computes there."""
        if name not in self._split:
            self._split[name] = self._found(name)
        return self._split[name]

    def _found(self, name: str) -> tuple[str, str]:
        path = "" if name == "output" else name
        while path not in self.parts:
            path = above(path)
        field = "" if name == "output" else name[len(path) :].strip(".")
        if not field and under(path, "logits") in self.names:
            field = "logits"  # what a model that writes gives
        return path, field

    def axes(self, name: str) -> tuple[str, str]:
        """What its rows and columns are."""
        return AXES.get(self.split(name)[1], ("token", "feature"))

    def count_heads(self, name: str) -> int:
        """How many heads have their own of it; 0 for what they share."""
        path, field = self.split(name)
        part = self.parts[path]
        own = path.rpartition(".")[-1]
        if kind_of(part) == "attention" and field in OF_A_HEAD:
            weights = self.names[under(path, "weights")]
            known = self.names.get(under(path, field), weights)
            return known.size(-3) if known.dim() > 3 else 0
        if own in SPLIT and kind_of(self.parts[above(path)]) == "attention":
            return int(self.parts[above(path)].n_heads)
        return 0

    def is_of_source(self, name: str) -> bool:
        """Whether its rows are of what is read and not of what is written."""
        path, field = self.split(name)
        stack = self.stack_of(path)
        reads = under(above(stack), "decoder") in self.parts
        return field.startswith("source.") or (
            reads and stack.rpartition(".")[-1] == "encoder"
        )

    def stack_of(self, path: str) -> str:
        """The path of the stack that a part stands in, or is; its own if in none."""
        at = path
        while at and kind_of(self.parts[at]) != "stack":
            at = above(at)
        return at if kind_of(self.parts[at]) == "stack" else path

    # ── what comes in ────────────────────────────────────────────────────────────
    def before_stack(self, stack: str) -> str:
        """What a stack is given: the sum of token and position; or "input".

        Where a model normalizes that sum, it is given the norm.
        """
        normed = under(above(stack), "embedding_norm")
        if normed in self.parts:
            return normed
        own = stack.rpartition(".")[-1]
        side = {"encoder": "source.input", "decoder": "target.input"}.get(own, "input")
        named = under(above(stack), side)
        return named if named in self.names else under(above(stack), "input")

    def before_block(self, block: str) -> str:
        """What a block is given: what the one below it gives."""
        blocks, _, n = block.rpartition(".")
        if not n.isdigit():
            return under(above(block), "input")
        if int(n) > 0:
            return f"{blocks}.{int(n) - 1}"
        return self.before_stack(above(blocks))

    def before_add_norm(self, path: str) -> str:
        """What an Add & Norm is given: what goes around its sub-layer."""
        block, _, own = path.rpartition(".")
        n = int(own.rpartition("_")[-1])
        return self.before_block(block) if n == 1 else under(block, f"add_norm_{n - 1}")

    def sublayers(self, block: str) -> list[str]:
        """The names of a block's sub-layers, in the order in which they run."""
        part = self.parts[block]
        return (
            [n for n in SUBLAYERS if hasattr(part, n)]
            if kind_of(part) == "block"
            else []
        )

    def inside_add_norm(self, path: str) -> str:
        """The sub-layer that an Add & Norm goes around."""
        block, _, own = path.rpartition(".")
        return under(block, self.sublayers(block)[int(own.rpartition("_")[-1]) - 1])

    def before_sublayer(self, path: str) -> str:
        """What a sub-layer is given: its queries, or what is to be thought over."""
        block, _, own = path.rpartition(".")
        order = self.sublayers(block) if path else []
        if own not in order:
            return under(block, "input")
        around = under(block, f"add_norm_{order.index(own) + 1}")
        first = self.parts[around].norm_first
        return under(around, "norm") if first else self.before_add_norm(around)

    def memory_of(self, path: str) -> str:
        """What an attention's keys and values are made of."""
        block, _, own = path.rpartition(".")
        if own == "cross_attention":
            model = above(self.stack_of(block))
            read = under(model, "encoder")
            return read if read in self.names else under(model, "memory")
        alone = not path and "memory" in self.names
        return "memory" if alone else self.before_sublayer(path)

    def before_norm(self, path: str) -> str:
        """What a norm is given: a sum; or, before a sub-layer, what comes in."""
        around = above(path)
        part: Any = self.parts[around] if path else None
        if kind_of(part) == "add & norm":
            first = part.norm_first
            return self.before_add_norm(around) if first else under(around, "sum")
        if path and kind_of(part) == "stack":
            return under(around, f"blocks.{len(part.blocks) - 1}")
        if path and kind_of(part) == "model":
            return under(around, "typed_input")
        return under(around, "input")
