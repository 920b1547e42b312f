"""kv_cache: what is kept from token to token, what is computed, and what that saves."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
import torch
from torch import Tensor

from explorable import Array, Axis, Explorer, Sheet, Style, plots
from explorable.controls import choice, text, whole
from explorable.drawings.curves import Curves
from explorable.inputs import whole_number
from explorable.operations import LEAF
from explorable.player import Player
from transformer_lib.checks.validation import check_option
from transformer_lib.generation.sampling import greedy
from transformer_lib.model.transformer import DecoderOnlyTransformer, Transformer
from transformer_lib.runtime.caching import caching
from transformer_lib.runtime.module import evaluating
from transformer_lib.text.vocabulary import Vocabulary

from ...experiments.decoder_costs import multiplications
from .writing import Writer

Attention = Literal["self-attention", "cross-attention"]
ATTENTIONS = get_args(Attention)
LONGEST = 18  # tokens of a text
ROOMY = 9  # rows up to which cells are large
FEATURES = 3  # that are shown of a key or a value
MOST_LIKELY = 5  # words whose logits are shown
DECIMALS = 4  # to which logits are the same: those of 32-bit numbers differ behind them
WAYS = ("cache", "no cache")


def kv_cache(
    model: DecoderOnlyTransformer | Transformer,
    vocabulary: Vocabulary,
    source: str,
    *,
    step: int = 1,
    layer: int = 1,
    head: int = 1,
    attention: Attention = "self-attention",
    end: str | None = None,
) -> Explorer:
    """A text grows by its most likely word, once with a cache and once without.

        kv_cache(model, vocabulary, "Ajish works as an AI")

    Each step is one pass of the model. Of the keys and values of one head it shows
    which rows are computed in this pass, and which were kept; and of all layers how
    much is multiplied. The logits are those of both ways.

    Args:
        model: a DecoderOnlyTransformer or a Transformer.
        vocabulary: the words by the model's ids.
        source: what is translated, or what a decoder goes on from: words that the
            model knows.
        step: to begin with, from 1; one behind the last shows the end.
        layer: which is looked at, from 1.
        head: which is looked at, from 1.
        attention: of a Transformer "cross-attention" shows the keys of its source.
        end: the word that ends a text; by default the vocabulary's sign for it, if any.

    Returns:
        an Explorer with controls "source", "step", "layer", "head" and "attention", as
        far as there is a choice.

    Raises:
        TypeError, ValueError: it is no such model, or not its vocabulary, the source
            cannot be read, or there is no such step, layer, head or attention.

    Source: D0.2.3, D3.10.loop; Shazeer (2019), §2.3.
    """
    writer = Writer(model, vocabulary, end, LONGEST)
    most = writer.most
    writer.read(source, most)
    controls = {
        "source": text(
            writer.given, source, most, at_once=False, room=22, words=writer.offered
        )
    }
    controls["step"] = whole("step", step, 1, most - 1)
    layers = model.config.n_decoder_layers
    heads = model.config.n_heads
    layer = whole_number("layer", layer, 1, layers)
    head = whole_number("head", head, 1, heads)
    check_option("attention", attention, ATTENTIONS)
    if layers > 1:
        controls["layer"] = whole("layer", layer, 1, layers)
    if heads > 1:
        controls["head"] = whole("head", head, 1, heads)
    if writer.translates:
        controls["attention"] = choice("keys of", ATTENTIONS, attention, "attention")
    elif attention != ATTENTIONS[0]:
        raise ValueError(f"attention must be {ATTENTIONS[0]!r} without an encoder")
    kept = lru_cache(maxsize=4)(lambda source, learned: read_twice(writer, source))

    def read(source: str) -> Twice:
        return kept(source, writer.learned())

    return Player(
        "kv_cache",
        cache_sheet,
        controls,
        read=read,
        title="The key-value cache",
        task="Step through the text: which keys and values have to be computed?",
        more=("layer", "head"),
    )


@dataclass(frozen=True)
class Twice:
    """A text that was read with a cache, and without.

    Attributes:
        words: what was read in all, the sign for a start or the prompt first.
        source: the words that the encoder has read, if there is one.
        begun: how many words the first pass has read.
        keys: by the attention's name its keys and values at the end, each (H, T, d_k).
        logits: after each pass (passes, V), with the cache and without it.
        products: the multiplications of each pass (passes, 2), with it and without.
        width: numbers in all keys of one word: layers times D.
        vocabulary: all words.
    """

    words: Sequence[str]
    source: Sequence[str]
    begun: int
    keys: Mapping[str, tuple[Array, Array]]
    logits: tuple[Array, Array]
    products: Array
    width: int
    vocabulary: Sequence[str]

    @property
    def passes(self) -> int:
        """How many passes there were."""
        return len(self.products)

    @property
    def in_units(self) -> tuple[str, Array]:
        """The multiplications in units in which they can be read."""
        many = self.products.sum() >= 1e7
        unit = 1e6 if many else 1e3
        return "millions" if many else "thousands", self.products / unit


def read_twice(writer: Writer, source: str) -> Twice:
    """Let a model write its most likely words, with a cache and without."""
    words = writer.read(source, writer.most)
    model = writer.model
    ids = writer.ids(words)
    text = greedy(model, ids, writer.told(writer.most)).ids  # (1, L)
    begun = 1 if writer.translates else len(words)
    ends = range(begun, text.size(1))
    with torch.no_grad(), evaluating(model):
        memory = model.encode(ids) if writer.translates else None

        def logits(new: Tensor) -> Array:
            y = model(new) if memory is None else model.decode(new, memory)
            last: Array = y[0, -1].double().cpu().numpy()
            return last

        with caching(model) as cache:
            ways = [(begun, 0), *((1, end - 1) for end in ends[1:])]
            kept = [logits(text[:, m : m + n]) for n, m in ways]
            keys = {name: _heads(pair.filled()) for name, pair in cache.items()}
        again = [logits(text[:, :end]) for end in ends]
    S = len(words) if writer.translates else None
    products = [
        (
            multiplications(model.config, n, m, S, remembers_source=m > 0),
            multiplications(model.config, n + m, 0, S),
        )
        for n, m in ways
    ]
    return Twice(
        writer.vocabulary.decode(text[0, :-1]),
        words if writer.translates else (),
        begun,
        keys,
        (np.array(kept), np.array(again)),
        np.array(products, dtype=np.float64),
        model.config.n_decoder_layers * model.config.d_model,
        writer.words,
    )


def _heads(pair: tuple[Tensor, Tensor]) -> tuple[Array, Array]:
    k, v = (x[0].double().cpu().numpy() for x in pair)
    return k, v


def cache_sheet(
    read: Callable[[str], Twice],
    *,
    source: str,
    step: int,
    layer: int = 1,
    head: int = 1,
    attention: Attention = "self-attention",
) -> Sheet:
    """What a pass computes of keys and values, its multiplications, and its logits."""
    seen = read(source)
    n = min(step, seen.passes)
    s = Sheet()
    s.control("step", max=seen.passes)
    name = f"decoder.blocks.{layer - 1}.{attention.replace('-', '_')}"
    _show_rows(s, seen, n, name, head)
    _show_products(s, seen, n)
    _show_logits(s, seen, n)
    _show_growth(s, seen, n)
    return s


def _show_rows(s: Sheet, seen: Twice, n: int, name: str, head: int) -> None:
    """Show the rows of keys and values after pass n, and which of them are new."""
    is_own = name.endswith("self_attention")
    words = seen.words[: seen.begun + n - 1] if is_own else seen.source
    first = [1] * seen.begun + [*range(2, n + 1)] if is_own else [1] * len(words)
    token = Axis("token", words)
    is_new = np.array([made == n for made in first])
    both = np.stack([is_new, np.ones(len(words))], axis=1)
    look: Style = {"words": ("kept", "new"), "formula": f"pass {n} of {seen.passes}"}
    look |= {"sentence": "key and value of “{row}” in this pass, {column}", "note": ""}
    size = "large" if len(words) <= ROOMY else "small"
    look |= {"leads": True, "palette": "weights", "size": size}
    table = s.leaf("computed", token, Axis("", WAYS), both)
    s.show(table, "computed", **look)
    labels = [f"computed in pass {made}" for made in first]
    own = LEAF | {"rows": [LEAF | {"labels": [label]} for label in labels]}
    for field, x in zip(("key", "value"), seen.keys[name], strict=True):
        rows = x[head - 1, : len(words), :FEATURES]
        axis = Axis(field, words)
        table = s.leaf(f"{field}s", axis, Axis.numbered("feature", rows.shape[1]), rows)
        table = s.revise(table, provenance=own)
        frame = np.broadcast_to(is_new[:, None], rows.shape)
        few = f"features 1 to {rows.shape[1]} of {x.shape[-1]}"
        look = {"formula": "framed: new", "note": few, "vmax": 3.0, "size": size}
        s.show(table, outlined=frame, **look)


def _show_products(s: Sheet, seen: Twice, n: int) -> None:
    """Show how much is multiplied: in pass n, and in all passes up to it."""
    unit, products = seen.in_units
    so_far = np.stack([products[n - 1], products[:n].sum(0)])
    of_source = 2 * len(seen.source)
    kept = seen.width * (2 * (seen.begun + n - 1) + of_source)
    rows = Axis("", ("this pass", "all so far"))
    table = s.leaf("products", rows, Axis("", WAYS), so_far)
    look: Style = {"formula": f"in {unit}", "group": 1, "size": "large"}
    look["digits"] = 0 if so_far.max() >= 100 else 1
    look |= {"palette": "output", "vmax": 1.5 * products.sum(0)[1]}
    look["sentence"] = f"{unit} of multiplications in {{row}}, {{column}}"
    look["note"] = f"{kept:,} numbers are kept"
    s.show(table, "multiplications", **look)


def _show_logits(s: Sheet, seen: Twice, n: int) -> None:
    """Show the logits of the most likely words after pass n, both ways."""
    kept, again = (x[n - 1] for x in seen.logits)
    best = np.argsort(-kept, kind="stable")[:MOST_LIKELY]
    same = np.allclose(kept, again, rtol=0, atol=0.5 * 10.0**-DECIMALS)
    apart = f"they are {np.abs(kept - again).max():.4f} apart"
    word = Axis("word", [seen.vocabulary[t] for t in best])
    table = s.leaf("logits", Axis("", WAYS), word, [kept[best], again[best]])
    look: Style = {"formula": "what may come next", "palette": "scores", "group": 1}
    look["vmax"] = plots.UNSHADED  # they are alike: a color would say nothing
    look["sentence"] = "logit of “{column}”, {row}"
    many = f"all {len(kept)} are the same to {DECIMALS} decimals"
    look["note"] = many if same else apart
    s.show(table, "logits", size="large", **look)


def _show_growth(s: Sheet, seen: Twice, n: int) -> None:
    """Show how much each pass up to n has multiplied."""
    unit, products = seen.in_units
    kept, again = (plots.number(x, 0 if x >= 10 else 1) for x in products[n - 1])
    grown = np.where(np.arange(seen.passes)[:, None] < n, products, np.nan)
    drawing = Curves(
        name="growth",
        title="in each pass",
        group=1,
        formula="how much is multiplied",
        x=range(1, seen.passes + 1),
        series=WAYS,
        hues=("weights", "reference"),
        looks=("both", "both"),
        axes=("pass", ""),
        limits=((1, max(2, seen.passes)), (0.0, 1.1 * products.max())),
        sentence=f"{unit} of multiplications in pass {{x}}",
        note=f"Pass {n}: {kept} {unit[:-1]} with a cache, {again} without",
        concludes=True,
        wide=28,
        high=20,
        digits=1,
    )
    s.draw(drawing, grown)
