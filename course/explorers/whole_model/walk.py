"""walk: one forward pass of a real model, step by step, forwards and backwards."""

from collections.abc import Iterator
from typing import Any, Literal, get_args

import numpy as np
from torch import nn

from explorable import Axis, Explorer, Sheet, Style, Table
from explorable.controls import choice, text, whole
from explorable.inputs import whole_number
from explorable.operations import LEAF
from explorable.player import Player
from transformer_lib.checks.validation import brief, check_option, check_type, require
from transformer_lib.model.transformer import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
)
from transformer_lib.runtime.patching import Changes
from transformer_lib.runtime.recording import near
from transformer_lib.text.vocabulary import Vocabulary

from ...data.known import plain
from ..recorded import Labels, RecordedPass, of_heads
from .boxes import draw_boxes
from .conclusion import conclusion
from .passes import Passes, Seen
from .scene import SHOWN, Scene
from .steps import PLACED, Way, called, hue_of, made_of

Comparison = Literal["patched", "both", "difference"]
COMPARED = get_args(Comparison)
#: What a block may be: the sums that are shown are those of these.
KNOWN: dict[str, tuple[Any, ...]] = {
    "positions": tuple(PLACED),
    "norm": ("layer",),
    "gated": (False,),
    "qk_norm": (False,),
}
FEW = 2  # columns of a table that is no vector
WORDS = 7  # words whose logits are shown: their names have room
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
    feature: int = 1,
    compare: Comparison = "both",
) -> Explorer:
    """One forward pass of a model, step by step, forwards and backwards.

        walk(model, vocabulary, "Ajish works as an AI", "Ajish works as an AI")

    Next and Back take a step; Play continues by itself until you touch anything; a
    click on a box of the model goes to that box. One token's vector is followed from
    the first step to the last.

    Args:
        model: an EncoderOnlyTransformer, a DecoderOnlyTransformer or a Transformer.
        vocabulary: the words, in the order of the model's ids.
        source: the encoder's input, at most 16 words; for a decoder-only model, the
            text so far.
        target: the decoder's input, if the model is a Transformer. It begins with the
            vocabulary's start token, whether you give it or not.
        patches: what `patch` takes: each step is compared with the unpatched pass.
        step: the first step to show, by number from 1, or by the name that `record`
            gives.
        layer: the layer that is shown, from 1.
        head: the head that is shown, from 1.
        token: the position of the token that is followed, from 1, among the tokens of
            the step; the last one by default, and in a sentence that is shorter.
        feature: the first feature that is shown, from 1; if a tensor has fewer
            features, its last ones are shown.
        compare: with patches, show "both" passes, their "difference", or how the
            "patched" one was computed.

    Returns:
        an Explorer with controls "source", "target", "step", "layer", "head", "token",
        "feature" and "compare", as far as there is a choice.

    Raises:
        TypeError, ValueError: the model is of a different kind, its block has an option
            of notebook 16 that is not explained here, a sentence cannot be read, or the
            step, layer, head, token or feature does not exist.
        KeyError, IndexError: as in `patch`.

    Source: Vaswani et al. (2017), §3; D2.0 to D2.12.
    """
    check_type("model", model, *MODELS)
    check_type("vocabulary", vocabulary, Vocabulary)
    _check_block(model)
    passes = Passes(model, vocabulary, patches)
    both = isinstance(model, Transformer)
    wanted = f"{'be' if both else 'not be'} given to a {type(model).__name__}"
    require((target is not None) is both, "target", wanted, brief(target))
    way = Way(model)
    passes.read(source, target)
    step, layer = _begun(way, step, layer)
    most = passes.most
    long: dict[str, Any] = {"at_once": False, "room": 48 if target is None else 36}
    long["words"] = plain(vocabulary.words)
    controls = {"source": text("source", source, most, **long)}
    if target is not None:
        controls["target"] = text("target", target, most, **long)
    controls["step"] = whole("step", step, 1, len(way.steps))
    if target is not None or patches is not None:
        controls["step"].add_class("tl-line")  # all else then stands below it
    layers = max(way.layers.values())
    if layers > 1:
        controls["layer"] = whole("layer", layer, 1, layers)
    check_option("compare", compare, COMPARED)
    heads = passes.model.n_heads
    head = whole_number("head", head, 1, heads)
    if heads > 1:
        controls["head"] = whole("head", head, 1, heads)
    last = _count(way, passes.read(source, target), step)
    token = whole_number("token", last if token is None else token, 1, last)
    controls["token"] = whole("token", token, 1, last)
    widest = max(passes.model.config.d_model, passes.model.config.d_ff)
    feature = whole_number("feature", feature, 1, max(1, widest - SHOWN + 1))
    if widest > SHOWN:
        ends = 1, widest - SHOWN + 1
        controls["feature"] = whole("from feature", feature, *ends)
    if patches is not None:
        controls["compare"] = choice("compare", COMPARED, compare)
    always: Style = {"passes": passes, "way": way}
    return Player(
        "walk",
        walk_sheet,
        controls,
        way.pass_(),
        title="The Transformer, step by step",
        task="Step through the forward pass, or click a box to go there.",
        more=("layer", "head", "token", "feature"),
        **always,
    )


