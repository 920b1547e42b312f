"""Questions of notebook 10."""

from ..quiz import Answer, Question

QUESTIONS: tuple[Question, ...] = (
    Question(
        "The target is “J'aime l'IA”. What does the decoder read in training, and what "
        "must it say?",
        (
            Answer(
                "It reads ⟨SOS⟩ J'aime l'IA and says J'aime l'IA ⟨EOS⟩",
                "Three places, and each reads the word that the place before it had to "
                "say.",
                right=True,
            ),
            Answer(
                "It reads J'aime l'IA ⟨EOS⟩ and says J'aime l'IA ⟨EOS⟩",
                "This is no shift: each place reads its own answer. The loss goes to "
                "0, and what is learned is to copy.",
            ),
            Answer(
                "It reads J'aime l'IA ⟨EOS⟩ and says ⟨SOS⟩ J'aime l'IA",
                "This is shifted to the left: each place reads what comes after its "
                "answer. A text that is being written has no such word.",
            ),
            Answer(
                "It reads I love AI and says J'aime l'IA",
                "The source is read by the encoder. The decoder gets it from the side, "
                "as the memory, and its own text from below.",
            ),
        ),
    ),
    Question(
        "In training the loss of a decoder falls below that of one who knows the true "
        "probabilities of every word. What do you suspect?",
        (
            Answer(
                "It has learned the sentences by heart",
                "Not where the words are drawn anew for every batch: then even who "
                "remembers all of them cannot know the next one.",
            ),
            Answer(
                "It sees the word that it has to say",
                "In its own place, where the shift is missing, or at a later place, "
                "where a mask is missing.",
                right=True,
            ),
            Answer(
                "It is a better model than one with a larger loss",
                "No one who is honest gets below the true probabilities. It will write "
                "worse, and not better.",
            ),
        ),
    ),
    Question(
        "20 words of the source, 7 words written, d_model = 32, 4 heads. What is the "
        "shape of the weights of one head in encoder-decoder attention?",
        (
            Answer(
                "7 × 20",
                "A row for each word that asks, and a column for each word that "
                "answers.",
                right=True,
            ),
            Answer(
                "20 × 7",
                "Then the source would ask. Its rows would be lost to the decoder, "
                "which goes on with 7.",
            ),
            Answer("7 × 7", "This is the decoder's self-attention."),
            Answer(
                "7 × 8",
                "8 is d_k, the size of a query. It is summed over in the score.",
            ),
        ),
    ),
    Question(
        "Which mask belongs to encoder-decoder attention?",
        (
            Answer(
                "A causal one, T × S: word 2 may look at the first two words of the "
                "source",
                "The source is complete before the first word is written. And word 2 "
                "of a translation need not come from the first two words.",
            ),
            Answer(
                "The source's padding mask, or none",
                "There is no future in the source. What may stand there is padding, "
                "and nobody should take from that.",
                right=True,
            ),
            Answer(
                "The target's padding mask",
                "It hides columns, and the columns here are words of the source.",
            ),
        ),
    ),
    Question(
        "Encoder and decoder have six blocks each. What does the second block of the "
        "decoder take its keys and values from?",
        (
            Answer(
                "From the output of the encoder's second block",
                "A natural guess, as the pictures stand side by side. But the "
                "encoder's blocks hand over to each other alone.",
            ),
            Answer(
                "From the output of the encoder's last block",
                "All six blocks ask the same memory. Each makes keys and values of it "
                "with matrices of its own.",
                right=True,
            ),
            Answer(
                "From the first block of the decoder",
                "The queries come from there. Keys and values come from the side.",
            ),
        ),
    ),
    Question(
        "A decoder-only model is made of decoder blocks, and there is no encoder. What "
        "becomes of the second attention of each block?",
        (
            Answer(
                "It stays, and looks at the written text itself, without a mask",
                "Then every place sees the words to come, and the mask of the first "
                "attention has been in vain.",
            ),
            Answer(
                "It is left out",
                "With no second text there is nobody to ask. What remains is an "
                "encoder's block under a causal mask.",
                right=True,
            ),
            Answer(
                "It stays, and looks at a memory of zeros",
                "It would add the same vector to every word, and learn nothing of the "
                "text.",
            ),
        ),
    ),
)
