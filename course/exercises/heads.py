"""Exercises of notebook 07: leave a head out; split, attend in each, join, project."""

import numpy as np

from transformer_lib.oracles import numpy_reference as reference

from .exercise import Array, Exercise, draw


def _counted(*shape: int) -> Array:
    return np.arange(1.0, np.prod(shape) + 1).reshape(shape)


def _without_head(heads: Array, W_O: Array, gone: int) -> Array:
    kept = heads.copy()
    kept[gone] = 0
    return np.asarray(np.concatenate(kept, axis=1) @ W_O)


without_head = Exercise(
    solution='''def without_head(heads, W_O, gone):
    """Give the output (T, D) of heads (H, T, d_k) without head `gone`, from 0."""
    blocks = np.split(W_O, len(heads))  # d_k rows for each head
    parts = np.matmul(heads, blocks)  # (H, T, D)
    return parts.sum(axis=0) - parts[gone]''',
    right=_without_head,
    cases=(
        (_counted(2, 3, 1), np.array([[1.0, 2], [3, 5]]), 0),
        (*draw(7, (3, 2, 2), (6, 6)), 1),
        (*draw(8, (2, 4, 4), (8, 8)), 1),
    ),
    holds="What is left is the sum of what the other heads write, in all columns. "
    "Next: the same in a trained model, where a word depends on it.",
    mistakes={
        "This is what the one head writes. Asked for is what "
        "all others write.": "parts.sum(axis=0) - parts[gone] → parts[gone]",
        "Nothing was left out: this is the sum of all heads. Which part "
        "should not be in it?": " - parts[gone] → ",
        "Another head was left out. Do the numbers of heads begin with 0 or "
        "with 1 here?": "parts[gone] → parts[gone - 1]",
        "Columns of the output were set to 0. But a head writes into every "
        "column: what has to be 0 before the product?": (
            "parts.sum(axis=0) - parts[gone] → np.where("
            "np.arange(len(W_O)) // heads.shape[2] == gone, 0, parts.sum(axis=0))"
        ),
        "One head is left out, but nothing is mixed yet. Which matrix was not used?": (
            "parts.sum(axis=0) - parts[gone] → np.concatenate("
            "heads * (np.arange(len(heads)) != gone)[:, None, None], axis=1)"
        ),
        "The other heads moved up and met rows of another head. Each keeps the "
        "rows that are its own.": (
            "parts.sum(axis=0) - parts[gone] → np.concatenate("
            "np.delete(heads, gone, axis=0), axis=1) @ W_O[: -heads.shape[2]]"
        ),
    },
)

split_heads = Exercise(
    solution='''def split_heads(x, n_heads):
    """Cut the features of x (T, D) into heads (H, T, d_k); head 0 has the first d_k."""
    T, D = x.shape
    return x.reshape(T, n_heads, D // n_heads).swapaxes(0, 1)''',
    right=lambda x, n_heads: np.stack(np.split(x, n_heads, axis=1)),
    cases=((_counted(3, 4), 2), (_counted(4, 8), 2), (*draw(7, (2, 12)), 3)),
    holds="Every head sees every token, with d_k numbers of each. Next: one product "
    "attends in all heads, since the heads are one more axis.",
    mistakes={
        "The shape is right, but the numbers were taken in the order of memory: a "
        "head has all features of some tokens. Which axes must change places?": (
            "T, n_heads, D // n_heads).swapaxes(0, 1) → n_heads, T, D // n_heads)"
        ),
        "The axes are (T, H, d_k). Which two must change places, "
        "so that each head is a matrix with the tokens as rows?": ".swapaxes(0, 1) → ",
        "The axes are (H, d_k, T). In each "
        "head the tokens should be the rows.": "swapaxes(0, 1) → transpose(1, 2, 0)",
        "Neighbouring features went to different heads. A head is a block of "
        "columns that stand side by side.": (
            "T, n_heads, D // n_heads).swapaxes(0, 1) → "
            "T, D // n_heads, n_heads).transpose(2, 0, 1)"
        ),
        "The tokens are divided among the heads. Every head should see all tokens: "
        "which axis is cut?": (
            "x.reshape(T, n_heads, D // n_heads).swapaxes(0, 1) → "
            "x.reshape(n_heads, T // n_heads, D)"
        ),
    },
)

