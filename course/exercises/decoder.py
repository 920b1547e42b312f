"""Exercises of notebook 10: the shift, attention to a source, and the decoder block."""

import numpy as np

from transformer_lib.oracles import numpy_reference as reference

from .exercise import Array, Exercise, draw


def _shift_right(says: Array, start: int) -> Array:
    return np.concatenate([np.full_like(says[:, :1], start), says[:, :-1]], axis=1)


shift_right = Exercise(
    solution='''def shift_right(says, start):
    """Give what the decoder reads (B, T), when it has to say the ids says (B, T)."""
    first = np.full((len(says), 1), start)
    return np.concatenate([first, says[:, :-1]], axis=1)''',
    right=_shift_right,
    cases=(
        (np.array([[5, 7, 6, 2]]), 1),
        (np.array([[4, 4, 9, 2], [8, 3, 5, 2], [6, 7, 7, 2]]), 1),
        (np.array([[3], [9]]), 0),
    ),
    holds="Place t reads what place t − 1 had to say, and the last word is read by "
    "nobody. Next: how many ids does the decoder read, and how many does it say?",
    mistakes={
        "Nothing is shifted: at each place the decoder reads the word that it has to "
        "say there, and needs only to copy it. Which word is known "
        "then?": "[first, says[:, :-1]] → [says]",
        "This is shifted to the left: a place reads the word after the one that it has "
        "to say. Which of them is written "
        "first?": "[first, says[:, :-1]] → [says[:, 1:], first]",
        "The last word went around to the front. With what does a sentence begin, of "
        "which nothing is written?": (
            "first = np.full((len(says), 1), start) → first = says[:, -1:]"
        ),
        "There is one place too many: the last word is read too, and nothing is left "
        "to say after it. How many places "
        "has the answer?": "[first, says[:, :-1]] → [first, says]",
        "There is one place too few: the start is missing, so the first word is said "
        "by nobody. What does the first place "
        "read?": "[first, says[:, :-1]] → [says[:, :-1]]",
        "The start takes the place of the first word, and all the others stay where "
        "they were. Each must "
        "move.": "[first, says[:, :-1]] → [first, says[:, 1:]]",
        "It is shifted by two places. Which word is the newest that a place may "
        "know?": ("[first, says[:, :-1]] → [first, first, says[:, :-2]]"),
        "A 0 stands in front in place of the id of ⟨SOS⟩, which is given. What is the "
        "second argument for?": "(len(says), 1), start → (len(says), 1), 0",
        "Sentences have been shifted, not words: the first sentence is gone. Along "
        "which axis does a sentence run?": (
            "[first, says[:, :-1]], axis=1 → "
            "[np.full((1, says.shape[1]), start), says[:-1]], axis=0"
        ),
    },
)


def _cross_attention(
    x: Array, memory: Array, W_Q: Array, W_K: Array, W_V: Array
) -> Array:
    return reference.scaled_dot_product_attention(x @ W_Q, memory @ W_K, memory @ W_V)[
        0
    ]


