"""Exercises of notebook 13: the next word, the texts beside it, and the cache."""

import numpy as np
import torch

from transformer_lib.generation.settings import Sampling, keep_top_p
from transformer_lib.oracles import numpy_reference as reference

from .exercise import Array, Exercise, draw


def _greedy_text(logits: Array, start: int, end: int, most: int) -> Array:
    text = np.full(most, start)
    for n in range(1, most):
        text[n] = np.argmax(logits[text[n - 1]])
    ends = np.flatnonzero(text == end)
    return text[: ends[0] + 1] if len(ends) else text


greedy_text = Exercise(
    solution='''def greedy_text(logits, start, end, most):
    """Write on from start; row w of logits (V, V) scores what follows word w."""
    text = [start]
    while len(text) < most and text[-1] != end:
        text = [*text, logits[text[-1]].argmax()]
    return np.array(text)''',
    right=_greedy_text,
    cases=(
        (np.array([[0.0, 2, 1], [0, 1, 3], [2, 0, 1]]), 0, 2, 6),
        (np.array([[0.0, 3, 1], [2, 0, 1], [1, 2, 0]]), 0, 2, 5),
        (*draw(41, (6, 6)), 1, 4, 9),
        (*draw(44, (5, 5)), 2, 3, 7),
    ),
    holds="It begins with the start, and is over behind the end or when it is full. "
    "Next: which texts over three words never end?",
    mistakes={
        "It goes on behind the end. Which of its two brakes is missing?": (
            " and text[-1] != end → "
        ),
        "One word too many is written. When is a text of the longest length "
        "full?": "len(text) < most → len(text) <= most",
        "The word that ends it is cut off. A reader of the ids could not tell a text "
        "that is over from one that is full.": (
            "text = [*text, logits[text[-1]].argmax()] → "
            "word = logits[text[-1]].argmax()\n"
            "        if word == end:\n"
            "            break\n"
            "        text = [*text, word]"
        ),
        "The last word is cut off, of a full text too. Which words does the loop "
        "write?": "np.array(text) → np.array(text[:-1])",
        "The first word is not given back. The text holds what it was begun "
        "with.": "np.array(text) → np.array(text[1:])",
        "It always takes the worst word. Which score should win?": "argmax → argmin",
        "Every word is chosen by the first one. Which word was written last?": (
            "logits[text[-1]] → logits[text[0]]"
        ),
        "Rows and columns are exchanged. Which of them holds the scores behind a "
        "word?": "logits[text[-1]] → logits[:, text[-1]]",
        "The same word is best everywhere: what stands before is not asked. Which "
        "row is about it?": "logits[text[-1]] → logits.sum(axis=0)",
    },
)


def _top_k_probabilities(logits: Array, temperature: float, k: int) -> Array:
    sampling = Sampling(temperature=float(temperature), top_k=k)
    p: Array = sampling.probabilities(torch.from_numpy(logits)).numpy()
    return p


