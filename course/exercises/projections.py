"""Exercises of notebook 04: queries, keys and values, and what becomes of them."""

import numpy as np

from transformer_lib.oracles import numpy_reference as reference

from .exercise import Array, Exercise, draw


def _linear(x: Array, W: Array) -> Array:
    return reference.linear(x, {"weight": W.T})


def _project(x: Array, *given: Array) -> Array:
    return np.concatenate([_linear(x, W) for W in given])


def _all_scores(X: Array, W_Q: Array, W_K: Array) -> Array:
    scores: Array = np.einsum("ic,jc->ij", _linear(X, W_Q), _linear(X, W_K))
    return scores


def _score(X: Array, W_Q: Array, W_K: Array, i: int, j: int) -> Array:
    return np.asarray(_all_scores(X, W_Q, W_K)[i, j])


def _count(d_model: int, d_k: int, d_v: int, n_heads: int) -> Array:
    sizes = [np.ones((d_model, d)).size for d in (d_k, d_k, d_v)]
    return np.array(n_heads * sum(sizes))


project = Exercise(
    solution='''def project(x, W_Q, W_K, W_V):
    """Give q, k and v of one word x (d_model,), one after the other: (d_k+d_k+d_v,)."""
    return np.concatenate([x @ W_Q, x @ W_K, x @ W_V])''',
    right=_project,
    cases=(
        (
            np.array([1.0, 2]),
            np.eye(2) * 3,
            np.array([[0.0, 1], [2, 0]]),
            np.ones((2, 3)),
        ),
        draw(4, (3,), (3, 3), (3, 3), (3, 3)),
        draw(5, (4,), (4, 2), (4, 2), (4, 3)),
    ),
    holds="One word, three vectors, and no other word was asked. Next: the score of "
    "one word for another.",
    mistakes={
        "The matrices are used from the other side, as in W x. A word is a row "
        "here: on which side of a matrix does it stand?": (
            "x @ W_Q, x @ W_K, x @ W_V → W_Q @ x, W_K @ x, W_V @ x"
        ),
        "The query was made with the matrix of the keys. Which matrix asks?": (
            "x @ W_Q → x @ W_K"
        ),
        "The key was made with the matrix of the queries. Which matrix lets "
        "a word be found?": "x @ W_K → x @ W_Q",
        "The value was made with the matrix of the keys. What a word is found by, and "
        "what it hands over, are two things: where is the third matrix?": (
            "x @ W_V → x @ W_K"
        ),
        "The word itself is handed over. Values are projected too: "
        "by which matrix?": "x @ W_V → x",
        "Query and key have changed places. In which order are the "
        "three asked for?": "x @ W_Q, x @ W_K → x @ W_K, x @ W_Q",
        "The value stands first and the query last. In which order are the three "
        "asked for?": "x @ W_Q, x @ W_K, x @ W_V → x @ W_V, x @ W_K, x @ W_Q",
        "All three are there, in another order: the value stands before the key. "
        "Which of them comes last?": "x @ W_K, x @ W_V → x @ W_V, x @ W_K",
    },
)

score = Exercise(
    solution='''def score(X, W_Q, W_K, i, j):
    """Give Score(i, j): how well the query of word i fits the key of word j."""
    return (X[i] @ W_Q) @ (X[j] @ W_K)''',
    right=_score,
    cases=(
        (np.array([[1.0, 2], [0, 3]]), np.eye(2), np.array([[0.0, 1], [4, 0]]), 0, 1),
        (*draw(6, (4, 3), (3, 2), (3, 2)), 2, 0),
        (*draw(7, (3, 4), (4, 3), (4, 3)), 1, 1),
    ),
    holds="One dot product of d_k terms. Next: call it with i and j exchanged, and see "
    "that the score is another one.",
    mistakes={
        "The two words have changed places: word j asks here. "
        "Whose query is meant?": "X[i] @ W_Q) @ (X[j] → X[j] @ W_Q) @ (X[i]",
        "The words are compared as they are, x · x. Each should "
        "first be projected: by which matrices?": (
            "(X[i] @ W_Q) @ (X[j] @ W_K) → X[i] @ X[j]"
        ),
        "Both vectors are queries. By what is word j found?": "X[j] @ W_K → X[j] @ W_Q",
        "Both vectors are keys. With what does word i ask?": "X[i] @ W_Q → X[i] @ W_K",
        "Only the first terms agree, or none: the products are not added up "
        "to one number. Which operation sums them?": (
            "(X[i] @ W_Q) @ (X[j] @ W_K) → ((X[i] @ W_Q) * (X[j] @ W_K))[0]"
        ),
        "The score is divided by √d_k already. That is the "
        "next step, in notebook 05.": (
            "(X[i] @ W_Q) @ (X[j] @ W_K) → "
            "(X[i] @ W_Q) @ (X[j] @ W_K) / np.sqrt(W_K.shape[1])"
        ),
    },
)

