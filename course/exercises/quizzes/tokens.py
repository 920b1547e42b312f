"""Questions of notebook 02."""

from ..quiz import Answer, Question

QUESTIONS: tuple[Question, ...] = (
    Question(
        "“AI” has the id 4 and “Engineer” the id 5. What does this say about the two "
        "words?",
        (
            Answer(
                "They are related, since their ids are neighbours",
                "The ids follow the order of the list. In another order the same "
                "words have other ids.",
            ),
            Answer(
                "“Engineer” is rarer than “AI”",
                "Many tokenizers do number by frequency, but no model can rely on it: "
                "an id is a row number and nothing else.",
            ),
            Answer(
                "Only which row of the matrix belongs to each",
                "An id is a name. What a word is like stands in its row.",
                right=True,
            ),
        ),
    ),
    Question(
        "What do one-hot rows repair, and what do they not repair?",
        (
            Answer(
                "No false order any more; but every two words are equally far apart",
                "Each word has a weight of its own. Nothing learned about one word "
                "helps with another.",
                right=True,
            ),
            Answer(
                "Related words are near now; but the rows are long",
                "The dot product of every two different one-hot rows is 0: “AI” is as "
                "far from “Engineer” as from “the”.",
            ),
            Answer(
                "They need less memory; but they cannot be multiplied",
                "It is the other way round: a row has as many numbers as there are "
                "words, and multiplying it by a matrix is how it is used.",
            ),
        ),
    ),
    Question(
        "E has 50,000 rows of 512 numbers; a sentence has 10 tokens. How does a "
        "program get X = O E?",
        (
            Answer(
                "It multiplies 10 × 50,000 by 50,000 × 512",
                "This gives the right X with 256 million multiplications, nearly all "
                "of them by 0.",
            ),
            Answer(
                "It reads 10 rows of E, by their ids",
                "A one-hot row picks one row. The product is the mathematics; the "
                "look-up is how it is done.",
                right=True,
            ),
            Answer(
                "It reads 10 columns of E, by their ids",
                "A column holds one feature of all words. A word's vector is a row.",
            ),
            Answer(
                "It computes 10 rows from the letters of the words",
                "The letters were last used when the ids were found. Two words that "
                "differ in one letter have unrelated rows.",
            ),
        ),
    ),
    Question(
        "A model learns from each word to say its neighbours. Its logits have a matrix "
        "of their own. Which two words come near each other?",
        (
            Answer(
                "“New” and “York”, which always stand side by side",
                "They have different neighbours: before “York” stands “New”, before "
                "“New” something else. Side by side is not the same place.",
            ),
            Answer(
                "“cat” and “cats”, which nearly look alike",
                "The model sees ids. It knows nothing of letters.",
            ),
            Answer(
                "“hot” and “cold”, which stand between the same words",
                "The same neighbours are best predicted from the same row, also for "
                "opposites. Near does not mean: the same meaning.",
                right=True,
            ),
            Answer(
                "“the” and “of”, which are both frequent",
                "How often a word comes is not what is predicted. Their neighbours "
                "differ.",
            ),
        ),
    ),
    Question(
        "d_model = 512. What does the factor √d_model do for E[id] + PE, before any "
        "training?",
        (
            Answer(
                "Nothing: the sum has the right shape without it",
                "It has. But without the factor the row of a place is 16 times as long "
                "as that of a word: the word would hardly count beside it.",
            ),
            Answer(
                "It brings the rows of words and of places to similar lengths",
                "A place has √(512 / 2) = 16. A word has about 1 without the factor, "
                "and 22.6 with it.",
                right=True,
            ),
            Answer(
                "It keeps the numbers of the sum small enough for a softmax",
                "It makes them larger. And no softmax comes here: the sum goes into "
                "the first block.",
            ),
        ),
    ),
)