top_k_probabilities = Exercise(
    solution='''def top_k_probabilities(logits, t, k):
    """Give the probabilities (V,) of the next word: temperature t, then top-k."""
    p = reference.softmax(logits / t)
    least = np.sort(p)[-k]
    kept = np.where(p >= least, p, 0)
    return kept / kept.sum()''',
    right=_top_k_probabilities,
    cases=(
        (np.array([1.0, 3, 2, 0]), 0.5, 2),
        (*draw(42, (6,)), 2.0, 3),
        (*draw(43, (8,)), 0.7, 4),
    ),
    holds="The k likeliest words share everything, and the order of the words never "
    "changes. Next: what is left of the temperature where k is 1?",
    mistakes={
        "The temperature changes nothing: shares that are all divided by one number "
        "are the same shares again. What should be divided, and when?": (
            "reference.softmax(logits / t) → reference.softmax(logits) / t"
        ),
        "A low temperature makes it flatter here. Should it not be sharper? "
        "Multiply or divide?": "logits / t → logits * t",
        "What is left does not sum to 1. Who shares what the others had?": (
            "return kept / kept.sum() → return kept"
        ),
        "The unlikeliest words are kept. At which end does a rising order have its "
        "best?": (
            "[-k]\n    kept = np.where(p >= least → "
            "[k - 1]\n    kept = np.where(p <= least"
        ),
        "One word too few is left. Is the last of them in or out?": (
            "p >= least → p > least"
        ),
        "One word too many is left. Count the places from the end once more.": (
            "[-k] → [-k - 1]"
        ),
        "A second softmax: a share of 0 becomes a share again. What brings a sum "
        "back to 1?": "return kept / kept.sum() → return reference.softmax(kept)",
        "All kept words have the same share. They are to keep their ratio.": (
            "p >= least, p, 0 → p >= least, 1, 0"
        ),
        "The first k words of the vocabulary are kept. Which words are to stay?": (
            "p >= least, p → np.arange(len(p)) < k, p"
        ),
        "A score of 0 is a score like others: such words still have a share. What "
        "would hide them?": (
            "p = reference.softmax(logits / t)\n"
            "    least = np.sort(p)[-k]\n"
            "    kept = np.where(p >= least, p, 0)\n"
            "    return kept / kept.sum() → "
            "least = np.sort(logits)[-k]\n"
            "    cut = np.where(logits >= least, logits, 0)\n"
            "    return reference.softmax(cut / t)"
        ),
    },
)


def _top_p_probabilities(p: Array, top_p: float) -> Array:
    kept: Array = keep_top_p(torch.from_numpy(p), float(top_p)).numpy()
    return kept


top_p_probabilities = Exercise(
    solution='''def top_p_probabilities(p, top_p):
    """Keep the fewest likeliest words of p (V,) that together reach top_p."""
    order = np.argsort(-p)
    before = np.cumsum(p[order]) - p[order]
    kept = p.copy()
    kept[order[before >= top_p]] = 0
    return kept / kept.sum()''',
    right=_top_p_probabilities,
    cases=(
        (np.array([0.1, 0.5, 0.25, 0.15]), 0.6),
        (np.array([0.05, 0.1, 0.7, 0.15]), 0.5),
        (np.array([0.3, 0.02, 0.28, 0.2, 0.12, 0.08]), 0.85),
    ),
    holds="How many words are left depends on how sure the model is: with 0.7 for "
    "one word and a bound of 0.5, it is that word alone. Next: and with a bound of 1?",
    mistakes={
        "The word with which the bound is reached is dropped, so less than the bound "
        "is left. Does it belong to them?": "np.cumsum(p[order]) - p[order] → "
        "np.cumsum(p[order])",
        "What is left does not sum to 1. Who shares what the others had?": (
            "return kept / kept.sum() → return kept"
        ),
        "It begins with the unlikeliest word. From which end are they to be "
        "collected?": "argsort(-p) → argsort(p)",
        "Words are collected in the order of the vocabulary. Which order makes them "
        "the fewest?": "np.argsort(-p) → np.arange(len(p))",
        "The probabilities come back in another order than the words. Every word has "
        "its own place in the vocabulary.": (
            "kept = p.copy()\n    kept[order[before >= top_p]] = 0 → "
            "kept = p[order]\n    kept[before >= top_p] = 0"
        ),
        "Each word is measured alone, by what is missing to 1. It is their sum that "
        "has to reach the bound.": (
            "kept[order[before >= top_p]] → kept[p < 1 - top_p]"
        ),
        "Each word alone is held against the bound. It is their sum that has to reach "
        "it: what do the likelier ones hold together?": (
            "kept[order[before >= top_p]] → kept[p < top_p]"
        ),
        "One word too many is kept. Who is the first that is not needed any more?": (
            "before = np.cumsum(p[order]) - p[order] → "
            "before = np.append([0, 0], np.cumsum(p[order]))[:-2]"
        ),
        "A second softmax: a share of 0 becomes a share again. What brings the sum "
        "back to 1?": "return kept / kept.sum() → return reference.softmax(kept)",
    },
)


def _beam_step(scores: Array, log_p: Array) -> Array:
    K, V = log_p.shape
    texts = [(scores[b] + log_p[b, w], b, w) for b in range(K) for w in range(V)]
    return np.array([text[1:] for text in sorted(texts, reverse=True)[:K]])


