"""Questions of notebook 14."""

from ..quiz import Answer, Question

QUESTIONS: tuple[Question, ...] = (
    Question(
        "A GPT and a BERT are built of the same block. What makes them different?",
        (
            Answer(
                "Who may look at whom, and what is asked in training",
                "The causal mask and the next word, or no mask and hidden words.",
                right=True,
            ),
            Answer(
                "A GPT has a decoder block with cross-attention",
                "There is no second text to look at. Its block is the same as the "
                "BERT's: self-attention and a feed-forward network.",
            ),
            Answer(
                "A BERT has no feed-forward network",
                "Both have one in each block.",
            ),
        ),
    ),
    Question(
        "Why are some of the words that a BERT is asked for left as they are, or "
        "exchanged for others?",
        (
            Answer(
                "To make the sentences longer",
                "The number of words stays. What changes is what stands in some "
                "places.",
            ),
            Answer(
                "Otherwise it would have to say a word only where it reads ⟨MASK⟩",
                "In use there is no ⟨MASK⟩ in a text. It shall have an opinion at "
                "every place, so no word that it reads is safe.",
                right=True,
            ),
            Answer(
                "So that it learns to write wrong words",
                "It is asked for the word that stood there, never for the one that "
                "was put in.",
            ),
        ),
    ),
    Question(
        "A model needs 2 bits for a character of new English, another one 3. What does "
        "that say?",
        (
            Answer(
                "The first makes one third fewer mistakes",
                "Bits count how unsure a model was of the right character, not how "
                "often its best guess was wrong.",
            ),
            Answer(
                "The first gives a right character twice the probability, in the mean "
                "of the logs",
                "Each bit less is a factor of 2: as if it chose among 4 characters and "
                "not among 8.",
                right=True,
            ),
            Answer(
                "The first was trained with more text",
                "It may be, or it is larger, or it reads further back. The number "
                "alone does not tell.",
            ),
        ),
    ),
    Question(
        "The same T5 gets “the old cat loves AI” twice, once behind “translate:” and "
        "once behind “summarise:”. What is another one the second time?",
        (
            Answer(
                "Its weights: each task has its own",
                "There is one set of weights. Only the text that is read differs.",
            ),
            Answer(
                "The word in front of the text, and with it all that attention makes "
                "of the text",
                "The name of the task is a word like others: the encoder mixes it into "
                "the vectors that the decoder looks at.",
                right=True,
            ),
            Answer(
                "The mask of its decoder",
                "It is causal for each task.",
            ),
            Answer(
                "The decoder that is used",
                "There is one decoder. Another one for each task would be another "
                "model.",
            ),
        ),
    ),
    Question(
        "You have many texts, and no labels. Which of the three can be trained on "
        "them?",
        (
            Answer(
                "The GPT alone",
                "Hidden words, too, are answers that the text itself brings.",
            ),
            Answer(
                "None: without labels there is nothing to be wrong about",
                "The text is its own label: the next word, or the word that was "
                "hidden.",
            ),
            Answer(
                "All three: parts of a text can be hidden and asked for",
                "The next word, single words, or whole pieces, as the T5 of 2020 was "
                "asked for them.",
                right=True,
            ),
        ),
    ),
)