join_heads = Exercise(
    solution='''def join_heads(x):
    """Set the heads x (H, T, d_k) side by side again: (T, D)."""
    H, T, d_k = x.shape
    return x.swapaxes(0, 1).reshape(T, H * d_k)''',
    right=lambda x: np.concatenate(x, axis=1),
    cases=((_counted(2, 3, 2),), (_counted(2, 4, 4),), draw(7, (3, 2, 4))),
    holds="A split and then a join give back what was there. Next: the matrix that "
    "mixes the heads.",
    mistakes={
        "The shape is right, but the numbers were taken in the order of memory: "
        "a row has several tokens of one head. What comes first?": ".swapaxes(0, 1) → ",
        "The heads stand below each other. They belong side by side: one row "
        "for each token.": ".swapaxes(0, 1).reshape(T, H * d_k) → .reshape(H * T, d_k)",
        "The heads were added up. Each keeps "
        "columns of its own.": ".swapaxes(0, 1).reshape(T, H * d_k) → .sum(axis=0)",
        "The columns take turns between the heads. "
        "All columns of head 0 come first.": "swapaxes(0, 1) → transpose(1, 2, 0)",
    },
)


def _multi_head(x: Array, *given: Array | int) -> Array:
    names = ("W_Q", "W_K", "W_V", "W_O")
    weights = {
        f"{name}.weight": np.transpose(W) for name, W in zip(names, given, strict=False)
    }
    y = reference.multi_head_attention(x[None], x[None], weights, int(given[4]))
    return np.asarray(y[0])


multi_head = Exercise(
    solution='''def multi_head(x, W_Q, W_K, W_V, W_O, n_heads):
    """Give the output (T, D) for x (T, D); the four matrices are (D, D)."""
    def split(y):
        return y.reshape(len(x), n_heads, -1).swapaxes(0, 1)
    Q, K, V = split(x @ W_Q), split(x @ W_K), split(x @ W_V)
    heads = reference.scaled_dot_product_attention(Q, K, V)[0]
    return heads.swapaxes(0, 1).reshape(x.shape) @ W_O''',
    right=_multi_head,
    cases=(
        (*draw(7, (3, 2), *[(2, 2)] * 4), 2),
        (*draw(8, (4, 6), *[(6, 6)] * 4), 3),
        (*draw(9, (2, 8), *[(8, 8)] * 4), 2),
    ),
    holds="These lines are the layer: with the same matrices the library gives the "
    "same. Next: remove one head, and see how far the output moves.",
    mistakes={
        "The scores are divided by √d_model. Over how many features "
        "does the dot product of one head sum?": "(Q, K, V) → (Q / n_heads**0.5, K, V)",
        "The scores are not divided. By the root of which "
        "size does each head divide?": "(Q, K, V) → (Q * Q.shape[2] ** 0.5, K, V)",
        "The heads stand side by side, but "
        "they are not mixed yet. Which of the four matrices was not used?": " @ W_O → ",
        "The heads were added up. They are set side by side, and then "
        "mixed.": "heads.swapaxes(0, 1).reshape(x.shape) @ W_O → heads.sum(axis=0)",
        "The split took the numbers in the order of memory: a head has all features of "
        "some tokens. Which axes must "
        "change places?": "len(x), n_heads, -1).swapaxes(0, 1) → n_heads, len(x), -1)",
        "The join took the numbers in the order of memory: a row has several tokens "
        "of one head. What comes before the reshape?": "heads.swapaxes(0, 1) → heads",
        "This is one head that uses "
        "all features. Where does the number of heads come in?": "n_heads, -1 → 1, -1",
        "x itself was cut into heads, and three of the four matrices were not used. "
        "What is cut?": (
            "split(x @ W_Q), split(x @ W_K), split(x @ W_V) → split(x), split(x), "
            "split(x)"
        ),
        "x itself was cut into heads: each sees its own features of x only. In the "
        "layer a head reads all of them. What comes before the cut?": (
            "split(x @ W_Q), split(x @ W_K), split(x @ W_V) → (split(x) @ np.stack("
            "[np.split(B, n_heads, axis=1)[h] for h, B in enumerate(np.split(W, "
            "n_heads))]) for W in (W_Q, W_K, W_V))"
        ),
        "All heads share one mean of their weights, so they look at the same words. "
        "Each should look with its own.": (
            "(Q, K, V)[0] → (Q, K, V)[1].mean(axis=0) @ V"
        ),
        "The matrices are transposed. Here x stands on their left, and they are "
        "used as they are; `nn.Linear` keeps its weight the other way round.": (
            "def split → W_Q, W_K, W_V, W_O = W_Q.T, W_K.T, W_V.T, W_O.T\n    def split"
        ),
    },
)

EXERCISES = (without_head, split_heads, join_heads, multi_head)
