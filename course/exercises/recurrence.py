"""Exercises of notebook 01: read word by word, follow a gradient back, count."""

import numpy as np
import torch

from .exercise import Array, Exercise, draw


def _read_words(x: Array, W_x: Array, W_h: Array) -> Array:
    d = W_x.shape[1]
    n = W_x.shape[0]
    rnn = torch.nn.RNN(n, d, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        rnn.get_parameter("weight_ih_l0").copy_(torch.tensor(W_x.T))
        rnn.get_parameter("weight_hh_l0").copy_(torch.tensor(W_h.T))
        return np.asarray(rnn(torch.tensor(x)[None])[0][0])


read_words = Exercise(
    solution='''def read_words(x, W_x, W_h):
    """Give all states (n, d) of h = tanh(x_t W_x + h W_h), which begins as zeros."""
    h, states = np.zeros(len(W_h)), []
    for x_t in x:
        h = np.tanh(x_t @ W_x + h @ W_h)
        states.append(h)
    return np.stack(states)''',
    right=_read_words,
    cases=(
        draw(1, (3, 2), (2, 2), (2, 2)),
        draw(2, (5, 3), (3, 4), (4, 4)),
        draw(3, (1, 2), (2, 3), (3, 3)),
    ),
    holds="Each state is made of one word and of the state before: there is no way "
    "around the loop. Next: how much of word 1 is left in the last state?",
    mistakes={
        "No state hears of the words before it. What does each step take from the "
        "step before?": "h = np.tanh(x_t @ W_x + h @ W_h) → "
        "h = np.tanh(x_t @ W_x + 0 * h @ W_h)",
        "The states are not bent: they can grow without end. Which function keeps "
        "them between −1 and 1?": "np.tanh(x_t @ W_x + h @ W_h) → x_t @ W_x + h @ W_h",
        "Only the word is bent; the old state is added outside. What does the "
        "function stand around?": "W_x + h @ W_h) → W_x) + h @ W_h",
        "This is the last state alone. Keep one "
        "for each word.": "return np.stack(states) → return h",
        "The two matrices are exchanged. Which one belongs to the word, and which "
        "one to the state?": "x_t @ W_x + h @ W_h → x_t @ W_h + h @ W_x",
        "The words were read from the last to the first. Which one "
        "comes first?": "in x: → in x[::-1]:",
        "The matrix of the state is transposed. Here "
        "vectors stand on the left, so it is used as it is.": "h @ W_h → W_h @ h",
        "Both matrices are transposed: the vectors stand on the right. Where do they "
        "stand in x_t W_x + h W_h?": "x_t @ W_x + h @ W_h → W_x @ x_t + W_h @ h",
        "These numbers lie between 0 and 1, as those of a gate. Between which ones "
        "should they lie?": "np.tanh(x_t @ W_x + h @ W_h) → "
        "1 / (1 + np.exp(-(x_t @ W_x + h @ W_h)))",
    },
)


def _gradient_left(w: float, h: Array) -> Array:
    slopes = [w * (1 - state**2) for state in h.tolist()]
    return np.array([np.prod(slopes[t + 1 :]) for t in range(len(h))])


gradient_left = Exercise(
    solution='''def gradient_left(w, h):
    """Give ∂h_n/∂h_t for t = 1 … n, where h_t = tanh(w h_{t−1} + x_t); h is (n,)."""
    slopes = w * (1 - h**2)
    slopes = np.append(slopes[1:], 1)
    return np.cumprod(slopes[::-1])[::-1]''',
    right=_gradient_left,
    cases=(
        (0.9, np.array([0.5, 0.8, 0.0, 0.6])),
        (-1.5, np.array([0.1, -0.2, 0.4])),
        (0.5, np.array([0.3, 0.7, -0.9, 0.2, 0.4, 0.1])),
    ),
    holds="Steps multiply: with factors below 1, a word that stands far back leaves "
    "next to nothing. Next: a way back that has one step, whatever the distance.",
    mistakes={
        "These are powers of w: the slope of tanh is missing. What is "
        "tanh′, written with the value of tanh?": "w * (1 - h**2) → w + 0 * h",
        "The sign of the weight is lost. A negative one turns the change round at "
        "each step: what do two such steps do?": "w * (1 - h**2) → abs(w) * (1 - h**2)",
        "The slope of tanh is not 1 − h. Look at the power.": "(1 - h**2) → (1 - h)",
        "tanh was taken twice. What does h "
        "hold already?": "(1 - h**2) → (1 - np.tanh(h) ** 2)",
        "These are slopes of single steps. From h_t to h_n there are n − t steps: what "
        "does the chain rule do with "
        "them?": "np.cumprod(slopes[::-1])[::-1] → w * (1 - h**2)",
        "The slope of h_t's own step was taken, and that of the last step left out. "
        "Which states come after h_t?": "np.append(slopes[1:], 1) → "
        "np.append(slopes[:-1], 1)",
        "The weight is missing: these are slopes of tanh alone. What stands before "
        "the old state?": "w * (1 - h**2) → 1 - h**2",
        "Steps that follow each other were added up. What does the chain "
        "rule do with them?": "np.cumprod(slopes[::-1]) → np.cumsum(slopes[::-1])",
        "The products begin at the first word. They should begin at the last state, "
        "which depends on itself in "
        "full.": "np.cumprod(slopes[::-1])[::-1] → np.cumprod(slopes)",
        "One factor too many: the last state does not pass its own slope. From h_t "
        "to h_n, which states are passed?": "slopes = np.append(slopes[1:], 1) → ",
        "The order is turned round: the last state stands first. Entry t should "
        "belong to word t.": "(slopes[::-1])[::-1] → (slopes[::-1])",
    },
)

multiplications = Exercise(
    solution='''def multiplications(n, d):
    """Count those of x_t W_x, h W_h (n words) and of X Xᵀ, A X: an array (2,)."""
    recurrent = n * (d * d + d * d)
    attention = n * n * d + n * n * d
    return np.array([recurrent, attention])''',
    right=lambda n, d: 2 * n * d * np.array([d, n]),
    cases=((3, 2), (2, 5), (10, 10)),
    holds="They are equal at n = d: shorter sentences are cheaper for attention, "
    "longer ones for the loop. Next: what must wait for what?",
    mistakes={
        "Additions were counted too. The question asks for multiplications "
        "alone.": "array([recurrent, attention]) → array([recurrent, attention]) * 2",
        "Where all words are compared, a product is missing. Which two are "
        "named?": "n * n * d + n * n * d → n * n * d",
        "Attention was counted with four matrices more. Only X Xᵀ and A X are "
        "asked for.": "n * n * d + n * n * d → 2 * n * n * d + 4 * n * d * d",
        "The two are exchanged. Which one "
        "has a matrix of n × n?": "[recurrent, attention] → [attention, recurrent]",
        "Only one of the two products was counted on each side. Which others "
        "are named?": "array([recurrent, attention]) → "
        "array([recurrent, attention]) // 2",
        "The loop is counted for one word only. How often does it "
        "run?": "n * (d * d + d * d) → d * d + d * d",
        "A vector times a matrix was counted as d. Each of the d results is a sum "
        "of how many products?": "n * (d * d + d * d) → n * (d + d)",
        "A score was counted as one multiplication. It is a dot product: how long "
        "are the vectors?": "n * n * d + n * n * d → n * n + n * n * d",
        "Each word was compared with itself only. With how many "
        "words is it compared?": "n * n * d + n * n * d → n * d + n * d",
    },
)

EXERCISES = (read_words, gradient_left, multiplications)
