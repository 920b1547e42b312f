"""sentence_attention: what each word looks at, as arcs, with the tables if wanted."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

from explorable import Array, Explorer, Sheet, Style, plots
from explorable.controls import switch
from explorable.drawings.links import AttentionLinks
from explorable.inputs import LARGEST, matrix_input, token_axes, whole_number
from explorable.style import AVERAGES, SCORES
from transformer_lib.checks.validation import brief, require
from transformer_lib.model.attention import (
    attention_scores,
    scaled_dot_product_attention,
)
from transformer_lib.runtime.recording import Recording

from ...data.cat_sentence import SENTENCE, W_K, W_Q, W_V, X
from ..recorded import Labels, RecordedPass

#: What each word looks for (Q), how it can be found (K), and what it hands over (V).
SEEKS = X @ W_Q
OFFERS = X @ W_K
CARRIES = X @ W_V
ALIKE = 0.99  # of the largest weight: a word with so much is looked at as much
FEW = 2  # words that are named, of those that are looked at most
STEPS = "q", "k", "v", "scores", "weights", "heads"


def sentence_attention(
    tokens: Sequence[str] = SENTENCE,
    Q: ArrayLike = SEEKS,
    K: ArrayLike = OFFERS,
    V: ArrayLike = CARRIES,
    chosen: int | None = None,
    *,
    tensors: Recording | None = None,
    head: int = 0,
) -> Explorer:
    """A sentence whose words look at each other: arcs, and the numbers if wanted.

        with record(model.decoder.blocks[0].self_attention) as tensors:
            model(ids)
        sentence_attention(words, tensors=tensors, head=3)

    Args:
        tokens: T words, at most 64.
        Q: queries (T, d_k): what each word looks for.
        K: keys (T, d_k): how each word can be found.
        V: values (T, d_v): what each word hands over.
        chosen: the word whose arcs are shown at the start, counted from 0; by default
            "it", or else the last word.
        tensors: what `record` has stored of one attention layer, instead of Q, K and V;
            the first sequence of the batch is shown.
        head: the head to show, counted from 0.

    Returns:
        an Explorer with the control "tables".

    Raises:
        TypeError, ValueError: a matrix is not a finite matrix of numbers, the shapes
            do not fit, the words do not match the rows, there is no such word or head,
            or the tensors are not those of one attention layer.

    Source: D1.7.1.
    """
    if tensors is None:
        given = (matrix_input(n, x) for n, x in (("Q", Q), ("K", K), ("V", V)))
        q, k, v = map(torch.from_numpy, given)
        words = token_axes(tokens, len(q), len(k))[0].labels
        own = _by_formula(q, k, v)
    else:
        own = _of_head(tensors, head)
        words = token_axes(tokens, *own["weights"].shape)[0].labels
    if chosen is None:
        chosen = words.index("it") if "it" in words else len(words) - 1
    chosen = whole_number("chosen", chosen, 0, len(words) - 1)
    controls = {"tables": switch("show the tables", False)}
    always: Style = {"tensors": own, "words": words, "chosen": chosen}
    return Explorer(
        "sentence_attention",
        sentence_sheet,
        controls,
        title="Where does each word look?",
        task="Point at a word to see where it looks, and how much.",
        **always,
    )


def _by_formula(q: Tensor, k: Tensor, v: Tensor) -> dict[str, Tensor]:
    """Return what the formula computes on its way, each a matrix."""
    fits = len(v) == len(k)
    wanted = f"be {len(k)} × {v.size(1)}, a row for each key"
    require(fits, "V", wanted, f"shape {tuple(v.shape)}")
    heads, weights = scaled_dot_product_attention(q, k, v)
    tensors = q, k, v, attention_scores(q, k), weights, heads
    return dict(zip(STEPS, tensors, strict=True))


def _of_head(tensors: Recording, head: int) -> Recording:
    """Return what one head of a recorded layer has computed, each a matrix."""
    kept = isinstance(tensors, Recording)
    wanted = "be what `record` has stored"
    require(kept, "tensors", wanted, brief(tensors), TypeError)
    complete = {*STEPS} <= {*tensors}
    wanted = f"hold {', '.join(STEPS)}"
    require(complete, "tensors", wanted, [*tensors][:8])
    H, T = tensors["weights"].shape[1:3]
    head = whole_number("head", head, 0, H - 1)
    require(T <= LARGEST, "tensors", f"be of at most {LARGEST} words", T)
    own = Recording({name: tensors[name][0, head] for name in STEPS})
    mask = tensors.mask("weights")
    given = () if mask is None else (mask[0, head],)
    own.inputs["weights"] = own["scores"], *given
    return own


def sentence_sheet(
    tensors: Mapping[str, Tensor],
    words: Sequence[str],
    *,
    chosen: int,
    tables: bool,
) -> Sheet:
    """Weights (T, T) as arcs, and as tables scores, weights and output (T, d_v)."""
    s = Sheet()
    seen = RecordedPass(s, None, tensors, Labels(words=words))
    scores = seen.table("scores")
    weights = seen.table("weights")
    output = s.renamed("output", seen.table("heads"))
    sayings = _sayings(words, weights.values)
    arcs = AttentionLinks(
        name="arcs",
        title="who looks at whom",
        formula="the wider the arc, the larger the weight",
        rows=words,
        columns=words,
        hidden=weights.hidden,
        shares="tokens",
        arcs=True,
        chosen=chosen,
        sayings=sayings,
        note=sayings[chosen],
        concludes=True,
        digits=3,  # with two, many small weights seem to be more than their sum
    )
    s.draw(arcs, weights.values)
    look: Style = {"shares": "tokens", "band": 1}
    if tables:
        scaled: Style = {"sentence": f"scaled {SCORES['sentence']}", "note": ""}
        s.show(scores, "scaled scores", formula="Q Kᵀ ÷ √d_k", **look | scaled)
        s.show(weights, formula="softmax of each row", **look)
        s.show(output, formula="weights · V", size="small", **look | AVERAGES)
    return s


def _sayings(words: Sequence[str], weights: Array) -> list[str]:
    """Say of each word which words it looks at most, and how much."""
    said = []
    for n, row in enumerate(weights):
        most = [int(k) for k in np.flatnonzero(row > ALIKE * row.max())]
        names = ["itself" if k == n else f"“{words[k]}”" for k in most]
        share = plots.number(row.max(), 2)
        if not most:
            said.append(f"“{words[n]}” looks at no word")
        elif len(most) == 1:
            said.append(f"“{words[n]}” looks most at {names[0]}: {share}")
        elif len(most) <= FEW:
            said.append(
                f"“{words[n]}” looks most at {' and '.join(names)}: {share} each"
            )
        else:
            said.append(f"“{words[n]}” looks at {len(most)} words alike: {share} each")
    return said
