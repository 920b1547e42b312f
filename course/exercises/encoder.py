"""Exercises of notebook 09: follow a token, write the block, stack it, fill a gap."""

import numpy as np

from transformer_lib.oracles import numpy_reference as reference

from .exercise import Array, Exercise, draw


def _still_itself(layers: Array) -> Array:
    found = np.zeros(layers.shape[:2])
    for k, t in np.ndindex(found.shape):
        a, b = layers[k, t], layers[0, t]
        found[k, t] = a @ b / np.sqrt(a @ a * (b @ b))
    return found


still_itself = Exercise(
    solution='''def still_itself(layers):
    """Give the cosine (N + 1, T) of each of layers (N + 1, T, D) to its layers[0]."""
    units = layers / np.linalg.norm(layers, axis=2, keepdims=True)
    return (units * units[0]).sum(axis=2)''',
    right=_still_itself,
    cases=(
        (np.array([[[3.0, 4], [0, 1]], [[6, 8], [1, 1]], [[-4, 3], [2, 1]]]),),
        draw(1, (4, 3, 5)),
        draw(2, (2, 5, 3)),
    ),
    holds="At the bottom every cosine is 1, and the length of a vector never counts. "
    "Next: the same for every word of a trained model.",
    mistakes={
        "This is the plain product: a vector that is twice as long gets twice as much. "
        "By what is a cosine divided?": (
            "layers / np.linalg.norm(layers, axis=2, keepdims=True) → layers"
        ),
        "Each vector is divided by the square of its length. Which number makes "
        "a vector of length 1?": (
            "np.linalg.norm(layers, axis=2, keepdims=True) → "
            "(layers**2).sum(axis=2, keepdims=True)"
        ),
        "The lengths run over the tokens. A length belongs to one token: over "
        "what is it taken?": "axis=2, keepdims → axis=1, keepdims",
        "Each token is compared with itself one step lower. The question asks for how "
        "much is left of the input.": (
            "units[0]) → np.concatenate([units[:1], units[:-1]]))"
        ),
        "Each token is compared with itself at the top. Where does its way begin?": (
            "units[0] → units[-1]"
        ),
        "Each token is compared with the sentence's first token of the same height. "
        "Which of the three axes counts the heights?": "units[0] → units[:, :1]",
        "The products are averaged over the features, so even two equal vectors get "
        "less than 1. A product of two vectors is a sum.": (
            ".sum(axis=2) → .mean(axis=2)"
        ),
        "This is a distance: 0 where nothing has changed. A cosine is 1 there.": (
            "(units * units[0]).sum(axis=2) → np.linalg.norm(units - units[0], axis=2)"
        ),
        "This is what was lost. Asked for is what is left: 1 where nothing has "
        "changed.": "return → return 1 -",
        "The sign is lost: a vector that has turned around looks as near as one that "
        "stayed. Which cosines lie below 0?": (
            "(units * units[0]).sum(axis=2) → np.abs((units * units[0]).sum(axis=2))"
        ),
        "All tokens of a layer are averaged into one number. Each token goes its own "
        "way.": ".sum(axis=2) → .sum(axis=2).mean(axis=1, keepdims=True)",
    },
)


def _ffn(x: Array, W_1: Array, W_2: Array) -> Array:
    zero_1, zero_2 = np.zeros(W_1.shape[1]), np.zeros(W_2.shape[1])
    parts = {"W_1.weight": W_1.T, "W_1.bias": zero_1}
    parts |= {"W_2.weight": W_2.T, "W_2.bias": zero_2}
    return reference.feed_forward(x, parts)


def _norm(x: Array) -> Array:
    return reference.layer_norm(x, {"gamma": 1.0})


def _encoder_block(x: Array, A: Array, W: Array, W_1: Array, W_2: Array) -> Array:
    x = _norm(x + np.einsum("ts,sd,de->te", A, x, W))
    return _norm(x + _ffn(x, W_1, W_2))


