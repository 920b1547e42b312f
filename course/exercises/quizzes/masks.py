"""Questions of notebook 06."""

from ..quiz import Answer, Question

QUESTIONS: tuple[Question, ...] = (
    Question(
        "Without a mask, the row of the second of three tokens holds the weights 0.1, "
        "0.3 and 0.6. What does it hold with a causal mask?",
        (
            Answer(
                "0.1, 0.3, 0",
                "This sets the weight to 0 after the softmax. The row sums to 0.4, and "
                "the size of the other two still tells how large the hidden one was.",
            ),
            Answer(
                "0.4, 0.6, 0",
                "This shares the hidden 0.6 out in equal halves. It is shared in "
                "proportion: the ratio of the other two, 1 to 3, stays.",
            ),
            Answer(
                "0.25, 0.75, 0",
                "The hidden key is left out, the ratio 1 to 3 stays, and the row sums "
                "to 1.",
                right=True,
            ),
            Answer(
                "0, 0, 1",
                "This is the opposite mask: the token looks only at what comes after "
                "it. True means may look, in this course.",
            ),
        ),
    ),
    Question(
        "A model predicts the next word almost perfectly in training, on text that is "
        "always new. Alone, it writes nonsense. What do you do first?",
        (
            Answer(
                "Change one token and see whether outputs before it move",
                "Too good in training and unable to write are the two signs of a model "
                "that sees the future. This measures it directly.",
                right=True,
            ),
            Answer(
                "Train it on more text, because it has learned the text by heart",
                "That idea is overfitting. On text that is always new, what was "
                "learned by heart does not help. It would not explain good results.",
            ),
            Answer(
                "Look at its causal mask; if that is right, the model is right",
                "One mask can be right and the future still get through elsewhere: "
                "model B had a correct mask in its first attention.",
            ),
            Answer(
                "Train it longer, because writing is harder than predicting",
                "Writing is predicting, one token after another. Longer training does "
                "not take away what the model sees and should not.",
            ),
        ),
    ),
    Question(
        "A batch holds sentences with pads at the end. What does a padding mask hide?",
        (
            Answer(
                "The rows of the pads: pads have nothing to ask",
                "A row says what a token takes. Nobody reads what a pad takes; but "
                "with its column open, every real token still mixes it in.",
            ),
            Answer(
                "The columns of the pads: nobody may take anything from them",
                "A column says who takes from a token. So a pad reaches no other "
                "token, in any block.",
                right=True,
            ),
            Answer(
                "The weight of each pad for itself: the diagonal at the pads",
                "That idea hides one cell per pad. All real tokens could still look at "
                "the pads.",
            ),
            Answer(
                "Rows and columns, because the output of a pad would be wrong",
                "The columns are enough. The outputs of pads are never read, and "
                "hiding their rows as well makes rows that may look nowhere.",
            ),
        ),
    ),
    Question(
        "The pads stand at the end, and the causal mask is already there. What changes "
        "in the rows of the real tokens when the padding mask is added?",
        (
            Answer(
                "They hold no weight for pads any more",
                "They did not before: a pad at the end lies in the future of every "
                "real token. (With pads in front this would be right.)",
            ),
            Answer(
                "Their weights no longer sum to 1",
                "That is what a mask after the softmax does. Before it, every row with "
                "an open key sums to 1.",
            ),
            Answer(
                "They may look at later real tokens again",
                "That would be “or”. With & a key must be open in both masks: a second "
                "mask opens nothing.",
            ),
            Answer(
                "Nothing",
                "A pad at the end lies in their future and is hidden already. Only the "
                "rows of the pads change.",
                right=True,
            ),
        ),
    ),
    Question(
        "All keys of a query are hidden: its scores are replaced by −1e9, then comes "
        "the softmax. What is its output?",
        (
            Answer(
                "0, because all its keys are hidden",
                "That is what the library gives, by a rule of its own. A softmax of "
                "finite scores always sums to 1, so it cannot give only zeros.",
            ),
            Answer(
                "NaN, because 0 is divided by 0",
                "That is what −∞ gives. −1e9 is finite: softmax sees only differences "
                "of scores, and these are 0.",
            ),
            Answer(
                "The mean of all the values, hidden or not",
                "All scores are equal, so every key gets the same weight. It looks "
                "healthy, and it looks at everything that was hidden.",
                right=True,
            ),
        ),
    ),
    Question(
        "You give causal_mask(5) of this library to nn.MultiheadAttention as "
        "attn_mask. What happens?",
        (
            Answer(
                "It is right: a boolean mask means the same everywhere",
                "In nn.MultiheadAttention True means hidden, the opposite of this "
                "library and of F.scaled_dot_product_attention.",
            ),
            Answer(
                "An error: the module wants −∞ and 0",
                "It takes both forms. A boolean mask raises no error, and that is what "
                "makes this mistake hard to see.",
            ),
            Answer(
                "Open scores rise by 1, and nothing is hidden",
                "That is what a mask of ones and zeros as floats does. A boolean mask "
                "is not added.",
            ),
            Answer(
                "No error: every token but the last sees only the tokens after it",
                "True is read as hidden. The last token has none after it: its row is "
                "fully masked. Write ~causal_mask(5).",
                right=True,
            ),
        ),
    ),
)
