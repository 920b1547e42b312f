"""Questions of notebook 05."""

from ..quiz import Answer, Question

QUESTIONS = (
    Question(
        "In the matrix of attention weights, what always sums to 1?",
        (
            Answer(
                "each column",
                "A column is what a token receives from all queries together. A token "
                "may receive much or nearly nothing: no rule fixes the sum.",
            ),
            Answer(
                "each row",
                "A row belongs to one query, which shares out its attention. Softmax "
                "runs along the row.",
                right=True,
            ),
            Answer(
                "each row and each column",
                "This would need a matrix that is balanced in both directions. Softmax "
                "along the rows fixes the rows, and leaves the columns free.",
            ),
            Answer(
                "the whole matrix",
                "This is softmax over all n² scores at once. But each query has a 1 of "
                "its own to share out, so the whole sums to n.",
            ),
        ),
    ),
    Question(
        "One row of scaled scores is 2, 0, 0. You add 5 to all three. The weights …",
        (
            Answer(
                "become sharper: the largest one grows",
                "This is what multiplying does: it makes the differences larger. "
                "Adding leaves every difference as it was.",
            ),
            Answer(
                "become more even",
                "This compares shares, 7 of 17 against 2 of 2. But softmax does not "
                "divide the scores by their sum; it first takes e to their power.",
            ),
            Answer(
                "stay as they are",
                "Every e to a power becomes e⁵ times as large, and so does their sum. "
                "Softmax sees differences only.",
                right=True,
            ),
        ),
    ),
    Question(
        "In one row, “cat” has the scaled score 3 and “mat” the scaled score 1. There "
        "are nine other words. How many times as large as the weight of “mat” is the "
        "weight of “cat”?",
        (
            Answer(
                "3 times",
                "This takes scores for shares. Scores are turned into weights by e to "
                "their power, so a difference counts, not a quotient.",
            ),
            Answer(
                "e² ≈ 7.4 times",
                "The ratio is e³ / e¹ = e². The sum below the fraction line is the "
                "same for both words.",
                right=True,
            ),
            Answer(
                "one cannot know without the other scores",
                "Each of the two weights does depend on the other words. Their ratio "
                "does not: the sum cancels.",
            ),
            Answer(
                "2 times",
                "2 is the difference of the scores. It becomes the exponent: e².",
            ),
        ),
    ),
    Question(
        "Queries and keys have independent features of mean 0 and variance 1. Why "
        "are their scores divided by √d_k?",
        (
            Answer(
                "So that the weights of a row sum to 1.",
                "Softmax alone does this, whatever its input is.",
            ),
            Answer(
                "To take the mean of the d_k products.",
                "A mean would divide by d_k. Then σ = 1/√d_k: for a large d_k all "
                "scores are nearly equal, and so are all weights.",
            ),
            Answer(
                "To make up for the length of the sentence: more words, larger scores.",
                "d_k is the number of features of a query, not the number of words. A "
                "longer sentence has more scores, but no larger ones.",
            ),
            Answer(
                "To keep the spread of the scores the same for every d_k.",
                "A score is a sum of d_k products and its variance is d_k: σ = √d_k "
                "before the division, 1 after it.",
                right=True,
            ),
        ),
    ),
    Question(
        "The values are (1, 2), (3, 4) and (5, 6). Which output is impossible, "
        "whatever the weights are?",
        (
            Answer(
                "(1.1, 2.1)",
                "It lies close to (1, 2), but between the values: nearly all weight on "
                "the first.",
            ),
            Answer(
                "(3, 4)",
                "It is the plain mean of the three: the output of three equal weights.",
            ),
            Answer(
                "(4.9, 5.9)",
                "It lies close to (5, 6): nearly all weight on the third value.",
            ),
            Answer(
                "(9, 12)",
                "It is the sum of the values. An average cannot be larger than the "
                "largest value: the weights sum to 1.",
                right=True,
            ),
        ),
    ),
    Question(
        "100 words whose keys are zeros come between “cat” and “it”. What happens, for "
        "the query of “it”, to the score of “cat” and to its weight?",
        (
            Answer(
                "Both fall.",
                "This is the idea of a memory that fades with every step, as in a "
                "recurrent network. A score is made of two vectors; no distance is in "
                "it.",
            ),
            Answer(
                "The score stays, and the weight falls.",
                "The score depends on two vectors alone. But every new word adds "
                "e⁰ = 1 to the sum below the fraction line.",
                right=True,
            ),
            Answer(
                "Both stay.",
                "Right for the score. But a key of zeros has the score 0, not the "
                "weight 0: e⁰ = 1, so each new word takes a share.",
            ),
            Answer(
                "The score falls, and the weight stays.",
                "It is the other way round: the score does not know the other words, "
                "and the weight does.",
            ),
        ),
    ),
)
