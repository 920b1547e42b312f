"""Questions of notebook 01."""

from ..quiz import Answer, Question

QUESTIONS: tuple[Question, ...] = (
    Question(
        "A network has one state number, h_t = tanh(0.8 h_{t−1} + x_t). What is the "
        "gradient of h_20 with respect to h_10?",
        (
            Answer(
                "0.8: the same weight is used at every step",
                "The weight is the same, but it is met ten times, and the chain rule "
                "multiplies.",
            ),
            Answer(
                "8: ten steps of 0.8",
                "This adds the steps up. The chain rule multiplies them.",
            ),
            Answer(
                "At most 0.8¹⁰ = 0.11",
                "Ten factors of 0.8 times a slope of tanh, which is 1 at most.",
                right=True,
            ),
            Answer(
                "Exactly 0.8¹⁰ = 0.11",
                "Only if every slope of tanh is 1, where the state is 0. Else less.",
            ),
        ),
    ),
    Question(
        "The forget gates of an LSTM can begin near ½, or open, near 0.95. What does "
        "this change for training?",
        (
            Answer(
                "How many words the state has room for",
                "It has as many numbers either way. What changes is how much of them a "
                "step leaves.",
            ),
            Answer(
                "How much of the gradient comes from a word that stands far back",
                "All ways together, section 2 measured that a step of the usual LSTM "
                "leaves 0.61 of it: 0.61¹⁶ is 0.0004. Gates that begin open let the "
                "gradient through.",
                right=True,
            ),
            Answer(
                "Whether the layer can keep a word for many steps at all",
                "Both can: training may move the gates. “Can” and “is found by "
                "training” are different, as section 3 shows.",
            ),
        ),
    ),
    Question(
        "A text becomes four times as long, and so does the distance between its first "
        "word and its last. What stays the same in attention?",
        (
            Answer(
                "The number of steps between the two",
                "One weighted average leads from any word to any other.",
                right=True,
            ),
            Answer(
                "The weight that one gives to the other",
                "The weights of a row sum to 1. Untrained, each of n words gets about "
                "1/n: the same at every distance, but less in a longer text.",
            ),
            Answer(
                "The number of multiplications",
                "Attention compares every word with every word: four times as many "
                "words are 16 times as many comparisons.",
            ),
        ),
    ),
    Question(
        "d = 512. Which layer multiplies less on a text of 5000 words, counted as in "
        "the paper's Table 1?",
        (
            Answer(
                "Attention: it needs one step, not 5000",
                "Steps say what must wait, not how much there is to do.",
            ),
            Answer(
                "The recurrent layer",
                "n² d against n d²: attention has n / d = 10 times as much.",
                right=True,
            ),
            Answer(
                "Both the same: both read every word",
                "This holds at n = d = 512 only.",
            ),
        ),
    ),
    Question(
        "A recurrent network was trained on sentences of 10 words. It is given one of "
        "40. What happens?",
        (
            Answer(
                "An error: its input has a fixed length",
                "The loop runs once per word, for as many as there are.",
            ),
            Answer(
                "It reads only the first 10",
                "Nothing in the loop knows the number 10.",
            ),
            Answer(
                "It runs; the state is as large as before, and now stands for 40 words",
                "What is fixed is the size of the memory, not the length of the input.",
                right=True,
            ),
            Answer(
                "It runs, and its state grows to 40 vectors",
                "The state keeps its size. It is attention that keeps a vector for "
                "every word.",
            ),
        ),
    ),
    Question(
        "“Transformers have no vanishing gradient.” What does hold?",
        (
            Answer(
                "It is so: without a loop there is nothing to vanish in",
                "Layers are stacked. 24 blocks without residuals and norms left less "
                "than a millionth.",
            ),
            Answer(
                "Attention takes the way through time away; the way through the layers "
                "stays, and needs residuals and norms",
                "One step between words, but still one step per layer.",
                right=True,
            ),
            Answer(
                "It is wrong: an average makes every gradient small",
                "It shares the gradient: in section 2 each earlier word got about 0.02 "
                "of it. But far words got no less than near ones.",
            ),
        ),
    ),
)