cross_attention = Exercise(
    solution='''def cross_attention(x, memory, W_Q, W_K, W_V):
    """Let x (T, D) of the decoder ask the memory (S, D) of the encoder: (T, d_v)."""
    Q, K, V = x @ W_Q, memory @ W_K, memory @ W_V
    scores = Q @ K.T / np.sqrt(K.shape[1])
    return reference.softmax(scores) @ V''',
    right=_cross_attention,
    cases=(
        (
            np.array([[1.0, 0], [0, 2], [1, 1]]),
            np.array([[2.0, 1], [0, 1], [1, -1]]),
            np.array([[1.0, 0], [1, 1]]),
            np.array([[0.0, 1], [2, 0]]),
            np.array([[1.0, 2], [0, -1]]),
        ),
        draw(21, (2, 4), (3, 4), (4, 2), (4, 2), (4, 3)),
        draw(22, (4, 3), (2, 3), (3, 3), (3, 3), (3, 3)),
    ),
    holds="One row for each written word, made of the source alone. Next: exchange two "
    "rows of the memory. What happens to the output?",
    mistakes={
        "The keys come from the decoder: the written words are asked, and not the "
        "source. What does a query look for here?": "memory @ W_K → x @ W_K",
        "The values come from the decoder: the keys find words of the source, and "
        "something else is handed over. To whom does a value "
        "belong?": "memory @ W_V → x @ W_V",
        "Keys and values both come from the decoder: this is self-attention, and the "
        "source is never read. Which two are made of the "
        "memory?": "memory @ W_K, memory @ W_V → x @ W_K, x @ W_V",
        "The memory asks, and the written words answer. Who needs an answer: the text "
        "that is read, or the one that is "
        "written?": (
            "x @ W_Q, memory @ W_K, memory @ W_V → memory @ W_Q, x @ W_K, x @ W_V"
        ),
        "The memory asks itself: this is the encoder's attention, a row for each word "
        "of the source. Who asks in the decoder?": "x @ W_Q → memory @ W_Q",
        "The scores are under a causal mask. The source is there as a whole before the "
        "first word is written. What is there to hide?": (
            "softmax(scores) → "
            "softmax(np.where(np.tri(*scores.shape) > 0, scores, -np.inf))"
        ),
        "The softmax runs over the written words, so each word of the source has one "
        "unit of attention to give. Whose row sums to "
        "1?": "reference.softmax(scores) → reference.softmax(scores.T).T",
        "The scores are not divided, so the weights are too sharp. What grows with "
        "the size of a key?": " / np.sqrt(K.shape[1]) → ",
        "The scores are divided by the size of a key itself. Its root is "
        "enough: how does the spread of a sum grow with its terms?": (
            "np.sqrt(K.shape[1]) → K.shape[1]"
        ),
        "The scores are divided by the root of the model's size. How many products are "
        "summed for one score?": "K.shape[1] → x.shape[1]",
        "There is no softmax: the values are mixed by the raw scores, and some of them "
        "are negative. What makes shares of a row?": (
            "reference.softmax(scores) → scores"
        ),
        "The values are made by the keys' matrix: what finds a word is handed over in "
        "its place. Which matrix is left unused?": "memory @ W_V → memory @ W_K",
        "The memory is averaged as it is, without the matrix of the values. What makes "
        "a value of it?": "memory @ W_V → memory",
        "W_Q and W_K are exchanged. Which matrix belongs to the one who "
        "asks?": "x @ W_Q, memory @ W_K → x @ W_K, memory @ W_Q",
        "The written words' own vectors are added. That is the residual, and it stands "
        "outside of the attention.": "return → return x @ W_V +",
    },
)


def _norm(x: Array) -> Array:
    return reference.layer_norm(x, {"gamma": 1.0})


def _attend(x: Array, memory: Array, mask: Array | None = None) -> Array:
    return reference.scaled_dot_product_attention(x, memory, memory, mask)[0]


def _decoder_block(x: Array, memory: Array, W: Array) -> Array:
    x = _norm(x + _attend(x, x, reference.causal_mask(len(x))))
    x = _norm(x + _attend(x, memory))
    return _norm(x + x @ W)