def _check_block(model: Any) -> None:
    """Raise a ValueError, by name, for an option that the sums here do not have."""
    for name, options in {**KNOWN, "n_kv_heads": (None, model.config.n_heads)}.items():
        value = getattr(model.config, name)
        wanted = f"be one of {[*options]}"
        require(value in options, f"model.config.{name}", wanted, brief(value))


def _begun(way: Way, step: int | str, layer: int) -> tuple[int, int]:
    """The number of a step, and its layer, by its name or number."""
    most = max(way.layers.values())
    layer = whole_number("layer", layer, 1, most)
    if not isinstance(step, str):
        return whole_number("step", step, 1, len(way.steps)), layer
    for n, one in enumerate(way.steps, start=1):
        layers = range(1, way.layers.get(one.stack, 1) + 1)
        found = next((k for k in layers if one.name(k) == step), None)
        if found is not None:
            return n, found if one.stack else layer
    known = {one.name(k) for one in way.steps for k in range(1, most + 1)}
    such = near(step[:200], known) or [one.name(layer) for one in way.steps[:3]]
    wanted = f"be a number or a recorded name such as {such}"
    raise ValueError(f"step must {wanted}, got {brief(step)}")


def _count(way: Way, seen: Seen, step: int) -> int:
    """How many tokens of a step there are to follow."""
    return len(seen.source if way.steps[step - 1].reads else seen.words)


@np.errstate(all="ignore")  # a patch may put NaN or ∞ there: they are shown as such
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
    feature: int = 1,
    compare: Comparison = "both",
) -> Sheet:
    """Show the model with its current step, the step's tensor and its operands."""
    seen = passes.read(source, target)
    layer = way.layer(way.steps[step - 1], way.steps[step - 1], layer)
    s = Sheet()
    last = _count(way, seen, step)
    s.control("token", max=last, keep_last=True)
    scene = Scene(way, seen, step, layer, head, min(token, last), feature)
    labels = Labels(
        words=seen.words,
        source=seen.source,
        vocabulary=seen.vocabulary,
        scored=scene.most_likely(WORDS),
    )
    after = RecordedPass(s, passes.model, scene.tensors, labels)
    shown = after.table(scene.name, scene.own_head, scene.only)
    draw_boxes(s, scene, passes.patched, _about(scene, shown.columns))
    before = was = None
    if seen.after is not None:
        before = RecordedPass(s, passes.model, seen.before, labels, prefix="before ")
        was = before.table(scene.name, scene.own_head, scene.only)
    note = conclusion(scene, shown, was, passes.patched)
    ends: Style = {"leads": True, "note": note, "concludes": True}
    if was is None or compare == "patched":
        parts = [*_made_of(after, scene, shown)]
        wide = [part for part, _, table in parts if len(table.columns.labels) > FEW]
        for part, said, table in parts:
            of = scene.source_of(part)
            if of and table.provenance["op"] == "leaf":
                own = LEAF | {"labels": [f"computed in {of}"]}
                table = s.revise(table, provenance=own)
            look: Style = {"part": part, "said": said, "formula": of and f"of {of}"}
            if part in wide and len(wide) > 1:  # maps: only what they give has numbers
                look["size"] = "tiny"
            _show(s, scene, table, **look)
        _show(s, scene, shown, group=1, **ends)
        return s
    if compare == "both":
        _show(s, scene, shown, said="patched", **ends)
        _show(s, scene, was, said="unpatched", formula="", group=1)
        return s
    change = s.elementwise(
        "difference", shown, ("−", was, "unpatched"), label="patched"
    )
    if shown.hidden is not None and was.hidden is not None:
        change = s.revise(change, hidden=shown.hidden & was.hidden)
    look = {"palette": "scores", "blank_zeros": True, **ends}
    look["formula"] = "patched − unpatched"
    for table, said in ((shown, "patched"), (was, "unpatched")):
        _show(s, scene, table, said=said, part=scene.name, size="tiny")
    _show(s, scene, change, said="difference", group=1, **look)
    return s


