"""Questions of notebook 03."""

from ..quiz import Answer, Question

QUESTIONS: tuple[Question, ...] = (
    Question(
        "Attention without positions reads “the dog bit the man”, and then “the man "
        "bit the dog”. How do its outputs differ?",
        (
            Answer(
                "Not at all: it is the same table",
                "This is invariance. Attention is equivariant: the rows that come out "
                "are in the new order too.",
            ),
            Answer(
                "“dog” and “man” have other outputs, the other words have not",
                "This takes the output to belong to a place. The row belongs to the "
                "word, and goes where the word goes.",
            ),
            Answer(
                "Each word has its old output, in its new place",
                "f(PX) = P f(X): the same rows, moved in the same way.",
                right=True,
            ),
            Answer(
                "All outputs change, since all neighbours change",
                "This takes attention to be a window over neighbours. It averages over "
                "all words, wherever they stand.",
            ),
        ),
    ),
    Question(
        "What is the row of position 0 in the sinusoidal table with d_model = 6?",
        (
            Answer(
                "0, 0, 0, 0, 0, 0",
                "This takes position 0 to add nothing. The angle is 0 in every pair, "
                "but cos 0 is 1.",
            ),
            Answer(
                "0, 1, 0, 1, 0, 1",
                "Every pair holds sin 0 = 0 and then cos 0 = 1.",
                right=True,
            ),
            Answer(
                "1, 0, 1, 0, 1, 0",
                "Here sine and cosine have changed places, as if columns were counted "
                "from 1. Column 0 is even, and holds a sine.",
            ),
            Answer(
                "0, 0, 0, 1, 1, 1",
                "This puts all sines first. Sine and cosine of one pair stand side by "
                "side, in columns 2i and 2i + 1. (Some programs do put all sines "
                "first; the paper's formula does not.)",
            ),
        ),
    ),
    Question(
        "Positions are added. “bit” stands third in “the dog bit the man” and third in "
        "“the man bit the dog”. What holds for it?",
        (
            Answer(
                "It has the same row and the same output",
                "This takes an output to be made from the word's own row alone. It is "
                "an average over the rows of all words.",
            ),
            Answer(
                "It has another row, and so another output",
                "Its row is word + position, and both are what they were.",
            ),
            Answer(
                "It has the same row and another output: the softmax depends on order",
                "The softmax gives each score its weight, in whatever order they "
                "stand.",
            ),
            Answer(
                "It has the same row and another output: it averages over other rows",
                "“dog” at place 1 and “dog” at place 4 have different rows, so the "
                "weights and the mean differ.",
                right=True,
            ),
        ),
    ),
    Question(
        "PE(p + k) = R_k PE(p). What follows from this?",
        (
            Answer(
                "One matrix can turn any position into the one k places further on",
                "R_k depends on k alone. So weights can express a distance, in the "
                "same way at every place.",
                right=True,
            ),
            Answer(
                "A model with these waves knows how far apart two words are",
                "This takes “can be expressed” for “has been learnt”. The distance is "
                "in the rows; training has to find it.",
            ),
            Answer(
                "A model with these waves works at any length",
                "This takes “has a formula” for “works”. There is a row for every "
                "place, but training may never have met it.",
            ),
            Answer(
                "The further apart two positions, the less alike their rows",
                "This takes likeness for a ruler. It falls at first, then goes up and "
                "down.",
            ),
        ),
    ),
    Question(
        "The place is appended to the word's vector as one number. One attention "
        "layer asks from place 6. Where among the places 0 to 12 can its largest "
        "weight stand, if the same word stands everywhere?",
        (
            Answer(
                "At place 4, if it is trained long enough",
                "A score is a constant plus a slope times the place. No training puts "
                "a peak in the middle of a line.",
            ),
            Answer(
                "At place 0 or at place 12",
                "A straight line is largest at one of its ends, and the softmax keeps "
                "the order of the scores.",
                right=True,
            ),
            Answer(
                "At place 6, its own",
                "This takes equal numbers to give the largest product. A product with "
                "a larger number is larger: 6 · 12 is more than 6 · 6.",
            ),
            Answer(
                "Nowhere: attention cannot see the number",
                "The number is part of the row, so it changes queries and keys. It "
                "tells before from after well.",
            ),
        ),
    ),
    Question(
        "Suppose two models differ in one thing, how they are told positions, and both "
        "are nearly always right about short sentences, as in training. What does this "
        "show?",
        (
            Answer(
                "Both are right about longer sentences too",
                "This takes places that were met for all places. What happens "
                "elsewhere has to be measured there.",
            ),
            Answer(
                "In this setting, both ways let a model learn the task",
                "The claim is as wide as the control: these models, this task, "
                "sentences as long as in training.",
                right=True,
            ),
            Answer(
                "Both have found one rotation for each distance",
                "Then they would be right at all places. On short sentences, weights "
                "that fit the first places alone do as well.",
            ),
            Answer(
                "It does not matter how a model is told positions",
                "Another task, or other lengths, may tell the two ways apart.",
            ),
        ),
    ),
)