decoder_block = Exercise(
    solution='''def decoder_block(x, memory, W):
    """Turn x (T, D) into (T, D), given the memory (S, D); post-norm, f(x) = x W."""
    norm, attend = reference.layer_norm, reference.scaled_dot_product_attention
    one = {"gamma": 1}
    x = norm(x + attend(x, x, x, reference.causal_mask(len(x)))[0], one)
    x = norm(x + attend(x, memory, memory)[0], one)
    return norm(x + x @ W, one)''',
    right=_decoder_block,
    cases=(
        (
            np.array([[1.0, 0, 2], [0, 2, 1], [1, 1, 3]]),
            np.array([[2.0, 1, 0], [0, 1, 3], [1, -1, 0]]),
            np.array([[1.0, 0, 1], [0, 2, 0], [0, 1, -1]]),
        ),
        draw(31, (3, 4), (3, 4), (4, 4)),
        draw(32, (2, 4), (4, 4), (4, 4)),
        draw(33, (4, 3), (2, 3), (3, 3)),
    ),
    holds="Its output has the shape of its input, so blocks can be stacked, and each "
    "gets the same memory. Next: change the last row of x. Which rows of the output "
    "move?",
    mistakes={
        "There is no mask: a written word sees those that come after it. In which "
        "sub-layer is there a "
        "future?": ", reference.causal_mask(len(x)) → ",
        "The mask is on the wrong sub-layer: the source is hidden in part, and the "
        "words to come are in sight. Which of the two texts is not complete "
        "yet?": (
            "attend(x, x, x, reference.causal_mask(len(x)))[0], one)\n"
            "    x = norm(x + attend(x, memory, memory)[0], one) → "
            "attend(x, x, x)[0], one)\n    x = norm(x + attend("
            "x, memory, memory, np.tri(len(x), len(memory)) > 0)[0], one)"
        ),
        "Both sub-layers are under a causal mask. The source is complete before the "
        "first word is written: what is hidden "
        "there?": (
            "memory, memory)[0] → memory, memory, np.tri(len(x), len(memory)) > 0)[0]"
        ),
        "The order is exchanged: the source is read first, and what is written "
        "afterwards. With what in hand does a word ask the "
        "source?": (
            "x = norm(x + attend(x, x, x, reference.causal_mask(len(x)))[0], one)\n"
            "    x = norm(x + attend(x, memory, memory)[0], one) → "
            "x = norm(x + attend(x, memory, memory)[0], one)\n"
            "    x = norm(x + attend(x, x, x, reference.causal_mask(len(x)))[0], one)"
        ),
        "The second sub-layer looks at the written words once more, without a mask: "
        "the source is not read, and the future is in sight. What should answer "
        "there?": "attend(x, memory, memory) → attend(x, x, x)",
        "The values of the second sub-layer are the source's, and its keys are the "
        "decoder's own. Which two go "
        "together?": "attend(x, memory, memory) → attend(x, x, memory)",
        "In the second sub-layer the source asks, and the written words answer. Whose "
        "rows are continued after "
        "it?": "attend(x, memory, memory) → attend(memory, x, x)",
        "The second sub-layer has no way around it: what the word was is replaced by "
        "what it found. What is added "
        "first?": "x + attend(x, memory, memory) → attend(x, memory, memory)",
        "The memory is added to what was found in it. What is the residual: what "
        "comes in from below, or from the "
        "side?": "x + attend(x, memory, memory) → memory + attend(x, memory, memory)",
        "The first sub-layer has no way around it, so each word is replaced by an "
        "average. What is added first?": "x + attend(x, x, x → attend(x, x, x",
        "The feed-forward layer has no way around it: what it makes replaces the word. "
        "What is added to it?": "x + x @ W → x @ W",
        "Attention to the source and the feed-forward layer stand side by side and "
        "read the same vectors. Which of them should read what the other has done?": (
            "x = norm(x + attend(x, memory, memory)[0], one)\n"
            "    return norm(x + x @ W, one) → "
            "return norm(x + attend(x, memory, memory)[0] + x @ W, one)"
        ),
        "All three sub-layers read the input, side by side. In this block each reads "
        "what the one before has done.": (
            "x = norm(x + attend(x, x, x, reference.causal_mask(len(x)))[0], one)\n"
            "    x = norm(x + attend(x, memory, memory)[0], one)\n"
            "    return norm(x + x @ W, one) → "
            "y = x + attend(x, x, x, reference.causal_mask(len(x)))[0]\n"
            "    return norm(y + attend(x, memory, memory)[0] + x @ W, one)"
        ),
        "This is pre-norm: each norm stands before its sub-layer. The question says "
        "post-norm: after what does it stand?": (
            "x = norm(x + attend(x, x, x, reference.causal_mask(len(x)))[0], one)\n"
            "    x = norm(x + attend(x, memory, memory)[0], one)\n"
            "    return norm(x + x @ W, one) → "
            "n = norm(x, one)\n"
            "    x = x + attend(n, n, n, reference.causal_mask(len(x)))[0]\n"
            "    x = x + attend(norm(x, one), memory, memory)[0]\n"
            "    return x + norm(x, one) @ W"
        ),
        "The norm after the first sub-layer is missing: a plain sum asks the source. "
        "What follows each of the three sums?": (
            "x = norm(x + attend(x, x, x, reference.causal_mask(len(x)))[0], one) → "
            "x = x + attend(x, x, x, reference.causal_mask(len(x)))[0]"
        ),
        "The second sub-layer is missing, so the source is never read. How many "
        "sub-layers has the block?": (
            "one)\n    x = norm(x + attend(x, memory, memory)[0], one) → one)"
        ),
        "The source is asked with the input of the block: what the first sub-layer "
        "found has no say in it. What asks in the figure?": (
            "x = norm(x + attend(x, x, x, reference.causal_mask(len(x)))[0], one)\n"
            "    x = norm(x + attend(x, memory, memory)[0], one) → "
            "n = norm(x + attend(x, x, x, reference.causal_mask(len(x)))[0], one)\n"
            "    x = norm(n + attend(x, memory, memory)[0], one)"
        ),
        "The second residual goes back to the input of the block. It starts where the "
        "second sub-layer starts.": (
            "x = norm(x + attend(x, x, x, reference.causal_mask(len(x)))[0], one)\n"
            "    x = norm(x + attend(x, memory, memory)[0], one) → "
            "n = norm(x + attend(x, x, x, reference.causal_mask(len(x)))[0], one)\n"
            "    x = norm(x + attend(n, memory, memory)[0], one)"
        ),
        "The feed-forward layer is missing. How many sub-layers has the "
        "block?": "x + x @ W → x",
        "The last norm is missing. What follows each of the three "
        "sums?": "return norm(x + x @ W, one) → return x + x @ W",
        "The norm after the second sub-layer is missing: one sum goes on as it is. "
        "How many norms are there?": (
            "norm(x + attend(x, memory, memory)[0], one) → "
            "x + attend(x, memory, memory)[0]"
        ),
    },
)

EXERCISES = (shift_right, cross_attention, decoder_block)
