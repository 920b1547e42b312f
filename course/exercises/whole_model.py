"""Exercises of notebook 11: the whole model's end, its edges and its size."""

import numpy as np

from transformer_lib.oracles import numpy_reference as reference

from .exercise import Array, Exercise, draw


def _next_word_probabilities(x: Array, E: Array) -> Array:
    return reference.softmax(x[-1] @ E.T)


next_word_probabilities = Exercise(
    solution='''def next_word_probabilities(x, E):
    """Give the next word's probabilities (V,); x (T, D) is the decoder's, E (V, D)."""
    logits = E @ x[-1]
    powers = np.exp(logits - logits.max())
    return powers / powers.sum()''',
    right=_next_word_probabilities,
    cases=(
        (np.array([[1.0, 0], [0, 2]]), np.array([[1.0, 0], [0, 1], [-1, 1]])),
        draw(31, (4, 3), (6, 3)),
        (np.array([[1.0, 2], [30, -10]]), np.array([[30.0, 0], [0, 40], [29.98, 0]])),
    ),
    holds="One row of x decides, and every word of the vocabulary has a share of it. "
    "Next: add the same number to all logits. What becomes of the probabilities?",
    mistakes={
        "The first token is asked. Which of the tokens stands just before the "
        "gap?": "x[-1] → x[0]",
        "All tokens are averaged before they are scored. The other rows have already "
        "handed over what they had to say, by attention. Which row is left?": (
            "x[-1] → x.mean(axis=0)"
        ),
        "All tokens are summed before they are scored. The probabilities belong to one "
        "of them: which row stands just before the gap?": "x[-1] → x.sum(axis=0)",
        "Every token is asked, and each has its own probabilities. Which of these rows "
        "is about the gap?": (
            "return powers / powers.sum() → return reference.softmax(x @ E.T)"
        ),
        "The sum runs over the scores of all tokens, so the probabilities of the last "
        "do not sum to 1. Which scores belong to it?": (
            "powers.sum() → np.exp(x @ E.T - logits.max()).sum()"
        ),
        "The tokens compete with each other, for each word. Who should compete for the "
        "gap?": (
            "return powers / powers.sum() → return reference.softmax(E @ x.T)[:, -1]"
        ),
        "This is the number of the likeliest word. Asked for is how likely each of "
        "them is.": "return powers / powers.sum() → return powers.argmax()",
        "These are the scores themselves. What makes shares of them, above 0 and with "
        "the sum 1?": "return powers / powers.sum() → return logits",
        "The scores are divided by their sum, and some are negative. What is done to "
        "each of them first?": "np.exp(logits - logits.max()) → logits",
        "Large scores overflow, and NaN is left. What can be subtracted from all of "
        "them without a change of the probabilities?": "logits - logits.max() → logits",
        "The largest share is 1, and all of them together are more. By what is each "
        "divided?": "powers.sum() → powers.max()",
        "All goes to one word, and nothing is left of the doubt. The question asks "
        "for all probabilities.": (
            "return powers / powers.sum() → return 1.0 * (logits == logits.max())"
        ),
        "The scores are divided by √D. Attention does so with its own; here nothing "
        "of the kind happens.": "E @ x[-1] → E @ x[-1] / len(x[-1]) ** 0.5",
        "The scores are multiplied by √D. The embedding does so with its rows when "
        "words come in, and not when they leave.": (
            "E @ x[-1] → E @ x[-1] * len(x[-1]) ** 0.5"
        ),
        "Every row of the matrix was brought to length 1 first. A long row may win "
        "more often: no one takes that away.": (
            "E @ x[-1] → E @ x[-1] / np.linalg.norm(E, axis=1)"
        ),
        "The sign is turned: the word that fits worst gets the most. Which scores "
        "should win?": "logits - logits.max() → logits.min() - logits",
    },
)


def _cut_edge(scores: Array, query: int, key: int) -> Array:
    may_look = np.ones(scores.shape, dtype=bool)
    may_look[query, key] = False
    return reference.softmax(np.where(may_look, scores, -np.inf))


