"""Questions of notebook 09."""

from ..quiz import Answer, Question

QUESTIONS: tuple[Question, ...] = (
    Question(
        "In which step of an encoder block does “it” get something from “cat”?",
        (
            Answer(
                "In self-attention",
                "It is the only step in which rows meet. All others work on one row "
                "alone.",
                right=True,
            ),
            Answer(
                "In the feed-forward network",
                "Its matrices mix the features of one token. No second token comes "
                "near.",
            ),
            Answer(
                "In Add & Norm",
                "The addition is of two vectors of the same token, and the norm takes "
                "the mean of one token's features.",
            ),
            Answer(
                "In each of them a little",
                "Exchange “cat” for “dog”: without attention not one number of “it” "
                "would move.",
            ),
        ),
    ),
    Question(
        "Six blocks stand on top of each other. Where are the positions added?",
        (
            Answer(
                "Before each block, or deeper blocks would forget the order",
                "The residual carries them up, with the word. They are added once.",
            ),
            Answer(
                "Once, before the first block",
                "Embedding plus position is the input of block 1; each other block "
                "reads what the block below it gave.",
                right=True,
            ),
            Answer(
                "Once, after the last block",
                "Then attention could not use them: no block would know the order.",
            ),
        ),
    ),
    Question(
        "The cosine of “it” at the top to “it” at the bottom is near 0. What follows?",
        (
            Answer(
                "The model no longer knows that the word was “it”",
                "The direction has turned. What a layer behind it can read from the "
                "new one must be tested, as with the model's own output.",
            ),
            Answer(
                "Attention has put another word in its place",
                "Attention and the FFN both turn it. The cosine does not say which.",
            ),
            Answer(
                "Its vector points in another direction, and no more than that",
                "Whether the word can still be read is another question, and needs "
                "another measurement.",
                right=True,
            ),
        ),
    ),
    Question(
        "A trained stack, and one attention is set to 0. The answers stay as good. "
        "What may be said?",
        (
            Answer(
                "That attention has learned nothing",
                "It may have learned what others know too. Two parts can stand in "
                "for each other.",
            ),
            Answer(
                "These answers do not need it as long as the others are there",
                "That is what was measured: this part, this task, all others in place.",
                right=True,
            ),
            Answer(
                "Five blocks would have been enough in the training",
                "That is another experiment: train a stack of five.",
            ),
        ),
    ),
    Question(
        "Which mask does an encoder-only model have, if no sentence is padded?",
        (
            Answer(
                "A causal one: a word sees itself and the words before it",
                "That is a decoder's. Here the words on the right may be read too.",
            ),
            Answer(
                "One that hides each word from itself",
                "What is to be guessed is replaced by ⟨MASK⟩ in the input. The "
                "weights hide nothing.",
            ),
            Answer(
                "None: every word sees every word",
                "So it can read a whole sentence at once. And so it cannot be asked "
                "for the next word.",
                right=True,
            ),
        ),
    ),
    Question(
        "Why can this model not be trained to say the next word at every place?",
        (
            Answer(
                "The next word stands in its input: it would only learn to copy it",
                "It sees to the right. This is the leak of notebook 06, so words are "
                "hidden in the input instead.",
                right=True,
            ),
            Answer(
                "It has no output layer",
                "Any vector can be given one: here the embedding's own matrix is used.",
            ),
            Answer(
                "It gives vectors, and no probabilities",
                "So does every stack of blocks. A matrix and a softmax make "
                "probabilities of them.",
            ),
        ),
    ),
)