all_scores = Exercise(
    solution='''def all_scores(X, W_Q, W_K):
    """Give the scores (n, n) of n words X (n, d_model): a row for each query."""
    return (X @ W_Q) @ (X @ W_K).T''',
    right=_all_scores,
    cases=(
        (np.array([[1.0, 2], [0, 3]]), np.eye(2), np.array([[0.0, 1], [4, 0]])),
        draw(8, (4, 4), (4, 4), (4, 4)),
        draw(9, (3, 4), (4, 2), (4, 2)),
    ),
    holds="n² scores in one product of matrices. Next: set W_K = W_Q, and see that the "
    "table equals its transpose.",
    mistakes={
        "The table is transposed: its rows are keys. In this course, "
        "whose row is it?": "(X @ W_Q) @ (X @ W_K).T → (X @ W_K) @ (X @ W_Q).T",
        "The words are compared as they are. Both "
        "sides should be projected first: "
        "by what?": "(X @ W_Q) @ (X @ W_K).T → X @ X.T",
        "Rows of the queries met columns of the keys, so that words are multiplied "
        "with features. Which of the two must be turned?": ".T → ",
        "The sum runs over the words, so that features meet features: d_k × d_k. Over "
        "what does the dot product of a query and a key run?": (
            "(X @ W_Q) @ (X @ W_K).T → (X @ W_Q).T @ (X @ W_K)"
        ),
        "Keys are made with the matrix of the queries, so the table equals its "
        "transpose. Which matrix is not used?": "X @ W_K → X @ W_Q",
        "Queries are made with the matrix of the keys, so the table equals its "
        "transpose. Which matrix was left out?": "X @ W_Q → X @ W_K",
        "The scores are divided by √d_k already. That is the next step, "
        "in notebook 05.": ".T → .T / np.sqrt(W_K.shape[1])",
        "Each row sums to 1: this is the softmax of the scores. It comes later; what "
        "goes into it?": (
            "(X @ W_Q) @ (X @ W_K).T → reference.softmax((X @ W_Q) @ (X @ W_K).T)"
        ),
    },
)

count_parameters = Exercise(
    solution='''def count_parameters(d_model, d_k, d_v, n_heads):
    """Count the numbers in W_Q, W_K and W_V of all heads together."""
    return n_heads * d_model * (d_k + d_k + d_v)''',
    right=_count,
    cases=((4, 2, 3, 1), (512, 64, 64, 8), (32, 8, 16, 4)),
    holds="512 features in 8 heads of 64 need 786,432 numbers: 3 · 512². Next: the "
    "length of the sentence is nowhere in the sum. Why?",
    mistakes={
        "The values are counted with the size of the "
        "keys. Which of the sizes is theirs?": "d_k + d_k + d_v → 3 * d_k",
        "All three are counted with the size of the values. "
        "Queries meet keys: of which size are they?": "d_k + d_k + d_v → 3 * d_v",
        "One of three matrices is missing. How many make "
        "vectors of the size of a key?": "d_k + d_k + d_v → d_k + d_v",
        "This is one head. Each head has matrices "
        "of its own.": "n_heads * d_model → d_model",
        "This counts the numbers that one word gives, q, k and v. A matrix "
        "has a row for each feature of x.": "n_heads * d_model → n_heads",
    },
)

EXERCISES = (project, score, all_scores, count_parameters)
