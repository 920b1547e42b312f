"""Measure what the layers of an encoder do to its words, and what each is worth."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import permutations

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_lib.model.transformer import EncoderOnlyTransformer
from transformer_lib.runtime.patching import Change, patch
from transformer_lib.runtime.recording import Recording, record

from ..data import masked_words
from ..data.grammar import BEINGS, PLACES
from ..data.grammar_sentences import learned, padded, unseen
from ..data.masked_words import FIRST_WORD, MASK, MASK_ID, VOCABULARY, MaskedPositions
from ..data.pairs import EOS, SOS
from ..models.baselines import neighbor_rules
from ..models.masked_words import MODEL, logits
from ..models.next_word import load_heads
from .experiment import Experiment, grid
from .results import Row

PARTS = ("self_attention", "feed_forward")
#: A sentence of `interchange`: an animal, a place, and a blank about the animal.
FRAME = f"{SOS} the {{}} sat on the {{}} and it was {MASK} {EOS}"
STEPS = MODEL.recipe.steps
STAGES = (0, STEPS // 2, STEPS)  # steps after which a model is measured


@cache
def sentences(count: int = 200) -> Tensor:
    """Return the ids (count, 18) of sentences that were not used in training."""
    return padded(VOCABULARY, unseen(count))


@cache
def gaps(count: int = 200) -> MaskedPositions:
    """Mask each word of `sentences` in turn."""
    return masked_words.mask_each(sentences(count))


def accuracy(
    model: EncoderOnlyTransformer,
    changes: Mapping[str, Change] | None = None,
    count: int = 200,
) -> float:
    """Measure the accuracy on masked words, with some tensors replaced.

    Args:
        model: which model.
        changes: as `patch` takes them; none by default.
        count: how many sentences; each of their words is masked in turn.

    Returns:
        the fraction of masked words that have the largest logit at their position.
    """
    hidden = gaps(count)
    with torch.no_grad(), patch(model, changes or {}):
        said = logits(model, hidden.ids)[range(len(hidden.ids)), hidden.place].argmax(1)
    return float((said == hidden.word).double().mean())


def baselines(count: int = 200) -> dict[str, float]:
    """Measure the accuracy of three baselines on the masked words.

    Each predicts the most common word of the training sentences: of all ("one word"),
    after the same word on the left ("left word"), or between the same words on the left
    and on the right ("both neighbors").
    """
    found = {}
    for name, rule in neighbor_rules(learned()).items():
        asked = [(ws, i) for ws in unseen(count) for i in range(len(ws))]
        hits = [rule(words, i) == words[i] for words, i in asked]
        found[name] = sum(hits) / len(hits)
    return found


def sub_layers(model: EncoderOnlyTransformer, part: str = "") -> list[str]:
    """Return the names of the sub-layers, as `patch` takes them, of one part or all."""
    blocks = range(model.config.n_encoder_layers)
    return [f"encoder.blocks.{k}.{p}" for k in blocks for p in PARTS if part in p]


def watch(model: EncoderOnlyTransformer, ids: Tensor) -> Recording:
    """Record a pass over the ids (B, S) of sentences."""
    with torch.no_grad(), record(model) as tensors:
        logits(model, ids)
    return tensors


def hidden_states(model: EncoderOnlyTransformer, ids: Tensor) -> Tensor:
    """Return the vectors (N + 1, B, S, D) before block 1 and after each block."""
    tensors = watch(model, ids)
    blocks = range(model.config.n_encoder_layers)
    return torch.stack(
        [tensors["input"], *(tensors[f"encoder.blocks.{k}"] for k in blocks)]
    )


def similarity_to_input(model: EncoderOnlyTransformer, count: int = 200) -> Row:
    """Compare the vector of each word with its input, after every block.

    Returns:
        lists of N + 1 averages over all words of the sentences: "itself", the cosine
        with the word's own input; "another", the cosine with the input of a different
        word at the same position, in the next sentence; "said", the fraction of words
        that the output layer predicts from their own vectors.
    """
    ids = sentences(count)
    word = ids >= FIRST_WORD  # (B, S)
    other = ids.roll(-1, 0)
    differ = word & (other >= FIRST_WORD) & (other != ids)
    x = hidden_states(model, ids)
    own = F.cosine_similarity(x, x[:1], dim=-1)  # (N + 1, B, S)
    others = F.cosine_similarity(x, x[:1].roll(-1, 1), dim=-1)
    said = model.embedding.logits(x.detach()).argmax(-1) == ids
    return {
        "itself": own[:, word].mean(1).tolist(),
        "another": others[:, differ].mean(1).tolist(),
        "said": said[:, word].double().mean(1).tolist(),
    }


def two_of_it(model: EncoderOnlyTransformer, count: int = 200) -> list[float]:
    """Measure the cosine of two "it" that mean different animals, after every block.

    Returns:
        the mean cosine (N + 1,) over all pairs of sentences in which "it" has the same
        position and means a different animal. Before block 1 it is 1.
    """
    x = hidden_states(model, sentences(count))
    places: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    for row, words in enumerate(unseen(count)):
        if "it" in words:
            being = next(word for word in words if word in BEINGS)
            places[words.index("it") + 1].append((row, being))
    found = [
        F.cosine_similarity(x[:, a, place], x[:, b, place], dim=-1)
        for place, rows in places.items()
        for a, first in rows
        for b, second in rows
        if first < second
    ]
    mean: list[float] = torch.stack(found).mean(0).tolist()
    return mean


def interchange(model: EncoderOnlyTransformer) -> Tensor:
    """Find the vectors that carry the animal's identity to the blank.

    In a sentence such as "the cat sat on the mat and it was ⟨MASK⟩", the vector of one
    token at one depth is replaced with its counterpart from the same sentence about a
    different animal. If the model then predicts the second animal's word, the
    difference between the two animals passes through this vector.

    Returns:
        (12, N + 1): for each token of FRAME, from ⟨SOS⟩ to ⟨EOS⟩, and each depth, the
        probability of the second animal's word, averaged over all pairs of animals that
        are called "it", and over all places.

    Source: Vig et al. (2020); Geiger et al. (2021), §3, who call it an interchange.
    """
    it = [being for being, kind in BEINGS.items() if kind.pronoun == "it"]
    pairs = [(a, b, p) for a, b in permutations(it, 2) for p in PLACES]
    own = torch.tensor([VOCABULARY.encode(FRAME.format(a, p)) for a, _, p in pairs])
    other = torch.tensor([VOCABULARY.encode(FRAME.format(b, p)) for _, b, p in pairs])
    wanted = VOCABULARY.encode([BEINGS[b].own for _, b, _ in pairs])
    rows = range(len(pairs))
    gap = int((own[0] == MASK_ID).nonzero())
    x = hidden_states(model, other)
    found = torch.zeros(own.size(1), len(x))
    for (token, height), _ in np.ndenumerate(found):

        def put(mine: Tensor, token: int = token, height: int = height) -> Tensor:
            mine[:, token] = x[height][:, token]
            return mine

        below = "input" if height == 0 else f"encoder.blocks.{height - 1}"
        with torch.no_grad(), patch(model, {below: put}):
            p = logits(model, own)[:, gap].softmax(-1)  # (pairs, V)
        found[token, height] = p[rows, wanted].mean()
    return found


def averages(model: EncoderOnlyTransformer, count: int = 200) -> dict[str, Tensor]:
    """Return the average output (D,) of each sub-layer over all words of sentences."""
    ids = sentences(count)
    tensors = watch(model, ids)
    return {
        name: tensors[name][ids >= FIRST_WORD].mean(0) for name in sub_layers(model)
    }


def ablate_each(
    model: EncoderOnlyTransformer, count: int = 200, *, average: bool = False
) -> list[float]:
    """Measure the accuracy on masked words without each of the sub-layers.

    Args:
        model: which model.
        count: how many sentences.
        average: whether a sub-layer's output is replaced with its average, not with 0.

    Returns:
        accuracies (2N,), in the order of `sub_layers`.
    """
    writes = averages(model, count)
    if not average:
        writes = {name: torch.zeros_like(x) for name, x in writes.items()}
    return [accuracy(model, {name: x}, count) for name, x in writes.items()]


def ablations(model: EncoderOnlyTransformer, count: int = 200) -> Row:
    """Measure the accuracy on masked words without some parts of the model.

    Returns:
        accuracies: "all", of the intact model; "zeros" and "averages", those of
        `ablate_each`; "blocks" (N,), with both sub-layers of a block replaced with 0;
        "attention" and "FFN", with all of them replaced with 0 and with averages.
    """
    means = averages(model, count)
    zeros = {name: torch.zeros_like(x) for name, x in means.items()}
    pairs = zip(*(sub_layers(model, part) for part in PARTS), strict=True)
    found = {
        "all": accuracy(model, count=count),
        "zeros": ablate_each(model, count),
        "averages": ablate_each(model, count, average=True),
        "blocks": [
            accuracy(model, {n: zeros[n] for n in pair}, count) for pair in pairs
        ],
    }
    for said, part in zip(("attention", "FFN"), PARTS, strict=True):
        some = sub_layers(model, part)
        both = [{name: x[name] for name in some} for x in (zeros, means)]
        found[said] = [accuracy(model, change, count) for change in both]
    return found


def beings(model: EncoderOnlyTransformer) -> dict[str, float]:
    """Measure the accuracy on a masked subject, from the left only and from both sides.

    A model predicts the subject, one of eight, that has the largest logit.

    Returns:
        accuracies: "one being", of the most common subject; "left to right", of a model
        from notebook 07, given the words on the left; "encoder", of this model, in all
        sentences; "told" and "not told", of this model in the sentences that continue
        with the subject ("and it was happy") and in the others.
    """
    reader, vocabulary = load_heads("free")
    written = unseen()
    where = [next(i for i, w in enumerate(ws) if w in BEINGS) for ws in written]
    known = torch.tensor([[*BEINGS].index(written[n][i]) for n, i in enumerate(where)])
    gap = sentences().clone()
    rows = range(len(gap))
    places = [i + 1 for i in where]  # after ⟨SOS⟩
    gap[rows, places] = MASK_ID
    with torch.no_grad():
        before = reader(padded(vocabulary, written)[:, :-1])[rows, where]
        both = logits(model, gap)[rows, places]
    left = before[:, vocabulary.encode(BEINGS)].argmax(1) == known
    hits = both[:, VOCABULARY.encode(BEINGS)].argmax(1) == known
    pronouns = {kind.pronoun for kind in BEINGS.values()}
    told = torch.tensor([bool(pronouns & {*words}) for words in written])
    return {
        "one being": float(known.bincount().max()) / len(known),
        "left to right": float(left.double().mean()),
        "encoder": float(hits.double().mean()),
        "told": float(hits[told].double().mean()),
        "not told": float(hits[~told].double().mean()),
    }


def sizes(model: EncoderOnlyTransformer, count: int = 200) -> list[float]:
    """Measure the size of each sub-layer's output, relative to its input.

    |f(x)| / |x|, averaged over all words of the sentences, (2N,)
    """
    ids = sentences(count)
    word = ids >= FIRST_WORD
    tensors = watch(model, ids)
    found = []
    below = "input"
    for attention, network in zip(*(sub_layers(model, p) for p in PARTS), strict=True):
        block = attention.removesuffix(".self_attention")
        for name, x in ((attention, below), (network, f"{block}.add_norm_1")):
            share = tensors[name].norm(dim=-1) / tensors[x].norm(dim=-1)
            found.append(float(share[word].mean()))
        below = block
    return found


def measure(model: EncoderOnlyTransformer, *, trained: bool = True) -> Row:
    """Return all measurements of a model; ablations only if it is trained."""
    found = similarity_to_input(model)
    found |= {"it and it": two_of_it(model), "sizes": sizes(model)}
    if trained:  # untrained models predict hardly any masked word
        found |= ablations(model) | beings(model)
        found["interchange"] = interchange(model).tolist()
    return found


def run(seed: int) -> Iterator[Row]:
    """Train a model, and measure it after each of STAGES."""
    model, training = MODEL.begin(seed, max(STAGES))
    for steps in range(max(STAGES) + 1):
        if steps in STAGES:
            yield {"steps": steps, **measure(model, trained=steps > 0)}
        next(training, None)


EXPERIMENT = Experiment(
    name="encoder_layers",
    runs=grid(seed=range(5)),
    measure=run,
    models={"masked words": MODEL},
    settings={"stages": STAGES},
    decimals=3,
)
