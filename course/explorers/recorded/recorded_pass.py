"""RecordedPass: what `record` kept of a pass, as tables that know what made them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from explorable.drawing import Array
from explorable.inputs import whole_number, whole_numbers
from explorable.operations import LEAF
from explorable.sheet import Sheet
from explorable.trace import Axes, Axis, Table
from transformer_lib.checks.validation import (
    LARGEST_SIZE,
    check_size,
    check_type,
    require,
)
from transformer_lib.runtime.recording import Recording, near

from .places import CUT, NotRecordedError, Place, Places, kind_of

Rule = Callable[["RecordedPass", Place], Table]
RULES: dict[tuple[str, str], Rule] = {}  # by the kind of a part, and the field
EARLIER = LEAF | {"labels": ["kept from an earlier pass"]}
WORDS = "token", "query", "key", "value"  # axes whose labels are words


@dataclass(frozen=True, kw_only=True)
class Labels:
    """What rows and columns are called; they are numbered where nothing is given.

    Attributes:
        words: the tokens that the model read, or those of its target.
        source: those of the source, or of the memory that a decoder looks at.
        vocabulary: the words by their ids.
        scored: the ids whose logits are shown; all by default.
    """

    words: Sequence[str] = ()
    source: Sequence[str] = ()
    vocabulary: Sequence[str] = ()
    scored: Sequence[int] | None = None

    def __post_init__(self) -> None:
        if self.scored is not None:
            scored = whole_numbers("scored", self.scored, 0, LARGEST_SIZE)
            vars(self)["scored"] = tuple(scored)  # for good: it is frozen


class RecordedPass:
    """The tensors of one pass, as tables of a sheet that know what made them.

        with record(model) as tensors:
            model(ids)
        seen = RecordedPass(sheet, model, tensors, Labels(words=words))
        sheet.show(seen.table("decoder.blocks.0.self_attention.weights", head=3))

    Scores are q · k ÷ √d_k, weights their softmax, heads their mixture of v, sums their
    two parts, and so on down to the parameters. The numbers are those that the model
    has computed: one that its operation does not give was replaced or dropped out on
    its way; it says so, and stands for itself.

    Only what is asked for is built, with what it is made of. What lies between recorded
    tensors has a name too: "….mask", "….joined" (the heads side by side), "….sums"
    (before the activation); a norm's "….mean", "….moved", "….square", "….variance" and
    "….root"; "probabilities"; and the parameters, such as "….W_Q", "….W_Q.bias",
    "….gamma" and "embedding.weight".

    Args:
        sheet: that the tables are to be of.
        model: that was recorded; None where only the formula was run, whose tensors are
            "q", "k", "v", "scores", "weights" and "heads", of one head also (T, d_k).
        tensors: by name, as `record` gives them. Without what their steps received, as
            in a plain dict, only what a part computes within itself is explained.
        labels: what rows and columns are called.
        batch: which sequence of the batch.
        prefix: of the tables' names, where one sheet has two passes.

    Raises:
        TypeError: the model is no torch module, or batch no integer.
    """

    def __init__(
        self,
        sheet: Sheet,
        model: nn.Module | None,
        tensors: Mapping[str, Tensor],
        labels: Labels | None = None,
        *,
        batch: int = 0,
        prefix: str = "",
    ) -> None:
        if model is not None:
            check_type("model", model, nn.Module)
        check_type("tensors", tensors, Mapping)
        check_size("batch", batch, least=0)
        self.sheet = sheet
        self._tensors = Recording(tensors)
        self.places = Places(model, self._tensors)
        self._labels = labels or Labels()
        self._batch = batch
        self._prefix = prefix
        self._explained: dict[str, Table] = {}
        self._bare: dict[str, Table] = {}

    def table(
        self, name: str, head: int | None = None, only: range | None = None
    ) -> Table:
        """What a part of the model has computed, or learned, and what made its cells.

        Args:
            name: as in `record`, or one of those between.
            head: counted from 0, for what every head has its own of.
            only: some of the features, counted from 0; nothing else is built.

        Raises:
            KeyError: there is nothing of this name.
            IndexError: the batch has no such sequence.
            TypeError, ValueError: there is no such head, or none is asked for where
                every head has its own; or there is not a word for each token.
        """
        at = self._place(name, head, only)
        if at.key not in self._explained:
            self._explained[at.key] = self._explain(at)
        return self._explained[at.key]

    def operand(
        self, name: str, head: int | None = None, only: range | None = None
    ) -> Table:
        """The same; but what was recorded stands for itself until it is asked for."""
        at = self._place(name, head, only)
        if name not in self._tensors or at.key in self._explained:
            return self.table(name, head, only)
        if at.key not in self._bare:
            self._bare[at.key] = self._stand(at)
        return self._bare[at.key]

    # ── for the rules ────────────────────────────────────────────────────────────
    def adopt(self, *tables: Table) -> None:
        """Know tables by their names that were made along with another."""
        self._explained |= {table.name: table for table in tables}

    def leaf(self, key: str, axes: Axes, x: Tensor) -> Table:
        """A matrix of parameters."""
        return self.sheet.leaf(key, *axes, _numbers(x))

    def of_batch(self, name: str) -> Tensor:
        """A recorded tensor, of the one sequence."""
        x = self._tensors[name].detach()
        if x.dim() < 3:
            return x  # positions, the same for all
        inside = 0 <= self._batch < len(x)
        wanted = f"be 0 to {len(x) - 1}"
        require(inside, "batch", wanted, self._batch, IndexError)
        return x[self._batch]

    def mask(self, name: str, head: int | None) -> Tensor | None:
        """The mask (T, S) that gave attention weights; None where all was open."""
        known = name in self._tensors.inputs
        mask = self._tensors.mask(name) if known else None
        if mask is None or mask.dim() == 2:
            return mask
        return mask[self._batch] if head is None else mask[self._batch, head]

    def ids(self, name: str) -> list[int]:
        """The ids, or the positions, that a look-up has received, of the one sequence.

        Raises:
            NotRecordedError: they are not known.
        """
        given = self._tensors.inputs.get(name)
        if given is None:
            raise NotRecordedError(f"what {name!r} has looked up was not recorded")
        ids = given[0] if given[0].dim() == 1 else given[0][self._batch]
        return [int(n) for n in ids]

    def scored(self, rows: Tensor) -> Tensor:
        """Those rows, one a word, whose logits are shown."""
        chosen = self._labels.scored
        if chosen is None:
            return rows
        inside = max(chosen, default=0) < len(rows)
        require(inside, "scored", f"be ids below {len(rows)}", chosen)
        return rows[list(chosen)]

    def axes(self, name: str, shape: tuple[int, ...], start: int) -> Axes:
        """What rows and columns of a tensor are, and what they are called.

        The columns may be some of its features, from `start` on.
        """
        rows, columns = (
            self._axis(axis, n, self._side(name, axis))
            for axis, n in zip(self.places.axes(name), shape, strict=True)
        )
        if start:
            columns = Axis.numbered(columns.name, shape[1], start + 1)
        return rows, columns

    def word_axis(self, count: int) -> Axis:
        """The words whose logits are shown: their ids where there is no vocabulary."""
        words = self._labels.vocabulary
        chosen = self._labels.scored
        ids = range(count) if chosen is None else chosen
        most = max(ids, default=0)
        known = not words or most < len(words)
        require(known, "vocabulary", f"name id {most}", f"{len(words)} words")
        return Axis("word", [words[n] if words else str(n) for n in ids])

    def _axis(self, axis: str, count: int, side: str) -> Axis:
        if axis == "word":
            return self.word_axis(count)
        words = getattr(self._labels, side)
        if axis not in WORDS or not words:
            return Axis.numbered(axis, count)
        read = self._count_read(side) or count
        require(len(words) == read, side, f"hold {read} words", len(words))
        return Axis(axis, words[-count:])  # the last ones, where a cache has the first

    def _side(self, name: str, axis: str) -> str:
        """Whose words an axis of a tensor names: the "source", or the "words"."""
        path, _ = self.places.split(name)
        across = path.endswith("cross_attention") and axis in ("key", "value")
        return "source" if across or self.places.is_of_source(name) else "words"

    def _count_read(self, side: str) -> int:
        """How many tokens a side has, as its keys tell; 0 where none were recorded."""
        for name, x in self._tensors.items():
            _, field = self.places.split(name)
            if field == "k" and self._side(name, "key") == side:
                return x.size(-2)
        return 0

    def _place(self, name: str, head: int | None, only: range | None = None) -> Place:
        path, field = self.places.split(name)
        part = self.places.parts[path]
        if name not in self._tensors and (kind_of(part), field) not in RULES:
            likely = near(name, self._tensors)
            raise NotRecordedError(f"{name!r} was not recorded; near it: {likely}")
        count = self.places.count_heads(name)
        if count:
            head = whole_number("head", head, 0, count - 1)
        else:
            require(head is None, "head", f"be None for {name}, which all share", head)
        own = "" if head is None else f"[{head}]"
        if only is not None and self.places.axes(name)[1] not in CUT:
            only = None
        if only is not None and name in self._tensors:
            there = self._tensors[name].size(-1)
            wanted = f"lie in {range(there)}"
            require(only.stop <= there and len(only) > 0, "only", wanted, only)
            only = only if len(only) < there else None
        few = "" if only is None else f"[{only.start or ''}:{only.stop}]"
        key = f"{self._prefix}{name}{own}{few}"
        return Place(name, path, part, field, head, only, key)

    def _stand(self, at: Place) -> Table:
        """A recorded tensor that stands for itself."""
        x = self.of_batch(at.name)
        if at.head is not None:
            x = x[at.head]
        if at.field == "logits":
            x = self.scored(x.T).T
        values = _numbers(x[:, at.cut])
        axes = self.axes(at.name, values.shape, at.start)
        return self.sheet.leaf(at.key, *axes, values)

    def _explain(self, at: Place) -> Table:
        if at.name not in self._tensors:
            return RULES[at.kind, at.field](self, at)
        again = self.places.earlier(at.name)
        made_by = _renamed if again else RULES.get((at.kind, at.field))
        bare = self.operand(at.name, at.head, at.only)
        return bare if made_by is None else self._made(at, made_by, bare)

    def _made(self, at: Place, made_by: Rule, bare: Table) -> Table:
        """A recorded tensor with its operation, whose numbers are held against it."""
        s = self.sheet
        s.forget(bare)  # the operation puts its own there
        try:
            table = made_by(self, at)
        except NotRecordedError:  # what came in was not recorded
            return s.enter(bare)
        if table.values.shape != bare.values.shape:
            return s.revise(bare, provenance=EARLIER)
        close = float(torch.finfo(self._tensors[at.name].dtype).eps) ** 0.5
        table = s.with_recorded(table, bare.values, close)
        return s.revise(table, rows=bare.rows, columns=bare.columns)


def rule(kind: str, *fields: str) -> Callable[[Rule], Rule]:
    """Enter the rule for what a kind of part computes; its output is the field ""."""

    def enter(made: Rule) -> Rule:
        RULES.update({(kind, field): made for field in fields})
        return made

    return enter


def _renamed(seen: RecordedPass, at: Place) -> Table:
    """What a part gives on: the output of a block is that of its last Add & Norm."""
    again = seen.table(seen.places.earlier(at.name), at.head, at.only)
    return seen.sheet.renamed(at.key, again)


def _numbers(x: Tensor) -> Array:
    numbers: Array = x.detach().cpu().double().numpy()
    return numbers
