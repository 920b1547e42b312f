"""Questions of notebook 04."""

from ..quiz import Answer, Question

QUESTIONS = (
    Question(
        "“it” should take something from “cat”. Which two vectors make the score that "
        "decides this?",
        (
            Answer(
                "the query of “cat” and the key of “it”",
                "This is the score in the other direction: how much “cat” looks at "
                "“it”. The one who looks brings the query.",
            ),
            Answer(
                "the query of “it” and the key of “cat”",
                "“it” looks, so it asks with its query; “cat” is found by its key.",
                right=True,
            ),
            Answer(
                "the query of “it” and the value of “cat”",
                "The value is what is handed over once the word is found. It has no "
                "part in the finding; its size may even be another one.",
            ),
            Answer(
                "the vectors x of the two words",
                "This is x · x: it is large for words that are alike. “it” and “cat” "
                "need not be alike, and nothing is more like a word than itself.",
            ),
        ),
    ),
    Question(
        "Ten random vectors x with 32 features each are compared by x · x. With whom "
        "does a vector have its largest score?",
        (
            Answer(
                "nearly always with itself",
                "x · x is its squared length, a sum of 32 squares. With another random "
                "vector, terms of both signs cancel. (With 1 feature, only one in five "
                "finds itself.)",
                right=True,
            ),
            Answer(
                "with each of the ten equally often",
                "This is what a guess gets, 1/10. x · xM with a random matrix M comes "
                "to it; x · x does not.",
            ),
            Answer(
                "with the one that stands next to it",
                "No place is in a dot product. Order enters x only by the positional "
                "encoding.",
            ),
        ),
    ),
    Question(
        "X has 5 rows and 512 columns, W_Q and W_K are 512 × 64, W_V is 512 × 32. "
        "Which shape has the table of scores?",
        (
            Answer(
                "64 × 64",
                "This is QᵀK: it multiplies over the words. A score multiplies over "
                "the features of one query and one key.",
            ),
            Answer(
                "5 × 64",
                "This is the shape of Q alone, before it meets the keys.",
            ),
            Answer(
                "5 × 5",
                "A score for each query and each key: QKᵀ, 5 × 64 times 64 × 5.",
                right=True,
            ),
            Answer(
                "5 × 32",
                "This will be the shape of the output, which is made of values. "
                "d_v has no part in the scores.",
            ),
        ),
    ),
    Question(
        "W_K is set equal to W_Q. What holds for the scores, for every sentence?",
        (
            Answer(
                "Score(i, j) = Score(j, i)",
                "Then q = k for every word, and a dot product does not care which "
                "vector stands first.",
                right=True,
            ),
            Answer(
                "Score(i, i) is the largest of its row",
                "Often, but not always: a longer vector in about the same direction "
                "scores more.",
            ),
            Answer(
                "the scores are those of x · x",
                "Only if W Wᵀ is the identity. One shared matrix still turns and "
                "stretches x.",
            ),
            Answer(
                "nothing: the names of the matrices do not matter",
                "The names do not. But that the two are equal makes W_Q W_Kᵀ "
                "symmetric.",
            ),
        ),
    ),
    Question(
        "In the trained model “cat” gets the value that “cats” would have in its "
        "place. Its key stays. What happens after “… and”?",
        (
            Answer(
                "“and” looks at another word",
                "Where a word looks is decided by queries and keys, and both stayed.",
            ),
            Answer(
                "nothing changes: the value is not in the score",
                "Right that it is not in the score. But it is what “and” takes from "
                "the word that it has found.",
            ),
            Answer(
                "“and” still looks at “cat”, and the model says “they”",
                "The key decides that it is found, the value what is handed over.",
                right=True,
            ),
        ),
    ),
    Question(
        "In PyTorch, layer = nn.Linear(512, 64, bias=False). How does its weight "
        "relate to W_Q?",
        (
            Answer(
                "layer.weight is W_Q: 512 × 64",
                "The order of the arguments suggests it. Print the shape: (64, 512).",
            ),
            Answer(
                "layer.weight is W_Q transposed: 64 × 512",
                "nn.Linear computes x Aᵀ and keeps A, with a row for each output.",
                right=True,
            ),
            Answer(
                "layer.weight is the inverse of W_Q",
                "W_Q is not square and has no inverse; only rows and columns are "
                "exchanged.",
            ),
        ),
    ),
)
