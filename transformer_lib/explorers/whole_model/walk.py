"""walk: one forward pass of a real model, step by step, forwards and backwards."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
from torch import Tensor, nn

from ... import plots
from ...checks.validation import check_type, require
from ...model.config import TransformerConfig
from ...model.transformer import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
)
from ...runtime.patching import Changes
from ...text.vocabulary import Vocabulary
from ..drawings.architecture import Architecture
from ..toolkit import Array, Explorer, Look, Sheet, Table
from ..toolkit.controls import choice, text, whole
from ..toolkit.inputs import whole_number
from ..toolkit.looks import full_colour
from ..toolkit.recorded import Labels, RecordedPass
from .passes import Passes, Seen
from .steps import Step, Way, made_of
from .walking import Walking

Comparison = Literal["both", "difference"]
COMPARED = get_args(Comparison)
FIRST = 8  # features that are shown of a vector
MODELS = EncoderOnlyTransformer, DecoderOnlyTransformer, Transformer


def walk(
    model: nn.Module,
    vocabulary: Vocabulary,
    source: str,
    target: str | None = None,
    *,
    patches: Changes | None = None,
    step: int | str = 1,
    layer: int = 1,
    head: int = 1,
    token: int | None = None,
    compare: Comparison = "both",
) -> Explorer:
    """One forward pass of a model, step by step, forwards and backwards.

        walk(model, vocabulary, "Ajish works as an AI", "Ajish works as an AI")

    Next and Back take a step; Play goes on by itself until anything is touched; a click
    on a box of the model goes there. The vector of one token is followed all the way.

    Args:
        model: an EncoderOnlyTransformer, a DecoderOnlyTransformer or a Transformer.
        vocabulary: the words by the model's ids.
        source: what is read, at most 16 words, or what a decoder has written.
        target: what has been written so far, if the model is a Transformer; what is
            written begins with the vocabulary's sign for a start, given or not.
        patches: what `patch` takes: each step is compared with the pass as it was.
        step: to begin with, by number from 1, or by the name that `record` gives.
        layer, head: which are looked at, from 1.
        token: the place of the one that is followed, from 1; the last one by default,
            and in a sentence that is shorter.
        compare: "both" passes, or their "difference", where there are patches.

    Returns:
        an Explorer with controls "source", "target", "step", "layer", "head", "token"
        and "compare", as far as there is a choice.

    Raises:
        TypeError, ValueError: it is no such model, or a sentence cannot be read, or
            there is no such step, layer, head or token.
        KeyError, IndexError: as `patch`.

    Source: Vaswani et al. (2017), §3; D2.0 to D2.12.
    """
    check_type("model", model, *MODELS)
    check_type("vocabulary", vocabulary, Vocabulary)
    passes = Passes(model, vocabulary, patches)
    both = isinstance(model, Transformer)
    wanted = f"{'be' if both else 'not be'} given to a {type(model).__name__}"
    require((target is not None) is both, "target", wanted, repr(target))
    way = Way(model)
    seen = passes.read(source, target)
    step, layer = _begun(way, step, layer)
    most = passes.most
    last = max(len(seen.words), len(seen.source))
    controls = {"source": text("source", source, most, at_once=False, room=40)}
    if target is not None:
        controls["target"] = text("target", target, most, at_once=False, room=40)
    controls["step"] = whole("step", step, 1, len(way.steps))
    layers = max(way.layers.values())
    if layers > 1:
        controls["layer"] = whole("layer", layer, 1, layers)
    if model.n_heads > 1:
        controls["head"] = whole("head", head, 1, int(model.n_heads))
    controls["token"] = whole("token", last if token is None else token, 1, most)
    if patches is not None:
        controls["compare"] = choice("compare", COMPARED, 6.5, compare)
    always: Look = {"passes": passes, "way": way}
    return Walking("walk", walk_sheet, controls, way.pass_(), **always)


def _begun(way: Way, step: int | str, layer: int) -> tuple[int, int]:
    """The number of a step, and its layer, by its name or number."""
    if not isinstance(step, str):
        return whole_number("step", step, 1, len(way.steps)), layer
    for n, one in enumerate(way.steps, start=1):
        layers = range(1, way.layers.get(one.stack, 1) + 1)
        found = next((k for k in layers if one.name(k) == step), None)
        if found is not None:
            return n, found if one.stack else layer
    known = [one.name(layer) for one in way.steps]
    raise ValueError(f"step must be one of {known}, got {step!r}")


def walk_sheet(
    passes: Passes,
    way: Way,
    *,
    source: str,
    target: str | None = None,
    step: int = 1,
    layer: int = 1,
    head: int = 1,
    token: int = 1,
    compare: Comparison = "both",
) -> Sheet:
    """The model with a step lit, the step's tensor, and what that was made of."""
    seen = passes.read(source, target)
    at = way.steps[step - 1]
    layer = way.layer(at, at, layer)
    s = Sheet()
    tensors = seen.before if seen.after is None else seen.after
    stand = min(token, len(seen.words)) - 1
    scored = _likeliest(seen, stand)
    labels = Labels(
        words=seen.words,
        source=seen.source,
        vocabulary=passes.vocabulary.words,
        scored=scored,
    )
    after = RecordedPass(s, passes.model, tensors, labels)
    patched = [*(passes.patches or ())]
    _draw_model(s, way, seen, patched, step=step, layer=layer, token=token)
    own = head - 1 if at.of_heads else None
    name = at.name(layer)
    shown = after.table(name, own, FIRST)
    sides = _Sides(seen, token)
    look: Look = {"formula": _formula(at, passes.model.config)}
    look["note"] = _about(at, name, tensors)
    look["digits"] = 2
    if seen.after is None:
        _show(s, shown, _title(at, head), sides.row(shown, name, at), **look)
    else:
        before = RecordedPass(s, passes.model, seen.before, labels, prefix="before ")
        was = before.table(name, own, FIRST)
        if compare == "both":
            row = sides.row(shown, name, at)
            _show(s, shown, f"{_title(at, head)}, patched", row, **look)
            far = plots.number(float(np.abs(shown.values - was.values).max()), 2)
            note = f"largest difference: {far}"
            _show(s, was, f"{_title(at, head)}, as it was", row, note=note)
        else:
            leads = "patched", "as it was"
            change = s.zip("difference", shown, "−", was, leads)
            change = replace(change, hidden=shown.hidden)
            row = sides.row(shown, name, at)
            _show(s, change, f"{_title(at, head)}: difference", row, **look)
    whole = _operation(shown) in ("dot", "affine")
    for part in made_of(after.places, name):
        heads = range(after.places.count_heads(part))
        chosen: list[int | None] = [None]
        if heads:
            chosen = [head - 1] if at.of_heads else [*heads]
        for h in chosen:
            first = None if whole else FIRST
            table = after.operand(part, h, first)
            if _operation(shown) == "beside" and table.name not in _operands(shown):
                continue
            title = _called(after, part, name) + (f", head {h + 1}" if h is not None and not at.of_heads else "")
            row = sides.row(table, part, at)
            digits = 2 if table.columns.name == "key" else 1
            small: Look = {"group": 1, "size": "small", "digits": digits}
            _show(s, table, title, row, formula=_from(way, tensors, part, layer), **small)
    return s