beam_step = Exercise(
    solution='''def beam_step(scores, log_p):
    """Give (text, word) of the K best new texts; scores (K,), log_p (K, V)."""
    sums = scores[:, None] + log_p
    best = np.argsort(-sums, axis=None)[:len(scores)]
    return np.stack(np.unravel_index(best, sums.shape), axis=1)''',
    right=_beam_step,
    cases=(
        (
            np.array([-1.0, -1.5]),
            np.array([[-2.0, -0.5, -1.2, -3], [-0.1, -4, -0.9, -2.5]]),
        ),
        (
            np.array([-0.2, -2, -2.4]),
            np.array(
                [
                    [-3.1, -4.2, -3.3, -5, -2.9],
                    [-0.7, -6, -1.9, -0.8, -3],
                    [-4.3, -0.6, -2.2, -5.1, -0.45],
                ]
            ),
        ),
        (np.array([-4.0, -4.1]), np.array([[-1.0, -0.6, -3], [-2, -1.1, -0.85]])),
    ),
    holds="One text may grow two ways, and another one dies out. Next: with one beam, "
    "which search is this?",
    mistakes={
        "Only the newest word counts. What have the words before it cost?": (
            "scores[:, None] + log_p → log_p"
        ),
        "The scores are multiplied. Probabilities are; what becomes of a product when "
        "logs are taken?": "scores[:, None] + log_p → scores[:, None] * log_p",
        "Probabilities are added to logs. Both should be of one kind.": (
            "+ log_p → + np.exp(log_p)"
        ),
        "Each text goes on by its own best word, so none ever dies out. All new texts "
        "should compete.": (
            "best = np.argsort(-sums, axis=None)[:len(scores)]\n"
            "    return np.stack(np.unravel_index(best, sums.shape), axis=1) → "
            "return np.stack([np.arange(len(scores)), sums.argmax(axis=1)], axis=1)"
        ),
        "All new texts grow from the best old one. May another one catch up?": (
            "-sums, axis → -sums[:1], axis"
        ),
        "The worst texts are kept. Which end of the order is it?": "-sums → sums",
        "Text and word are exchanged. Which of them is a row?": (
            "np.unravel_index(best, sums.shape) → "
            "np.unravel_index(best, sums.shape)[::-1]"
        ),
        "All texts stand in one row, and all words in another. Which numbers belong "
        "into the row of one new text?": ", axis=1) → )",
        "The places were counted in one long row, and cut into rows of the wrong "
        "length. How many words has a row?": "sums.shape → sums.T.shape",
        "They are the right ones, the worst of them first. The best should lead.": (
            "[:len(scores)] → [:len(scores)][::-1]"
        ),
    },
)


def _beam_scores(log_p: Array, lengths: Array, alpha: float) -> Array:
    scores: Array = log_p * np.exp(alpha * (np.log(6) - np.log(5 + lengths)))
    return scores


beam_scores = Exercise(
    solution='''def beam_scores(log_p, lengths, alpha):
    """Score texts (N,) by their log p and lengths, with a length penalty of alpha."""
    penalty = ((5 + lengths) / 6) ** alpha
    return log_p / penalty''',
    right=_beam_scores,
    cases=(
        (np.array([-4.0, -6.0]), np.array([1, 7]), 1.0),
        (np.array([-3.3, -4.7, -9.0]), np.array([4, 10, 25]), 0.6),
        (np.array([-3.3, -4.7]), np.array([4, 10]), 2.0),
        (np.array([-2.5, -2.6]), np.array([3, 8]), 0.0),
    ),
    holds="With an α of 0 nothing changes, and the larger it is, the more is forgiven "
    "to a long text. Next: for which α do the first two texts of the first case tie?",
    mistakes={
        "A long text is punished here. A log is below 0: which way does a product "
        "with a large number move it?": "log_p / penalty → log_p * penalty",
        "The penalty is taken off. It is a factor, so that α = 0 changes nothing.": (
            "log_p / penalty → log_p - penalty"
        ),
        "The length has no say. Which texts then win most often?": (
            "return log_p / penalty → return log_p"
        ),
        "This is the mean of a word, for every α. How can one choose how much the "
        "length counts?": "((5 + lengths) / 6) ** alpha → lengths",
        "The 5 and the 6 are missing. They make the first words of a text count "
        "less.": "(5 + lengths) / 6 → lengths",
        "Only the length is divided by 6. What belongs together?": (
            "(5 + lengths) / 6 → 5 + lengths / 6"
        ),
        "α is a factor here. At α = 0, what should be left?": "** alpha → * alpha",
    },
)


