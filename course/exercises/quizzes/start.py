"""Questions of notebook 00."""

from ..quiz import Answer, Question

QUESTIONS: tuple[Question, ...] = (
    Question(
        "You open a notebook, and a picture does not react to the mouse. What helps?",
        (
            Answer(
                "Wait until the page has loaded",
                "It has. What you see is a saved picture, and nothing runs behind it "
                "yet.",
            ),
            Answer(
                "Run the first code cell, then the cell of the picture",
                "A saved notebook holds pictures only. Running the cell makes the "
                "explorer.",
                right=True,
            ),
            Answer(
                "Connect the computer to the network",
                "The course needs no network. Everything runs on your machine.",
            ),
        ),
    ),
    Question(
        "In a table of weights, row “AI”, column “powerful”, stands 0.6. "
        "What does it say?",
        (
            Answer(
                "“powerful” takes 60 % of what it gets from “AI”",
                "This exchanges rows and columns. The row asks (query); the column is "
                "what it looks at (key).",
            ),
            Answer(
                "“AI” and “powerful” are 60 % similar",
                "A weight is a share of its row, not a measure of likeness. The other "
                "way round, from “powerful” to “AI”, there is another number.",
            ),
            Answer(
                "“AI” takes 60 % of its output from “powerful”",
                "A row is what a token takes; its weights sum to 1.",
                right=True,
            ),
            Answer(
                "The model is 60 % sure that “powerful” follows “AI”",
                "A weight predicts no word. It says whose value goes into the average.",
            ),
        ),
    ),
    Question(
        "The parts of a row are 1, 3 and 6. You change the 1 to 11. "
        "What is the weight of the last word now?",
        (
            Answer(
                "0.6, as before: its part is still 6",
                "Its part is the same, but the row's sum is not: 20 in place of 10.",
            ),
            Answer(
                "0.3",
                "6 ÷ (11 + 3 + 6) = 6 ÷ 20. Who looks more at one word looks less at "
                "the others.",
                right=True,
            ),
            Answer(
                "6",
                "This is the part. A weight is the part divided by the sum of its row.",
            ),
            Answer(
                "0",
                "It gets less, not nothing: 6 of 20 parts.",
            ),
        ),
    ),
    Question(
        "Which half of a Transformer reads the source sentence, and how often, "
        "for one translation?",
        (
            Answer(
                "The decoder, once for each word that it writes",
                "The decoder writes. It looks at what the encoder made from the "
                "source, each time anew.",
            ),
            Answer(
                "The encoder, once for each word that is written",
                "The source does not change while the target is written, so reading "
                "it again would give the same.",
            ),
            Answer(
                "The encoder, once",
                "What it made is kept. The decoder looks at it for every word that it "
                "writes.",
                right=True,
            ),
        ),
    ),
    Question(
        "After “Noor studied law and works as a school …” a model says Teacher. How do "
        "you find out whether the word “law” counts for that?",
        (
            Answer(
                "See whether Teacher is the likeliest in truth",
                "A right answer can come from another word, or from luck.",
            ),
            Answer(
                "Count how often Teacher follows “school” in the training sentences",
                "That gives a rule to compare with, the table of the last word. It "
                "says nothing about what the model does with “law”.",
            ),
            Answer(
                "Exchange “law” for another subject, keep all other words, and ask "
                "again, in several sentences",
                "One thing changes. If the answer moves with it, and stays when a "
                "name is exchanged, the word counts.",
                right=True,
            ),
        ),
    ),
)