class _Sides:
    """Which row is the followed token's, in a table of either side."""

    def __init__(self, seen: Seen, token: int) -> None:
        self.words = min(token, len(seen.words)) - 1
        self.source = min(token, len(seen.source)) - 1

    def row(self, table: Table, name: str, at: Step) -> int:
        of_memory = "cross_attention" in name and table.rows.name in ("key", "value")
        memory = name == "encoder" and not at.reads
        return self.source if at.reads or of_memory or memory else self.words


def _operation(table: Table) -> str:
    """The operation that made a table, where some of its rows were changed too."""
    made = table.made
    each = [one["op"] for one in made["made"]] if made["op"] == "stack" else [made["op"]]
    return next((op for op in each if op != "given"), "given")


def _operands(table: Table) -> Sequence[str]:
    made = table.made
    if made["op"] == "stack":
        return [name for one in made["made"] for name in one["of"]]
    return made["of"]


def _show(s: Sheet, table: Table, title: str, followed: int, **look: Any) -> None:
    """Show the first columns of a table, with the followed token's row marked."""
    labels = table.columns.labels
    few = labels if table.columns.name in ("key", "word") else labels[:FIRST]
    usual: Look = {"formula": "", "note": "", "followed": followed}
    if table.columns.name == "feature" and table.rows.name == "token":
        usual["palette"] = "scores"
    if table.columns.name in ("hidden unit", "head·feature", "word", ""):
        usual["palette"] = "scores"
    if not table.made.get("op") == "softmax":
        usual["sentence"] = f"{title} of “{{row}}”, {table.columns.name or 'number'} {{column}}"
    s.show(table, title, **usual | {"columns": few} | look)


def _title(at: Step, head: int) -> str:
    return f"{at.said.chip}, head {head}" if at.of_heads else at.said.chip


NAMED = {
    "mean": "μ",
    "root": "√(σ² + ε)",
    "sums": "x W_1 + b_1",
    "heads": "weights v",
    "encoder": "memory",
}
OWN = "q", "k", "v", "scores", "weights", "joined", "hidden", "embedding", "positions"
OWN += ("logits",)


