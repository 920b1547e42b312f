"""Questions of notebook 11."""

from ..quiz import Answer, Question

QUESTIONS: tuple[Question, ...] = (
    Question(
        "5 words are read, and 6 tokens have been written, ⟨SOS⟩ among them. What is "
        "the shape of the cross-attention's weights, with 8 heads and a batch of one?",
        (
            Answer(
                "(1, 8, 5, 6)",
                "Rows are queries, and the queries come from what is written: 6 rows.",
            ),
            Answer(
                "(1, 8, 6, 5)",
                "6 written tokens ask, 5 words that are read answer.",
                right=True,
            ),
            Answer(
                "(1, 8, 6, 6)",
                "This is the shape in the decoder's self-attention, where the written "
                "tokens look at each other.",
            ),
            Answer(
                "(1, 6, 5, 8)",
                "Heads stand before the words: each of them has a matrix of its own.",
            ),
        ),
    ),
    Question(
        "The decoder has read T tokens, and the logits are (T, V). Which of them say "
        "what comes after the last token?",
        (
            Answer(
                "The last row",
                "Row t is about the token after token t. In training all rows are "
                "used, and here only the last.",
                right=True,
            ),
            Answer(
                "The first row",
                "It says what comes after ⟨SOS⟩, and knows of no other token.",
            ),
            Answer(
                "The sum of all rows",
                "Each row is about another place. The last one already has what it "
                "needs of the others, by attention.",
            ),
            Answer(
                "The last column",
                "A column is one word of the vocabulary, at all places.",
            ),
        ),
    ),
    Question(
        "All logits of a row become larger by 10. What becomes of the probabilities?",
        (
            Answer(
                "They stay",
                "e¹⁰ stands in every power and in their sum, and is cancelled.",
                right=True,
            ),
            Answer(
                "The largest gets nearly all",
                "So it would be if they were *multiplied* by 10: then their "
                "differences grow.",
            ),
            Answer(
                "They all become more equal",
                "Only the differences of logits count, and these stay.",
            ),
        ),
    ),
    Question(
        "At the last token, a head gives 0.95 of its weight to “works”. What follows?",
        (
            Answer(
                "The answer hangs on the word “works”",
                "The word may be the same in all sentences. What the encoder has put "
                "into its vector can be of other words.",
            ),
            Answer(
                "Without this head the answer would be another one",
                "That depends on what it hands over, on the other heads and on the "
                "residual. It must be tried.",
            ),
            Answer(
                "This head's output is nearly the value that stands at “works”",
                "The weights say from which place the values come. What they hold, and "
                "whether it is needed, they do not say.",
                right=True,
            ),
            Answer(
                "“works” and the last token have similar embeddings",
                "The weight compares a query and a key. Both are projections, of "
                "vectors that blocks have changed.",
            ),
        ),
    ),
    Question(
        "Which part of the base model has the most of its 63 million parameters?",
        (
            Answer(
                "The embedding",
                "37,000 · 512 = 18.9 million: less than a third.",
            ),
            Answer(
                "The 18 attentions",
                "18 · 1.05 = 18.9 million: less than a third.",
            ),
            Answer(
                "The 12 feed-forward layers",
                "12 · 2.1 = 25.2 million: two fifths, and the largest part.",
                right=True,
            ),
            Answer(
                "The norms",
                "30 norms have 1,024 each: 31 thousand in all.",
            ),
        ),
    ),
)
