"""Places: where a recorded name stands in a model, and what comes in there."""

from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.embedding import PositionalEncoding, TokenEmbedding
from transformer_lib.model.layers import AddNorm, FeedForward
from transformer_lib.model.norms import LayerNorm
from transformer_lib.model.transformer import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
)
from transformer_lib.runtime.recording import Recording

from ...models.vision import VisionTransformer

OF_A_HEAD = "q", "k", "v", "scores", "weights", "heads", "mask"
SPLIT = "W_Q", "W_K", "W_V"  # each head has its own columns of these
KINDS: dict[type, str] = {
    type(None): "attention",  # the formula alone
    MultiHeadAttention: "attention",
    LayerNorm: "norm",
    FeedForward: "feed-forward",
    AddNorm: "add & norm",
    Transformer: "model",
    EncoderOnlyTransformer: "model",
    DecoderOnlyTransformer: "model",
    VisionTransformer: "model",
    TokenEmbedding: "embedding",
    PositionalEncoding: "positions",
    nn.Linear: "linear",
}
#: What the rows and columns are of what a part computes.
AXES = {
    "q": ("query", "feature"),
    "k": ("key", "feature"),
    "v": ("value", "feature"),
    "k.input_1": ("key", "feature"),  # a memory from outside
    **dict.fromkeys(("scores", "weights", "mask"), ("query", "key")),
    "heads": ("query", "feature"),
    "joined": ("token", "head·feature"),
    **dict.fromkeys(("sums", "hidden"), ("token", "hidden unit")),
    **dict.fromkeys(("logits", "probabilities"), ("token", "word")),
    **dict.fromkeys(("mean", "variance", "root"), ("token", "")),
}
#: Which tensors of the call of an attention its projections are made of.
OF_THE_CALL = {"q": (0, 1), "k": (1, 2), "v": (1, 2)}
#: What columns may be left out, since none is needed to explain another.
CUT = "feature", "head·feature", "hidden unit"


class NotRecordedError(KeyError):
    """There is no such name in a recorded pass."""


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

    def __init__(self, model: nn.Module | None, names: Recording) -> None:
        self.parts: dict[str, Any] = {"": None}
        if model is not None:
            self.parts = dict(model.named_modules())
        self.names = names
        self._bears = self._name_all()
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
        first = self._bears[id(self.names[name])][0] if name in self.names else name
        if not field and first.rpartition(".")[-1] == "logits":
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
        model, stack, _ = f".{path}.".rpartition(".encoder.")
        reads = under(model, "decoder") in self.parts
        return field.startswith("source.") or (bool(stack) and reads)

    # ── what comes in ────────────────────────────────────────────────────────────
    def received(self, name: str, n: int = 0) -> str:
        """The name of the n-th tensor that a step has received: its last one.

        Raises:
            NotRecordedError: it is not known what came in.
        """
        known = self._received(name)
        if n >= len(known):
            raise NotRecordedError(f"what {name!r} has received was not recorded")
        return self._bears[id(known[n])][-1]

    def all_received(self, name: str) -> list[str]:
        """The names of all vectors that a step has received."""
        return [self.received(name, n) for n in range(len(self._received(name)))]

    def earlier(self, name: str) -> str:
        """The name that a tensor bore before it was given on under this one; or ""."""
        bears = self._bears[id(self.names[name])]
        at = bears.index(name)
        return bears[at - 1] if at else ""

    def _received(self, name: str) -> list[Tensor]:
        """The vectors (B, T, D) or (T, D) that a step has received."""
        own = name.rpartition(".")[-1]
        first, last = OF_THE_CALL.get(own, (0, None))
        given = self.names.inputs.get(name, ())[first:last]
        return [x for x in given if x.dim() < 4 and x.is_floating_point()]

    def _name_all(self) -> dict[int, list[str]]:
        """The names of each tensor, in order; what came from outside gets one too."""
        bears: dict[int, list[str]] = {}
        for name, x in self.names.items():
            bears.setdefault(id(x), []).append(name)
        for name in self.names.inputs:
            for n, x in enumerate(self._received(name), start=1):
                if id(x) not in bears:
                    outside = f"{name}.input_{n}"
                    bears[id(x)] = [outside]
                    self.names[outside] = x
        return bears
