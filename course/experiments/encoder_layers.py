"""What the layers of an encoder do to its words, and what is lost without one."""

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
#: A sentence of `interchange`: a being, a place, and a gap that hangs on the being.
FRAME = f"{SOS} the {{}} sat on the {{}} and it was {MASK} {EOS}"
STEPS = MODEL.recipe.steps
STAGES = (0, STEPS // 2, STEPS)  # steps after which a model is measured


@cache
def sentences(count: int = 200) -> Tensor:
    """Return the ids (count, 18) of sentences that no training has seen."""
    return padded(VOCABULARY, unseen(count))


@cache
def gaps(count: int = 200) -> MaskedPositions:
    """Hide each word of `sentences` once."""
    return masked_words.mask_each(sentences(count))


def accuracy(
    model: EncoderOnlyTransformer,
    changes: Mapping[str, Change] | None = None,
    count: int = 200,
) -> float:
    """Measure how often a hidden word is said, with some tensors replaced.

    Args:
        model: which model.
        changes: as `patch` takes them; none by default.
        count: how many sentences; each word of each is hidden once.

    Returns:
        the share of hidden words whose logit is the largest at their place.
    """
    hidden = gaps(count)
    with torch.no_grad(), patch(model, changes or {}):
        said = logits(model, hidden.ids)[range(len(hidden.ids)), hidden.place].argmax(1)
    return float((said == hidden.word).double().mean())


def baselines(count: int = 200) -> dict[str, float]:
    """Measure how often three rules without a network say the hidden word.

    Each says what stood there most often in the sentences that were learned: anywhere
    ("one word"), after the word on the left ("left word"), or between the words on the
    left and on the right ("both neighbors").
    """
    found = {}
    for name, rule in neighbor_rules(learned()).items():
        asked = [(ws, i) for ws in unseen(count) for i in range(len(ws))]
        hits = [rule(words, i) == words[i] for words, i in asked]
        found[name] = sum(hits) / len(hits)
    return found


def sub_layers(model: EncoderOnlyTransformer, part: str = "") -> list[str]:
    """Name the sub-layers from the bottom up, as `patch` does; of one part, or all."""
    blocks = range(model.config.n_encoder_layers)
    return [f"encoder.blocks.{k}.{p}" for k in blocks for p in PARTS if part in p]


def watch(model: EncoderOnlyTransformer, ids: Tensor) -> Recording:
    """Record a pass over the ids (B, S) of sentences."""
    with torch.no_grad(), record(model) as tensors:
        logits(model, ids)
    return tensors


def hidden_states(model: EncoderOnlyTransformer, ids: Tensor) -> Tensor:
    """Return the vectors (N + 1, B, S, D) below block 1 and above each block."""
    tensors = watch(model, ids)
    blocks = range(model.config.n_encoder_layers)
    return torch.stack(
        [tensors["input"], *(tensors[f"encoder.blocks.{k}"] for k in blocks)]
    )


def similarity_to_input(model: EncoderOnlyTransformer, count: int = 200) -> Row:
    """Measure how much of each word is left at every height.

    Returns:
        each of N + 1 numbers, means over all words of the sentences: "itself", the
        cosine to the word's own input; "another", to the input of another word at the
        same place, in the next sentence that has one; "said", the share of words that
        the model's output layer would say.
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
    """Measure how alike two "it" are at every height, if they mean two beings.

    Returns:
        the mean cosine (N + 1,) over all pairs of sentences in which "it" stands at the
        same place and means another being. Below block 1 it is 1.
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
    """Find the rows and heights that carry a being to the gap that hangs on it.

    Of a sentence such as "the cat sat on the mat and it was ⟨MASK⟩" one vector is
    replaced by that of the same sentence with another being: one word's, at one height.
    If the gap is then filled as for the other being, what tells it went through there.

    Returns:
        (12, N + 1): for each token of FRAME, from ⟨SOS⟩ to ⟨EOS⟩, and each height, how
        likely the model then finds the other being's word; the mean over all pairs of
        beings that are called "it", at all places.

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
    """Measure how often the hidden word is said without one sub-layer, for each.

    Args:
        model: which model.
        count: how many sentences.
        average: whether a sub-layer writes its own average instead, and not 0.

    Returns:
        shares of right answers (2N,), in the order of `sub_layers`.
    """
    writes = averages(model, count)
    if not average:
        writes = {name: torch.zeros_like(x) for name, x in writes.items()}
    return [accuracy(model, {name: x}, count) for name, x in writes.items()]


def ablations(model: EncoderOnlyTransformer, count: int = 200) -> Row:
    """Measure how often the hidden word is said when parts of the model are left out.

    Returns:
        shares of right answers: "all", with nothing left out; "zeros" and "averages",
        as `ablate_each`; "blocks" (N,), with both sub-layers of a block replaced by
        0; "attention" and "FFN": with all of them replaced by 0, and by their averages.
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
    """Measure how often the hidden being is said, from the left alone and from all.

    A model says the being, of the eight that there are, whose logit is the largest.

    Returns:
        shares of right beings: "one being", the commonest of them each time; "left to
        right", what the free model of notebook 07 says after the words before it;
        "encoder", what this model says, in all sentences; "told" and "not told", in
        those that go on about the being ("and it was happy") and in the others.
    """
    reader, vocabulary = load_heads("free")
    written = unseen()
    where = [next(i for i, w in enumerate(ws) if w in BEINGS) for ws in written]
    known = torch.tensor([[*BEINGS].index(written[n][i]) for n, i in enumerate(where)])
    gap = sentences().clone()
    rows = range(len(gap))
    places = [i + 1 for i in where]  # behind ⟨SOS⟩
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
    """Measure how large what each sub-layer adds is, as a share of what it adds it to.

    |f(x)| / |x|, the mean over all words of the sentences, (2N,)
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
    """Measure all that is kept of a model; without training, no part is left out."""
    found = similarity_to_input(model)
    found |= {"it and it": two_of_it(model), "sizes": sizes(model)}
    if trained:  # without training hardly a hidden word is said anyway
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
