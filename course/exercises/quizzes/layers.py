"""Questions of notebook 08."""

from ..quiz import Answer, Question

QUESTIONS: tuple[Question, ...] = (
    Question(
        "A sentence of 3 tokens with d_model = 512. Over which numbers does layer norm "
        "take one mean?",
        (
            Answer(
                "Over all 3 · 512 numbers",
                "Then every token would depend on the others, and on how long the "
                "sentence is. There are three means, one for each token.",
            ),
            Answer(
                "Over the 3 numbers that the tokens have in one feature",
                "This is the axis of batch norm. The tokens would depend on each "
                "other.",
            ),
            Answer(
                "Over the 512 numbers of one token",
                "Each token is normalised by itself. So it makes no difference what "
                "stands beside it.",
                right=True,
            ),
        ),
    ),
    Question(
        "γ = 1 and β = 0. One token is (1, 2, 6), another one (100, 200, 600). What "
        "does layer norm make of them?",
        (
            Answer(
                "Nearly the same vector",
                "Mean and deviation grow by 100 too, so the ratio stays. Only ε tells "
                "them apart, and it is tiny here.",
                right=True,
            ),
            Answer(
                "The second one stays 100 times as large",
                "The division by the deviation takes the size away. That is what the "
                "norm is for.",
            ),
            Answer(
                "Vectors of length 1",
                "The variance is brought to 1, so the mean of the squares is 1. The "
                "length is the root of their sum: √3 here.",
            ),
        ),
    ),
    Question(
        "A sub-layer f gives 0, whatever comes in (all its weights are 0, say). What "
        "does x + f(x) hand on, and what gradient comes down to x?",
        (
            Answer(
                "0, and no gradient",
                "That would be f(x) alone. The addition keeps x.",
            ),
            Answer(
                "x, and no gradient, since none comes through f",
                "None comes through f, that is right. But the gradient passes the plus "
                "on both paths, and on the path of x it arrives unchanged.",
            ),
            Answer(
                "x, and the whole gradient",
                "Both pass the plus unchanged, on the path of x. Where a layer adds "
                "nothing, it does no harm.",
                right=True,
            ),
            Answer(
                "x, and half of the gradient",
                "A sum does not share a gradient out: each of its terms gets all of "
                "it.",
            ),
        ),
    ),
    Question(
        "Which line is pre-norm?",
        (
            Answer(
                "norm(x + f(x))",
                "This is post-norm, as in the 2017 paper: the sum is normalised.",
            ),
            Answer(
                "x + f(norm(x))",
                "The sub-layer gets numbers of a known size, and x passes from the "
                "first block to the last with nothing in its way.",
                right=True,
            ),
            Answer(
                "norm(x) + f(norm(x))",
                "Here the residual is normalised too, so x does not pass unchanged.",
            ),
            Answer(
                "x + norm(f(x))",
                "The sub-layer would still get x at whatever size it has grown to.",
            ),
        ),
    ),
    Question(
        "48 blocks, each sub-layer with a norm after it and without a residual. Every "
        "vector has the size 1 (the root of the mean of its squares) at every height. "
        "What is wrong?",
        (
            Answer(
                "Nothing: with the size, the signal is saved",
                "The size is saved. But what distinguishes one word from another is "
                "lost after a few blocks.",
            ),
            Answer(
                "All words get the same vector",
                "Attention averages the words, and without x + … the averages replace "
                "them, block after block. The residual is what keeps a word itself.",
                right=True,
            ),
            Answer(
                "The vectors become too long",
                "Each norm brings the size back to 1, so the length is √D at every "
                "height. The length is not the trouble.",
            ),
        ),
    ),
    Question(
        "What can the feed-forward layer do with “AI” in “AI is powerful”?",
        (
            Answer(
                "Look at “powerful” and take something from it",
                "That is attention. The feed-forward layer never sees two tokens at "
                "once.",
            ),
            Answer(
                "Give two tokens that come with equal vectors two different results",
                "The same matrices serve every token: equal vectors in, equal vectors "
                "out. A place can matter only as far as the vector itself holds it.",
            ),
            Answer(
                "No more than one matrix could do",
                "So it would be without the activation. With it, a unit can fire for "
                "some vectors and be silent for all others.",
            ),
            Answer(
                "Find out what its own vector holds, and add something for that",
                "A hidden unit fires for some vectors, and its row of W_2 is then "
                "added. Each token goes through alone.",
                right=True,
            ),
        ),
    ),
)