encoder_block = Exercise(
    solution='''def encoder_block(x, A, W, W_1, W_2):
    """One block (post-norm): attention is A x W, the FFN is max(x W_1, 0) W_2."""
    one = {"gamma": 1}
    n = reference.layer_norm(x + A @ x @ W, one)
    o = np.maximum(n @ W_1, 0) @ W_2
    return reference.layer_norm(n + o, one)''',
    right=_encoder_block,
    cases=(
        (
            np.array([[1.0, 2, 6], [0, 4, 2]]),
            np.array([[0.75, 0.25], [0.5, 0.5]]),
            np.array([[0.0, 1, 0], [0, 0, 2], [3, 0, 0]]),
            np.array([[1.0, 0, -1], [0, 2, 0], [1, 0, 1]]),
            np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, -2]]),
        ),
        draw(21, (4, 5), (4, 4), (5, 5), (5, 8), (8, 5)),
        draw(22, (3, 4), (3, 3), (4, 4), (4, 4), (4, 4)),
    ),
    holds="Attention, Add & Norm, FFN, Add & Norm: the shape that goes in comes out, "
    "so blocks can be stacked. Next: which of your lines lets one word see another?",
    mistakes={
        "The first residual is missing: what attention found replaces the word. What "
        "is added to it?": "x + A @ x @ W → A @ x @ W",
        "The second residual is missing: what the FFN found replaces the vector. What "
        "is added to it?": "n + o → o",
        "The second residual goes back to the input of the block. It starts where the "
        "FFN starts.": "n + o → x + o",
        "The FFN reads the input of the block, so what attention found never reaches "
        "it. What does it read in the figure?": "n @ W_1 → x @ W_1",
        "The first norm is missing. How many are there in a block?": (
            "n = reference.layer_norm(x + A @ x @ W, one) → n = x + A @ x @ W"
        ),
        "The second norm is missing. How many are there in a "
        "block?": "return reference.layer_norm(n + o, one) → return n + o",
        "This is pre-norm: each norm stands before its sub-layer. In the 2017 paper "
        "it comes after the addition.": (
            "n = reference.layer_norm(x + A @ x @ W, one)\n"
            "    o = np.maximum(n @ W_1, 0) @ W_2\n"
            "    return reference.layer_norm(n + o, one) → "
            "n = x + A @ reference.layer_norm(x, one) @ W\n"
            "    o = np.maximum(reference.layer_norm(n, one) @ W_1, 0) @ W_2\n"
            "    return n + o"
        ),
        "Only what attention found is normalised, and the residual is added after it. "
        "What goes into the first norm?": (
            "reference.layer_norm(x + A @ x @ W, one) → "
            "x + reference.layer_norm(A @ x @ W, one)"
        ),
        "Both sub-layers read the same input, side by side. In this block the second "
        "reads what the first has done.": (
            "o = np.maximum(n @ W_1, 0) @ W_2\n"
            "    return reference.layer_norm(n + o, one) → "
            "o = np.maximum(x @ W_1, 0) @ W_2\n"
            "    return reference.layer_norm(x + A @ x @ W + o, one)"
        ),
        "The FFN comes first here, and attention second. In which order do they "
        "stand?": (
            "n = reference.layer_norm(x + A @ x @ W, one)\n"
            "    o = np.maximum(n @ W_1, 0) @ W_2 → "
            "n = reference.layer_norm(x + np.maximum(x @ W_1, 0) @ W_2, one)\n"
            "    o = A @ n @ W"
        ),
        "The FFN has lost its bend: two matrices with nothing between them are one. "
        "What happens to negative sums?": "np.maximum(n @ W_1, 0) → n @ W_1",
        "The ReLU stands after the second matrix in place of the first. Which sums say "
        "whether a hidden unit fires?": (
            "np.maximum(n @ W_1, 0) @ W_2 → np.maximum(n @ W_1 @ W_2, 0)"
        ),
        "The norms run over the words, so they mix them. A norm is a matter of one "
        "word: over what is its mean taken?": (
            "reference.layer_norm( → (lambda v, g: reference.layer_norm(v.T, g).T)("
        ),
        "The weights are transposed: each key's column was taken for a query's row. "
        "Which sum to 1?": "A @ x → A.T @ x",
        "No word looks at another here: the weights were not used. Which product "
        "mixes the rows of x?": "A @ x @ W → x @ W",
        "W is missing: attention averages the words as they are. What makes a value of "
        "a word?": "A @ x @ W → A @ x",
        "The FFN is missing: this is the block's first half. What "
        "comes after the first norm?": (
            "return reference.layer_norm(n + o, one) → return n"
        ),
    },
)


def _encoder_only(ids: Array, E: Array, P: Array, W: Array) -> Array:
    rows = [E[i] * E.shape[1] ** 0.5 + P[t] for t, i in enumerate(ids)]
    x = np.stack(rows)
    for k in range(len(W)):
        x = _norm(x + x @ W[k])
    return x


