"""Questions of notebook 15."""

from ..quiz import Answer, Question

QUESTIONS: tuple[Question, ...] = (
    Question(
        "A ViT cuts a picture of 28 × 28 pixels into patches of 7 × 7. How many rows "
        "does its encoder read?",
        (
            Answer(
                "17",
                "16 patches, four in a row and four such rows, and the class row.",
                right=True,
            ),
            Answer(
                "16",
                "So many are the patches. In front of them stands one row more, which "
                "is asked in the end.",
            ),
            Answer(
                "784",
                "So many are the pixels. Those of a patch are projected together, to "
                "one vector.",
            ),
            Answer(
                "49",
                "So many pixels are in a patch. They are the numbers of one row, "
                "before W projects them.",
            ),
        ),
    ),
    Question(
        "Which mask does the ViT need?",
        (
            Answer(
                "None: every patch may look at every other",
                "All of the picture is there from the beginning, and all pictures are "
                "equally large.",
                right=True,
            ),
            Answer(
                "The causal mask: a patch may look at those before it",
                "That would be needed if the patches were to be *drawn* one after "
                "another, as DALL-E does.",
            ),
            Answer(
                "A padding mask, for patches without ink",
                "Paper tells something too: a ring is a ring by what is not in it. "
                "Padding is needed where texts of different lengths share a batch.",
            ),
        ),
    ),
    Question(
        "All 16 patches of a digit are given to a trained ViT in another order, each "
        "with the position vector of its old place. What becomes of the answer?",
        (
            Answer(
                "It stays the same",
                "Attention does not see the order of its rows. What tells where a "
                "patch was is its position vector, and that came along.",
                right=True,
            ),
            Answer(
                "It is wrong: the picture is destroyed",
                "So it would be if each patch got the position vector of its *new* "
                "place.",
            ),
            Answer(
                "It stays the same, because the ViT does not look at positions",
                "It does: with no position vectors it would read a bag of patches.",
            ),
        ),
    ),
    Question(
        "A reader of digits does well on new writers, and badly once they are pushed "
        "by one pixel. What helped in this notebook, with attention and without it?",
        (
            Answer(
                "Pictures that are pushed and turned a little while it learns",
                "The MLP, which has no attention, gained by it as the ViT did.",
                right=True,
            ),
            Answer(
                "Attention: it finds the strokes wherever they are",
                "A ViT that learned without pushed pictures loses much too. Its "
                "position vectors belong to places, and a pixel's place in its patch "
                "to a column of W.",
            ),
            Answer(
                "More steps of training",
                "All networks took equally many steps. What differs is the pictures.",
            ),
        ),
    ),
    Question(
        "A CLIP nearly always prefers “a red square left of a blue cross” to “a green "
        "square left of a blue cross”; but “a blue square left of a red cross” wins as "
        "often as the true one. What does it know of the picture?",
        (
            Answer(
                "Which words fit it, and not which of them belong together",
                "The third caption has the same words as the first. A bag of words "
                "cannot tell them apart.",
                right=True,
            ),
            Answer(
                "Its colours, and not its shapes",
                "These three captions alone would allow that. But then it would find "
                "the right one of 64 captions in about 38 of 100 cases; it finds "
                "more than half of them.",
            ),
            Answer(
                "Nothing: it guesses",
                "A guesser would not prefer the first to the second.",
            ),
        ),
    ),
    Question(
        "DALL-E has no cross-attention. How does a cell of the picture know the "
        "caption?",
        (
            Answer(
                "The caption stands in front of it, in the same text",
                "The causal mask lets every cell look at all that stands before it: "
                "the words and the cells.",
                right=True,
            ),
            Answer(
                "An encoder reads the caption and hands it over",
                "That is an encoder-decoder, as T5. DALL-E has one stack.",
            ),
            Answer(
                "The loss compares the finished picture with the caption",
                "The loss knows cells alone: the right next one, each time. Nobody "
                "compares a picture with a caption; that is CLIP's question.",
            ),
        ),
    ),
)
