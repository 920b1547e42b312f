"""Questions of notebook 12."""

from ..quiz import Answer, Question

QUESTIONS: tuple[Question, ...] = (
    Question(
        "The target is “l' IA est grande”. What does the decoder read in training, and "
        "what has it to say?",
        (
            Answer(
                "It reads ⟨SOS⟩ l' IA est grande, and says l' IA est grande ⟨EOS⟩",
                "At each place it has read what stands before its answer.",
                right=True,
            ),
            Answer(
                "It reads l' IA est grande, and says the same",
                "Then each place reads its own answer: it learns to repeat it.",
            ),
            Answer(
                "It reads what it has said itself so far",
                "So it does when it writes. In training the right words are given: "
                "that is teacher forcing.",
            ),
            Answer(
                "It reads l' IA est grande ⟨EOS⟩, and says ⟨SOS⟩ l' IA est grande",
                "This is shifted the other way: each place reads what comes after its "
                "answer.",
            ),
        ),
    ),
    Question(
        "At three places the right tokens have the probabilities 1, 0.1 and 0.1; a "
        "fourth is padding. What is the loss? (The natural logarithm of 0.1 is "
        "−2.303.)",
        (
            Answer(
                "1.15",
                "That is the sum divided by four. Padding is not asked, so it is not "
                "counted either.",
            ),
            Answer(
                "1.54",
                "(0 + 2.303 + 2.303) / 3: three places were asked.",
                right=True,
            ),
            Answer(
                "0.92",
                "That is −log of the average probability, 0.4. The logarithm is taken "
                "at each place first.",
            ),
            Answer(
                "0.60",
                "That is the average of what is missing from 1. The loss takes "
                "logarithms.",
            ),
        ),
    ),
    Question(
        "A job follows 60 : 20 : 10 : 10. Which probabilities give the smallest loss, "
        "on many such sentences?",
        (
            Answer(
                "All for the likeliest job",
                "In 40 of 100 sentences another one comes, and −log 0 has no limit.",
            ),
            Answer(
                "0.6, 0.2, 0.1 and 0.1",
                "The slope by each logit is what is said, minus how often it comes. It "
                "is 0 here.",
                right=True,
            ),
            Answer(
                "A quarter for each",
                "So it would be if they came equally often.",
            ),
            Answer(
                "It depends on the learning rate",
                "The rate decides how one gets there, and whether. Where the smallest "
                "loss lies is decided by the data.",
            ),
        ),
    ),
    Question(
        "The rate rises for 100 steps, and then falls in a line to 0. What is it at "
        "step 0, the first one?",
        (
            Answer(
                "0",
                "Then the first batch would teach nothing. The line starts one step "
                "before it.",
            ),
            Answer(
                "A hundredth of the peak",
                "(0 + 1) / 100: n counts from 0, and the line has risen by one step.",
                right=True,
            ),
            Answer(
                "The peak",
                "So it is without a warm-up, or after it.",
            ),
        ),
    ),
    Question(
        "Label smoothing takes ε = 0.1. V = 13 tokens, one of them padding. What is "
        "wanted of the right token?",
        (
            Answer(
                "1",
                "That is wanted without smoothing.",
            ),
            Answer(
                "0.9",
                "It gets its own part of ε besides: it is one of those that share it.",
            ),
            Answer(
                "0.9 + 0.1 / 12",
                "ε is shared by all tokens that may be said, the right one among them. "
                "Padding is not.",
                right=True,
            ),
            Answer(
                "0.9 + 0.1 / 13",
                "So PyTorch's own smoothing has it: there padding gets a part too.",
            ),
        ),
    ),
    Question(
        "Behind right words, a translator has every word of 60 % of the sentences "
        "right. In how many sentences is it right when it writes alone, and takes the "
        "likeliest word each time?",
        (
            Answer(
                "In exactly as many",
                "As long as all its words are right, it has read the same. So the "
                "first mistake behind right words is also the first one alone.",
                right=True,
            ),
            Answer(
                "In fewer: its mistakes lead to others",
                "They do, but only in sentences that already have one.",
            ),
            Answer(
                "In more: it can choose its own way",
                "It takes the likeliest word each time, and behind the same words that "
                "is the same word.",
            ),
        ),
    ),
)