def _made_of(
    seen: RecordedPass, scene: Scene, shown: Table
) -> Iterator[tuple[str, str, Table]]:
    """The tensors that a table was made of, each with its name and whose it is.

    A sum of products needs all features of its operands, any other only those that are
    shown; of the heads side by side it needs the first ones.
    """
    op = shown.provenance["op"]
    mixes = seen.places.split(scene.name)[1] == "heads"  # features stay apart
    only = scene.only if mixes or op != "matmul" else None
    for part in made_of(seen.places, scene.name):
        count = seen.places.count_heads(part)
        if op != "concat":
            yield part, "", seen.operand(part, scene.own_head if count else None, only)
            continue
        for head, own in of_heads(only, count, scene.width // count):
            yield part, f"head {head + 1}", seen.operand(part, head, own)


def _show(
    s: Sheet, scene: Scene, table: Table, *, said: str = "", part: str = "", **own: Any
) -> None:
    """Show the first columns of a table; as a part of another one it is smaller."""
    columns = table.columns
    kept = columns.labels if columns.name == "key" else columns.labels[:SHOWN]
    name = scene.at.said.chip if part in ("", scene.name) else called(part)
    own_head = scene.at.of_heads and part in ("", scene.name)
    head = f"head {scene.head}" if own_head else ""
    title = ", ".join(filter(None, (name, head, said)))
    look: Style = {"columns": kept, "followed": scene.row_in(table, part or scene.name)}
    look |= {"formula": "", "note": ""}
    look["palette"] = hue_of(part or scene.name)
    words = columns.name in ("key", "word")
    look["digits"] = 2 if words else 1
    if table.provenance["op"] != "softmax":
        column = f"{columns.name} {'“{column}”' if words else '{column}'}"
        look["sentence"] = f"{title}: “{{row}}”, {column}"
    if part:
        look["size"] = "small"
    else:
        look["formula"] = scene.at.formula(scene.way.model.config)
    s.show(table, title, **look | own)


def _about(scene: Scene, columns: Axis) -> str:
    """The tensor's name and its shape, and how much of it is shown."""
    x = scene.tensors.get(scene.name)
    shape = "" if x is None else f"({scene.at.said.shape}) = {tuple(x.shape)}"
    shape = shape.replace(", ", ",\u00a0")  # no line ends inside its brackets
    if columns.name == "word":
        word = scene.seen.words[scene.row(reads=False)]
        few = f"the {len(columns.labels)} most likely words after “{word}”"
    else:
        in_all = scene.width
        only = scene.features(in_all)
        is_cut = in_all > SHOWN and columns.name != "key"
        ends = f"{only.start + 1} to {only.stop}"
        few = f"{columns.name}s {ends} of {in_all}" if is_cut else ""
    name = scene.name if shape else ""
    return " · ".join(filter(None, (name, shape, few)))
