"""What a model of stories writes with different decoding strategies."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import pairwise
from statistics import mean
from typing import Any

import torch
from torch import Tensor

from transformer_lib.generation.beam_search import beam_search
from transformer_lib.generation.prediction import Decoding
from transformer_lib.generation.sampling import Generated, Sampling, greedy, sample
from transformer_lib.model.transformer import DecoderOnlyTransformer

from ..data.french_sentences import PAD_ID, held_out_sentences, in_ids
from ..data.grammar import BEINGS, VERBS
from ..data.stories import LENGTH, STOP, STOP_ID, VOCABULARY, being, fits, held_out
from ..data.stories import sentences as split
from ..models import french
from ..models.measures import exact_match, fraction, token_log_probabilities
from ..models.pairs import decoding
from ..models.stories import MODEL, SEEDS
from .experiment import Experiment, grid
from .results import Row

Write = Callable[[Any, Tensor, Decoding], Generated]
Story = Sequence[str]
STEPS = MODEL.recipe.steps
LENGTHS = (STEPS // 2, STEPS)  # steps of the trainings whose results are kept
STORIES = 100
TRANSLATED = 200  # sentences
WORDS = 10  # of a first sentence: all are of as many, so that none needs padding
TEMPERATURES = (0.4, 0.7, 1.0, 1.3, 1.6, 2.0)
BEAMS = (1, 2, 4, 8, 16, 32)
PENALTIES = (0.0, 0.6, 1.0, 2.0)
#: A whole story; and one sentence, to its full stop: the longest has fourteen words.
STORY = Decoding(max_length=LENGTH)
SENTENCE = Decoding(max_length=20, end_id=STOP_ID)


@cache
def told() -> tuple[tuple[str, ...], ...]:
    """Return 100 new stories whose first sentence has ten words."""
    known = (story for story in held_out(20 * STORIES) if story[WORDS + 1] == STOP)
    whole = (story for story in known if STOP not in story[1 : WORDS + 1])
    return tuple(tuple(story) for story, _ in zip(whole, range(STORIES), strict=False))


def starts() -> Tensor:
    """Return their first sentences, from full stop to full stop: ids (100, 12)."""
    return torch.tensor([VOCABULARY.encode([*s[: WORDS + 2]]) for s in told()])


def drawn(sampling: Sampling | None = None, seed: int = 0) -> Write:
    """Make a way of writing that draws each word, with a generator of its own."""
    draw = torch.Generator().manual_seed(seed)
    return partial(sample, sampling=sampling, generator=draw)


def without_repeats(n: int) -> Write:
    """Make a way of writing: greedy search, but no n tokens come a second time.

    A token that would complete n tokens that stand in the text already is left out.
    """

    def write(model: Any, ids: Tensor, decoding: Decoding) -> Generated:
        scores = torch.zeros(len(ids))
        with torch.inference_mode():
            while ids.size(1) < decoding.max_length:
                log_p = model(ids)[:, -1].log_softmax(-1)  # (B, V)
                left = log_p.masked_fill(_repeats(ids, n, log_p.size(1)), -torch.inf)
                new = left.argmax(dim=1, keepdim=True)  # (B, 1)
                scores += log_p.gather(1, new)[:, 0]
                ids = torch.cat([ids, new], dim=1)
        return Generated(ids, scores)

    return write


def _repeats(ids: Tensor, n: int, V: int) -> Tensor:
    """Mark the tokens behind texts (B, T) that complete n known ones: (B, V)."""
    known = ids.unfold(1, n, 1)  # (B, T − n + 1, n)
    latest = ids[:, None, ids.size(1) - n + 1 :]  # (B, 1, n − 1)
    same = (known[..., :-1] == latest).all(-1)  # (B, T − n + 1)
    completing = torch.nn.functional.one_hot(known[..., -1], V).bool()
    return (completing & same[..., None]).any(dim=1)


def continued(model: DecoderOnlyTransformer, write: Write) -> list[list[str]]:
    """Let a model go on with each of the 100 first sentences: whole texts, in words."""
    return [VOCABULARY.decode(row) for row in write(model, starts(), STORY).ids]


def look(stories: Sequence[Story]) -> dict[str, float]:
    """Measure what follows the first sentence of each story; only whole sentences.

    Returns:
        the shares of sentences that are of the "same being" as the one before them,
        "said before" in their story word by word, and "faulty", which the grammar
        cannot write; and the mean number of "words" in one.
    """
    found = [split(story) for story in stories]
    later = [s for story in found for s in story[1:]]
    steps = [pair for story in found for pair in pairwise(story)]
    again = [s in story[:n] for story in found for n, s in enumerate(story) if n]
    return {
        "same being": mean(being(a) == being(b) for a, b in steps),
        "said before": mean(again),
        "faulty": mean(not fits(s) for s in later),
        "words": mean(map(len, later)),
    }


def likelihoods(model: DecoderOnlyTransformer, stories: Sequence[Story]) -> Tensor:
    """Return the log-probability of each story after its first sentence: (B,)."""
    ids = torch.tensor([VOCABULARY.encode([*story]) for story in stories])
    with torch.inference_mode():
        return token_log_probabilities(model, ids)[:, WORDS + 1 :].sum(-1)


def by_temperature(model: DecoderOnlyTransformer) -> list[dict[str, float]]:
    """Measure the stories that are drawn at each of TEMPERATURES: see `look`."""
    methods = [drawn(Sampling(temperature=t)) for t in TEMPERATURES]
    return [look(continued(model, method)) for method in methods]


def likelier(model: DecoderOnlyTransformer) -> dict[str, float]:
    """Measure how often a story is likelier than the one that greedy search writes.

    Returns:
        of the 100 first sentences, the shares with which a story "drawn" once, and the
        story as it was "told" in the data, is at least as likely as greedy search's.
    """
    best = likelihoods(model, continued(model, greedy))
    once = likelihoods(model, continued(model, drawn()))
    as_told = likelihoods(model, told())
    return {
        "drawn": float((once >= best).double().mean()),
        "told": float((as_told >= best).double().mean()),
    }


def beginnings() -> Tensor:
    """Return "the cat sits", and so on with each being and verb: ids (64, 4)."""
    texts = []
    for name, kind in BEINGS.items():
        many = kind.pronoun == "they"
        present = [verb[:-1] if many else verb for verb in VERBS]
        texts += [[STOP, "the", name, verb] for verb in (*present, *VERBS.values())]
    return torch.tensor([VOCABULARY.encode(text) for text in texts])


def ends(
    model: DecoderOnlyTransformer, beams: int, length_penalty: float = 0.0
) -> dict[str, float]:
    """Measure how a beam search ends the 64 beginnings, each to its full stop.

    Returns:
        the mean number of "words" in a sentence, and of its "log p" behind the
        beginning, the full stop's included if there is one.
    """
    begun = beginnings()
    found = beam_search(model, begun, SENTENCE, beams, length_penalty)
    texts = found.ids[:, 0]  # (64, L)
    own = texts[:, begun.size(1) :]  # behind the beginning
    stopped = (own == STOP_ID).cumsum(dim=1) > 0
    added = (~stopped).sum(dim=1)  # (64,): words
    penalty = ((5 + added + stopped.any(dim=1)) / 6) ** length_penalty
    words = begun.size(1) - 1 + added.double().mean()  # the first is a full stop
    log_p = found.scores[:, 0] * penalty
    return {"words": float(words), "log p": float(log_p.mean())}


def translated(sampling: Sampling | None = None) -> float:
    """Return the exact match of the course's translator on held-out sentences.

    Args:
        sampling: how each French word is drawn; without it by greedy search.
    """
    write = greedy if sampling is None else drawn(sampling)
    source, target = in_ids(held_out_sentences(TRANSLATED))
    ids = write(french.trained(), source, decoding(french.TASK)).ids
    return fraction(exact_match(ids, target, PAD_ID))


def measure(model: DecoderOnlyTransformer) -> Row:
    """Return what notebook 13 tells of a model."""
    methods = {"greedy": greedy, "top-k 10": drawn(Sampling(top_k=10))}
    methods |= {"top-p 0.9": drawn(Sampling(top_p=0.9))}
    found = {name: look(continued(model, how)) for name, how in methods.items()}
    pairs = zip(TEMPERATURES, by_temperature(model), strict=True)
    found |= {f"temperature {t:g}": row for t, row in pairs}
    found["likelier"] = likelier(model)
    found |= {f"beams {k}": ends(model, k) for k in BEAMS}
    found |= {f"penalty {a:g}": ends(model, max(BEAMS), a) for a in PENALTIES}
    return found


EXPERIMENT = Experiment(
    name="strategies",
    runs=grid(seed=SEEDS, steps=LENGTHS),
    measure=lambda steps, seed: measure(MODEL.after(steps, seed)),
    models={"stories": MODEL},
    settings={"stories": STORIES, "words": WORDS},
    decimals=3,
)
