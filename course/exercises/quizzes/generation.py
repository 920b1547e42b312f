"""Questions of notebook 13."""

from ..quiz import Answer, Question

QUESTIONS: tuple[Question, ...] = (
    Question(
        "The temperature goes from 1 towards 0. What becomes of a drawn text?",
        (
            Answer(
                "It becomes the text of greedy search",
                "The likeliest word of each step gets nearly all of the probability, "
                "so it is drawn nearly always.",
                right=True,
            ),
            Answer(
                "It becomes the likeliest of all texts",
                "Each *step* becomes its likeliest word. Beam search has found texts "
                "that are likelier than that.",
            ),
            Answer(
                "Every word becomes equally likely",
                "So it would be with a very high temperature: then all logits come "
                "near to each other.",
            ),
        ),
    ),
    Question(
        "The probabilities of the next word are 0.5, 0.3, 0.15 and 0.05. Which words "
        "are left with top-p = 0.7?",
        (
            Answer(
                "The first",
                "It has 0.5, which does not reach 0.7. The word that reaches it stays.",
            ),
            Answer(
                "The first two",
                "0.5 is not enough, 0.5 + 0.3 is. They then share 1: 0.625 and 0.375.",
                right=True,
            ),
            Answer(
                "The first three",
                "The first two reach 0.7 already, so nobody needs the third.",
            ),
            Answer(
                "None: no word has 0.7",
                "It is the sum of the likeliest words that must reach it.",
            ),
        ),
    ),
    Question(
        "A job follows “Ajish works as an AI” with these probabilities in the data: "
        "Engineer 0.6, Scientist 0.2, two others 0.1 each. 1,000 sentences are "
        "finished by greedy search. How many of them say Scientist?",
        (
            Answer(
                "About 200",
                "So it would be if the jobs were *drawn* at temperature 1.",
            ),
            Answer(
                "None",
                "The best word wins each time, however close the others are.",
                right=True,
            ),
            Answer(
                "Fewer than 200, but some",
                "There is no chance in greedy search: all 1,000 are the same.",
            ),
        ),
    ),
    Question(
        "Beam search with 8 texts finds another sentence than with 4, and a likelier "
        "one. Why can that be?",
        (
            Answer(
                "A wide search takes fewer steps",
                "It takes as many as its texts need. What changes is which texts are "
                "still there.",
            ),
            Answer(
                "It begins with an unlikely word, and only a wide search keeps it long "
                "enough",
                "What is dear at first can be cheap later. It wins if it is not left "
                "behind before.",
                right=True,
            ),
            Answer(
                "Beside other texts, the model gives a text other probabilities",
                "Each text is read alone: its probabilities are the same with 4 texts "
                "and with 8.",
            ),
        ),
    ),
    Question(
        "What does a KV cache keep?",
        (
            Answer(
                "The keys and values of all words so far, of each layer",
                "In a causal model they do not change when a word is added, so they "
                "are computed once.",
                right=True,
            ),
            Answer(
                "The attention weights so far",
                "Old rows of weights are not needed any more: only the newest word "
                "asks.",
            ),
            Answer(
                "The texts that were written before, to give them again",
                "It is about one text while it grows. Another text begins with an "
                "empty cache.",
            ),
            Answer(
                "The queries, keys and values of all words",
                "Nobody asks again for an old word. Its query was used in its own "
                "step.",
            ),
        ),
    ),
)