def _cached_step(x: Array, P: Array, W: Array, K: Array, V: Array) -> Array:
    q, k, v = ((x + P[K.shape[0]]) @ w for w in W)
    keys, values = np.vstack([K, k]), np.vstack([V, v])
    out: Array = reference.softmax(q[None] @ keys.T / np.sqrt(q.size))[0] @ values
    return out


cached_step = Exercise(
    solution='''def cached_step(x, P, W, K, V):
    """Attend from a new word: x (D,), P (L, D), W (3, D, d); K, V (n, d) are kept."""
    q, k, v = (x + P[len(K)]) @ W
    scores = np.array([*K, k]) @ q / len(q) ** 0.5
    return reference.softmax(scores) @ np.array([*V, v])''',
    right=_cached_step,
    cases=(
        (
            np.array([1.0, 0.0]),
            np.array([[0.0, 1], [0.8, 0.5], [0.9, -0.4]]),
            np.array([[[1.0, 0], [0, 1]], [[0, 1], [1, 0]], [[1, 1], [0, 2]]]),
            np.array([[1.0, 0.5], [0.2, 2.0]]),
            np.array([[1.0, 0.0], [0.0, 1.0]]),
        ),
        draw(45, (4,), (6, 4), (3, 4, 3), (4, 3), (4, 3)),
        draw(46, (3,), (5, 3), (3, 3, 2), (1, 2), (1, 2)),
    ),
    holds="One row of work for one new word, and the same row as without a cache. "
    "Next: the kept keys hold their positions already. Why need nobody add them?",
    mistakes={
        "The new word has no position. To the model it could stand anywhere: where "
        "does it?": "x + P[len(K)] → x",
        "Every new word stands at the first place. How many words stand before "
        "it?": "P[len(K)] → P[0]",
        "It has the position of the word before it. Count from 0.": (
            "P[len(K)] → P[len(K) - 1]"
        ),
        "It looks only at what was kept, and never at itself. In a causal row the "
        "diagonal is open.": (
            "np.array([*K, k]) @ q / len(q) ** 0.5\n"
            "    return reference.softmax(scores) @ np.array([*V, v]) → "
            "K @ q / len(q) ** 0.5\n"
            "    return reference.softmax(scores) @ V"
        ),
        "It looks only at itself: nothing that was kept is used. What is the cache "
        "for?": (
            "scores = np.array([*K, k]) @ q / len(q) ** 0.5\n"
            "    return reference.softmax(scores) @ np.array([*V, v]) → return v"
        ),
        "Keys and values stand in different orders, so weights meet the values of "
        "other words. Where does the new one go in both?": "[*K, k] → [k, *K]",
        "The scores are not scaled. By the root of what?": " / len(q) ** 0.5 → ",
        "The root is that of the size of a word. How many numbers has a key?": (
            "len(q) ** 0.5 → len(x) ** 0.5"
        ),
        "The scores are divided by the size of a key itself. How far does a sum of so "
        "many products spread?": "len(q) ** 0.5 → len(q)",
        "The scores are divided by the number of words. The scale comes from the size "
        "of a key.": "len(q) ** 0.5 → (len(K) + 1)",
        "Key and value are exchanged for the new word. In which order do the three "
        "matrices come?": "q, k, v = → q, v, k =",
        "The weights are all alike: what the query asks has no effect. Which scores "
        "went into the average?": "reference.softmax(scores) → "
        "reference.softmax(0 * scores)",
    },
)

EXERCISES = (
    greedy_text,
    top_k_probabilities,
    top_p_probabilities,
    beam_step,
    beam_scores,
    cached_step,
)
