"""What a model of stories writes when its next words are chosen in different ways.

The kept results are made by `python -m course.experiments.strategies`.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import pairwise, product
from pathlib import Path
from statistics import mean
from typing import Any

import torch
from torch import Tensor

from transformer_lib.checkpoints import keep_each, read_results
from transformer_lib.generation.beam_search import beam_search
from transformer_lib.generation.sampling import Generated, greedy, sample
from transformer_lib.generation.settings import Decoding, Sampling
from transformer_lib.model.transformer import DecoderOnlyTransformer

from ..data.french_sentences import PAD_ID, in_ids, new_sentences
from ..data.grammar import BEINGS, VERBS
from ..data.stories import LENGTH, STOP, STOP_ID, VOCABULARY, being, fits, new
from ..data.stories import sentences as split
from ..models import french
from ..models.pairs import decoding
from ..models.stories import SEEDS, STEPS, of_length
from ..trained import CHECKPOINTS

Write = Callable[[Any, Tensor, Decoding], Generated]
Story = Sequence[str]
LENGTHS = (STEPS // 2, STEPS)  # steps of the trainings whose results are kept
STORIES = 100
WORDS = 10  # of a first sentence: all are of as many, so that none needs padding
TEMPERATURES = (0.4, 0.7, 1.0, 1.3, 1.6, 2.0)
BEAMS = (1, 2, 4, 8, 16, 32)
PENALTIES = (0.0, 0.6, 1.0, 2.0)
#: A whole story; and one sentence, to its full stop: the longest has fourteen words.
STORY = Decoding(max_length=LENGTH)
SENTENCE = Decoding(max_length=20, end_id=STOP_ID)


@cache
def told() -> tuple[tuple[str, ...], ...]:
    """Give 100 new stories whose first sentence has ten words."""
    known = (story for story in new(20 * STORIES) if story[WORDS + 1] == STOP)
    whole = (story for story in known if STOP not in story[1 : WORDS + 1])
    return tuple(tuple(story) for story, _ in zip(whole, range(STORIES), strict=False))


def starts() -> Tensor:
    """Give their first sentences, from full stop to full stop: ids (100, 12)."""
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
    """Give log p of each story behind its first sentence, in the model's eyes: (B,)."""
    ids = torch.tensor([VOCABULARY.encode([*story]) for story in stories])
    with torch.inference_mode():
        log_p = model(ids[:, :-1]).log_softmax(-1)  # (B, T − 1, V)
    own = log_p.gather(-1, ids[:, 1:, None])[..., 0]  # (B, T − 1)
    return own[:, WORDS + 1 :].sum(-1)


def by_temperature(
    model: DecoderOnlyTransformer, temperatures: Sequence[float] = TEMPERATURES
) -> list[dict[str, float]]:
    """Measure the stories that are drawn at each temperature: see `look`."""
    ways = [Sampling(temperature=t) for t in temperatures]
    return [look(continued(model, drawn(way))) for way in ways]


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
    """Give "the cat sits", and so on with each being and verb: ids (64, 4)."""
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
        the mean number of "words" in a whole sentence, and of its "log p" behind the
        beginning, the full stop's included.
    """
    begun = beginnings()
    found = beam_search(model, begun, SENTENCE, beams, length_penalty)
    texts = found.ids[:, 0]  # (64, L)
    own = torch.arange(texts.size(1)) >= begun.size(1)
    length = (own & (texts == STOP_ID)).long().argmax(dim=1) - 1  # (64,)
    penalty = ((5 + length - begun.size(1) + 2) / 6) ** length_penalty
    log_p = found.scores[:, 0] * penalty
    return {"words": float(length.double().mean()), "log p": float(log_p.mean())}


def translated(sampling: Sampling | None = None, count: int = 200) -> float:
    """Give the share of new sentences that the course's translator gets right.

    Args:
        sampling: how each French word is drawn; without it by greedy search.
        count: how many sentences.
    """
    told = decoding(french.TASK)
    write = greedy if sampling is None else drawn(sampling)
    source, target = in_ids(new_sentences(count))
    ids = write(french.trained(), source, told).ids
    pairs = zip(ids, target, strict=True)
    return float(mean(a[a != PAD_ID].equal(b[b != PAD_ID]) for a, b in pairs))


def measure(model: DecoderOnlyTransformer) -> dict[str, Any]:
    """Give what notebook 13 tells of a model, rounded."""
    ways = {"greedy": greedy, "top-k 10": drawn(Sampling(top_k=10))}
    ways |= {"top-p 0.9": drawn(Sampling(top_p=0.9))}
    found = {name: look(continued(model, way)) for name, way in ways.items()}
    pairs = zip(TEMPERATURES, by_temperature(model), strict=True)
    found |= {f"temperature {t:g}": row for t, row in pairs}
    found["likelier"] = likelier(model)
    found |= {f"beams {k}": ends(model, k) for k in BEAMS}
    found |= {f"penalty {a:g}": ends(model, max(BEAMS), a) for a in PENALTIES}
    return {
        what: {name: round(x, 3) for name, x in row.items()}
        for what, row in found.items()
    }


def load_results(folder: Path = CHECKPOINTS) -> list[dict[str, Any]]:
    """The kept results: for each training what `measure` gives, its steps and seed.

    Raises:
        FileNotFoundError: the folder does not hold them.
        ValueError: their file is broken.
    """
    return read_results(folder / "strategies.json")


def main(
    folder: Path = CHECKPOINTS,
    lengths: Sequence[int] = LENGTHS,
    seeds: Sequence[int] = SEEDS,
) -> None:
    """Measure a model of each length from each seed; keep what came of them."""
    came = (
        {"steps": steps, "seed": seed, **measure(of_length(steps, seed))}
        for seed, steps in product(seeds, lengths)
    )
    keep_each(came, folder / "strategies.json")


if __name__ == "__main__":
    main()