cut_edge = Exercise(
    solution='''def cut_edge(scores, query, key):
    """Give the weights (T, S) of scores, where one query cannot look at one key."""
    cut = scores.copy()
    cut[query, key] = -np.inf
    return reference.softmax(cut)''',
    right=_cut_edge,
    cases=(
        (np.array([[0.0, 0, 0], [1, 2, 0], [0, 1, 3]]), 2, 1),
        (*draw(32, (4, 4)), 1, 3),
        (*draw(33, (5, 3)), 4, 0),
        (*draw(34, (3, 3)), 1, 0),
    ),
    holds="The other keys of this row share what it gave, in their old ratio, and no "
    "other row changes. Next: cut an edge whose weight was almost 0.",
    mistakes={
        "The weight is 0, and the rest of its row no longer sums to 1. Who gets what "
        "it had?": (
            "cut[query, key] = -np.inf\n    return reference.softmax(cut) → "
            "cut = reference.softmax(cut)\n    cut[query, key] = 0\n    return cut"
        ),
        "The other keys share the lost weight evenly. In a softmax they keep their "
        "ratio: which of them gets most of it?": (
            "cut[query, key] = -np.inf\n    return reference.softmax(cut) → "
            "cut = reference.softmax(cut)\n"
            "    cut[query] += cut[query, key] / (cut.shape[1] - 1)\n"
            "    cut[query, key] = 0\n    return cut"
        ),
        "The whole matrix is divided by its sum, so all queries share one unit. How "
        "much has each of them to give?": (
            "cut[query, key] = -np.inf\n    return reference.softmax(cut) → "
            "cut = reference.softmax(cut)\n"
            "    cut[query, key] = 0\n    return cut / cut.sum()"
        ),
        "The edge is cut after the softmax, so −∞ is now a weight. When must the cut "
        "be made, so that it becomes 0?": (
            "cut[query, key] = -np.inf\n    return reference.softmax(cut) → "
            "cut = reference.softmax(cut)\n"
            "    cut[query, key] = -np.inf\n    return cut"
        ),
        "The right edge is cut, and these are still scores. What makes weights of "
        "them?": "return reference.softmax(cut) → return cut",
        "A score of 0 is a score like others: it still gets a weight. Which number "
        "gives exactly none?": "-np.inf → 0",
        "Query and key are exchanged. Which of them is a row?": (
            "[query, key] → [key, query]"
        ),
        "No query at all may look there. The others should be left as they are.": (
            "[query, key] → [:, key]"
        ),
        "This query may look nowhere, and its row is 0. Only one of its edges "
        "goes.": "[query, key] → [query]",
        "Nothing is cut: these are the weights as they were. What has to happen "
        "before they are made?": "cut[query, key] = -np.inf → ",
        "Each column sums to 1 here. Over what does a query share its attention?": (
            "reference.softmax(cut) → reference.softmax(cut.T).T"
        ),
        "Words are counted from 1 here. From where does NumPy count?": (
            "[query, key] → [query - 1, key - 1]"
        ),
        "All later keys are gone as well, or all there are. A causal rule would do "
        "that; here it is a single edge.": "[query, key] → [query, key:]",
        "The score is only made smaller by 1. How small must it be so that nothing is "
        "left?": "cut[query, key] = -np.inf → cut[query, key] -= 1",
    },
)


def _parameters(V: int, D: int, F: int, N: int) -> Array:
    attention = 4 * D * (D + 1)
    encoder = attention + 2 * D * F + F + D + 4 * D
    decoder = encoder + attention + 2 * D
    return np.array(V * D + N * (encoder + decoder))


parameters = Exercise(
    solution='''def parameters(V, D, F, N):
    """Count what the model of 2017 learns, with N + N blocks and d_ff = F."""
    heads = 4 * (D * D + D)
    ffn = D * F + F + F * D + D
    norm = 2 * D
    return V * D + N * (3 * heads + 2 * ffn + 5 * norm)''',
    right=_parameters,
    cases=((10, 4, 8, 2), (7, 6, 20, 3), (37_000, 512, 2048, 6)),
    holds="The base model has 63 million, and the number of heads is not among what "
    "decides. Next: which of the three terms grows fastest with D?",
    mistakes={
        "One attention is missing in each pair of blocks. How many has the "
        "decoder's?": "3 * heads → 2 * heads",
        "The words have two matrices here, for what comes in and for the scores. In "
        "2017 they share one.": "return V * D → return 2 * V * D",
        "The words have three matrices here, for source, target and scores. In 2017 "
        "all share one.": "return V * D → return 3 * V * D",
        "The biases are missing. What is added behind each product, in attention and "
        "feed-forward layer?": (
            "(D * D + D)\n    ffn = D * F + F + F * D + D → "
            "(D * D)\n    ffn = D * F + F * D"
        ),
        "An attention has three matrices here. What mixes its heads at the "
        "end?": "4 * (D → 3 * (D",
        "The norms are missing. What do they learn?": " + 5 * norm → ",
        "A norm learns one number for each feature here. What does it add after it "
        "has stretched?": "norm = 2 * D → norm = D",
        "Each block has two norms here. How many sub-layers has the one that "
        "writes?": "5 * norm → 4 * norm",
        "Only one half has a feed-forward layer here. Which block does without?": (
            "2 * ffn → ffn"
        ),
        "Each block has a matrix of all words of its own. How often are words looked "
        "up on the way?": "V * D + N * ( → N * (V * D + ",
        "The scores have a bias here, one number for each word. What is added behind "
        "the last product in 2017?": "return V * D + → return V * D + V +",
        "Each half has a norm of its own at its end here. Post-norm ends with a block, "
        "whose sum is normalised already.": "return V * D + → return V * D + 4 * D +",
        "All is counted 2 N times, as if each block were two. How many blocks has each "
        "half?": "N * (3 → 2 * N * (3",
        "The words are not counted. Where do their vectors come from?": "V * D + → ",
    },
)

EXERCISES = (next_word_probabilities, cut_edge, parameters)