def _called(after: RecordedPass, part: str, name: str) -> str:
    """What a tensor is called as a part of another."""
    own = part.rpartition(".")[-1]
    if own in OWN:
        return own
    if part == "encoder" and "cross_attention" not in name:
        return "x"
    if own in ("self_attention", "cross_attention", "feed_forward"):
        return "f(x)"
    return NAMED.get(own, "x")


def _from(way: Way, tensors: dict[str, Tensor], part: str, layer: int) -> str:
    """The step that gave a tensor, which may have several names."""
    x = tensors.get(part)
    if x is None:
        return ""
    at = x.data_ptr()
    for n, step in enumerate(way.steps, start=1):
        for one in range(1, way.layers.get(step.stack, 1) + 1):
            own = tensors.get(step.name(one))
            if own is not None and own.data_ptr() == at:
                return f"of step {n}" + (f", layer {one}" if one != layer and step.stack else "")
    return ""


def _formula(at: Step, c: TransformerConfig) -> str:
    """The equation of a step, with this model's sizes."""
    b = c.bias
    values = {
        "D": c.d_model,
        "d_k": c.d_model // c.n_heads,
        "H": c.n_heads,
        "b": " + b" * b,
        "b1": " + b_1" * b,
        "b2": " + b_2" * b,
        "β": " + β" * b,
        "f": c.activation.partition("_")[0].upper().replace("RELU", "ReLU"),
        "E": "E" if c.tie_embeddings else "W",
    }
    return at.said.formula.format(**values)


def _about(at: Step, name: str, tensors: dict[str, Tensor]) -> str:
    """The tensor's name and its shape."""
    if name not in tensors:
        return ""
    shape = tuple(tensors[name].shape)
    return f"{name}  ({at.said.shape}) = {shape}"


def _likeliest(seen: Seen, stand: int) -> list[int] | None:
    """The ids of the words that are likeliest after the followed token."""
    if "logits" not in seen.before:
        return None
    each = [x["logits"][0, stand] for x in (seen.before, seen.after) if x is not None]
    best = np.stack([x.double().softmax(-1).cpu().numpy() for x in each]).max(axis=0)
    return [int(n) for n in np.argsort(-best, kind="stable")[:FIRST]]


def _draw_model(
    s: Sheet,
    way: Way,
    seen: Seen,
    patched: Sequence[Any],
    *,
    step: int,
    layer: int,
    token: int,
) -> None:
    """The boxes, the present one lit, and the token's vector above each."""
    at = way.steps[step - 1]
    boxes = way.boxes()
    sides = _Sides(seen, token)
    tensors = seen.before if seen.after is None else seen.after
    vectors = np.full((len(boxes), FIRST), np.nan)
    for n, each in enumerate(boxes):
        for number in each:
            one = way.steps[number - 1]
            if number > step or one.of_heads or one.said.shape not in ("B, T, D", "T, D"):
                continue
            x = tensors.get(one.name(way.layer(one, at, layer)))
            if x is None:
                continue
            row = sides.source if one.reads else sides.words
            vector = x.reshape(-1, *x.shape[-2:])[0, row, :FIRST]
            vectors[n, : len(vector)] = vector.double().cpu().numpy()
    inside = [way.steps[n - 1].said for n in boxes[at.box]]
    words = seen.source if at.reads else seen.words
    place = sides.source if at.reads else sides.words
    s.draw(
        Architecture(
            name="model",
            title="the model",
            formula=f"step {step} of {len(way.steps)}",
            palette="scores",
            plan=way.plan(),
            steps=[(each[0], each[-1]) for each in boxes],
            control="step",
            said=_ends(way, seen, at, layer),
            what=at.said.what,
            marked=way.boxes_of(patched),
            lit=at.box,
            inside=[(said.chip, said.hue) for said in inside],
            now=boxes[at.box].index(step),
            token=words[place],
            limit=full_colour(vectors),
            sentence="{part}, {steps}; “{token}” leaves it as",
        ),
        vectors,
    )


def _ends(way: Way, seen: Seen, at: Step, layer: int) -> list[str]:
    """The words below a column, in its stack's head, and above it."""
    said: list[str] = []
    for stack, count in way.layers.items():
        reads = stack == "encoder" and bool(seen.source)
        words = " ".join(seen.source if reads else seen.words)
        now = way.layer_of(stack, at, layer)
        own = f"layer {now} of {count}" if count > 1 else "1 layer"
        said += [words, f"{stack}: {own}", "next word" if stack == "decoder" else ""]
    return said