encoder_only = Exercise(
    solution='''def encoder_only(ids, E, P, W):
    """Embed ids (T,) by √D E, add places P, then x ← norm(x + x W[k]) for each k."""
    x = np.sqrt(E.shape[1]) * E[ids] + P[: len(ids)]
    for W_k in W:
        x = reference.layer_norm(x + x @ W_k, {"gamma": 1})
    return x''',
    right=_encoder_only,
    cases=(
        (
            np.array([2, 0]),
            np.array([[1.0, 0], [0, 1], [2, 1]]),
            np.array([[0.0, 1], [1, 0], [0.5, 0.5], [1, 1]]),
            np.array([[[0.0, 2], [1, 0]], [[1, 0], [3, 0]]]),
        ),
        (np.array([3, 1, 1, 0]), *draw(31, (4, 5), (6, 5), (3, 5, 5))),
        (np.array([1, 2, 0]), *draw(32, (3, 4), (5, 4), (4, 4, 4))),
    ),
    holds="This is the whole encoder-only model but for what stands inside of a block. "
    "Next: give two equal ids. What tells them apart in your result?",
    mistakes={
        "Words and places have the same factor, so the places count for too much. "
        "Which of the two is made larger?": "np.sqrt(E.shape[1]) * → ",
        "The rows are scaled by D. The factor is its root.": (
            "np.sqrt(E.shape[1]) → E.shape[1]"
        ),
        "The rows are divided by √D, so the places count for nearly all. Which of the "
        "two should be the larger?": (
            "np.sqrt(E.shape[1]) * E[ids] → E[ids] / np.sqrt(E.shape[1])"
        ),
        "No places are added, so two equal words stay equal for ever. What tells the "
        "first from the second?": " + P[: len(ids)] → ",
        "Each word gets the place with the number of its id. The first word stands at "
        "place 0, whatever its id.": "P[: len(ids)] → P[ids]",
        "The places count from 1, one more than they should. Which row belongs to the "
        "first word?": "P[: len(ids)] → P[1 : len(ids) + 1]",
        "The places are added before every block again. They are "
        "given to the words once, at the bottom.": (
            "x = reference.layer_norm(x + x @ W_k → "
            "x = x + P[: len(ids)] * (W_k is not W[0])\n"
            "        x = reference.layer_norm(x + x @ W_k"
        ),
        "The first block is used again and again. Each block has weights of its own.": (
            "x @ W_k → x @ W[0]"
        ),
        "One block is missing at the top. How many are there?": "in W: → in W[:-1]:",
        "The blocks stand upside down. Which of them reads the embedding?": (
            "in W: → in W[::-1]:"
        ),
        "Only the last block had a say: each read the embedding. What should a block "
        "read that stands on another?": "in W: → in W[-1:]:",
        "There is only one norm, at the top. In the question each block ends with "
        "one.": (
            'x = reference.layer_norm(x + x @ W_k, {"gamma": 1})\n    return x → '
            'x = x + x @ W_k\n    return reference.layer_norm(x, {"gamma": 1})'
        ),
        "The norm runs over the words, so each depends on all the others. Which "
        "numbers of one word have mean 0 after it?": (
            'reference.layer_norm(x + x @ W_k, {"gamma": 1}) → '
            'reference.layer_norm((x + x @ W_k).T, {"gamma": 1}).T'
        ),
        "The blocks have no residual. What is added to what a block finds?": (
            "x + x @ W_k → x @ W_k"
        ),
    },
)

fill_in = Exercise(
    solution='''def fill_in(h, E, place):
    """Give the probabilities (V,) of the words at one place of the top h (T, D)."""
    logits = h @ E.T  # (T, V)
    return reference.softmax(logits[place])''',
    right=lambda h, E, place: reference.softmax([row @ h[place] for row in E]),
    cases=(
        (
            np.array([[1.0, 0], [0, 2], [1, 1]]),
            np.array([[1.0, 0], [0, 1], [1, -1]]),
            1,
        ),
        (*draw(41, (4, 3), (5, 3)), 2),
        (*draw(42, (3, 4), (6, 4)), 1),
    ),
    holds="The gap itself is asked: its vector has gathered what the others know. "
    "Next: which place is asked in a model that writes the next word?",
    mistakes={
        "The place before the gap is asked, as where the next word is to be said. "
        "Which vector stands for the gap here?": "logits[place] → logits[place - 1]",
        "The last place is asked, wherever the gap is. Which row belongs to the "
        "gap?": "logits[place] → logits[-1]",
        "All places are averaged before they are asked. The gap has a vector of its "
        "own.": "logits[place] → logits.mean(axis=0)",
        "Every place is asked. The question is about one.": "logits[place] → logits",
        "These are scores: they do not sum to 1. What makes probabilities of "
        "them?": "reference.softmax(logits[place]) → logits[place]",
        "The places compete with each other, for each word. Who should compete for the "
        "gap?": (
            "reference.softmax(logits[place]) → reference.softmax(logits.T)[:, place]"
        ),
        "This is the number of the best word. Asked for is how likely each of them "
        "is.": "reference.softmax(logits[place]) → logits[place].argmax()",
        "The scores are divided by √D, as in attention. Before these probabilities "
        "nothing is divided.": "h @ E.T → h @ E.T / np.sqrt(h.shape[1])",
        "The rows of E were brought to length 1 first. They count as they are.": (
            "h @ E.T → h @ (E / np.linalg.norm(E, axis=1, keepdims=True)).T"
        ),
    },
)

EXERCISES = (still_itself, encoder_block, encoder_only, fill_in)
