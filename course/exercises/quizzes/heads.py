"""Questions of notebook 07."""

from ..quiz import Answer, Question

QUESTIONS: tuple[Question, ...] = (
    Question(
        "d_model = 512 and 8 heads. What does head 3 work with?",
        (
            Answer(
                "Every eighth token of the sentence",
                "This divides the tokens. Every head sees every token; "
                "the features are divided.",
            ),
            Answer(
                "Features 129 to 192 of X",
                "It is not X that is divided. Head 3 has columns 129 to 192 of X W^Q, "
                "X W^K and X W^V, and each of their numbers is made of all 512 "
                "features of X.",
            ),
            Answer(
                "All tokens, with 64 numbers of each, made of all features of X",
                "Its three matrices are 512 × 64: all features go in, 64 come out.",
                right=True,
            ),
            Answer(
                "All tokens, with 512 numbers of each",
                "Then eight heads would need eight times the parameters. Each has "
                "d_k = 512 / 8 = 64.",
            ),
        ),
    ),
    Question(
        "x has shape (n, D). Which line gives the heads, (H, n, d_k)?",
        (
            Answer(
                "x.view(n, H, d_k).transpose(0, 1)",
                "First each row is cut into heads, then the heads change places with "
                "the tokens.",
                right=True,
            ),
            Answer(
                "x.view(H, n, d_k)",
                "The shape is right, so nothing complains. But numbers are taken in "
                "the order of memory: the first head gets all features of the first "
                "tokens.",
            ),
            Answer(
                "x.transpose(0, 1).view(H, d_k, n)",
                "In each head the rows would be features. The tokens must be the rows, "
                "so that a query is a row. (And view refuses after transpose.)",
            ),
        ),
    ),
    Question(
        "A layer has one head of 64 features. You give it two heads of 32 in place of "
        "it. What can it do now that it could not do before?",
        (
            Answer(
                "It has twice as many parameters to learn with",
                "The number stays: 4 · 64², without biases. The same numbers are used "
                "in another way.",
            ),
            Answer(
                "It can look at words that are further away",
                "One head can look at every word already. How far is no question of "
                "the number of heads.",
            ),
            Answer(
                "It can give one query two different rows of weights",
                "One row is one average. With two rows it can fetch two things and "
                "keep them apart.",
                right=True,
            ),
            Answer(
                "It can hand over two different values of the same word",
                "More value columns under the same weights are still one average of "
                "longer values. What one head lacks is a second row of weights.",
            ),
        ),
    ),
    Question(
        "Why is there a matrix W^O after the heads are set side by side?",
        (
            Answer(
                "To bring the width back: the joined heads are h times too wide",
                "With d_v = d_model / h they have the right width already: "
                "h · d_v = d_model.",
            ),
            Answer(
                "So that every head can write into every feature of the output",
                "The output is Σ head_i W^O_i: a sum of what the heads write. Without "
                "it, feature 1 could come from head 1 alone.",
                right=True,
            ),
            Answer(
                "To let the heads look at each other's weights",
                "No head sees the weights of another. W^O comes after all of them, and "
                "mixes what they hand over.",
            ),
        ),
    ),
    Question(
        "In a trained model, head 4 gives “tree” nearly all its weight. Without head 4 "
        "the model predicts the same next word. What follows?",
        (
            Answer(
                "Head 4 is useless and can be left out",
                "This was one sentence. In another one, the same head can decide the "
                "next word.",
            ),
            Answer(
                "The weight must be wrong: such a large one must matter",
                "A weight says where a head looks. What it hands over from there may "
                "change nothing that the next word depends on.",
            ),
            Answer(
                "Another head looks at “tree” as well",
                "That is possible, but does not follow. Perhaps this next word does "
                "not depend on “tree” at all.",
            ),
            Answer(
                "In this sentence, the next word does not need it",
                "That is all. For more, ask many sentences, and also keep one head "
                "alone.",
                right=True,
            ),
        ),
    ),
)
