"""Exercises of notebook 14: what is hidden, what is asked, and who may look at whom."""

from math import exp, log, log2

import numpy as np

from .exercise import Array, Exercise, draw


def _masked_read(ids: Array, chance: Array, others: Array, mask: int) -> Array:
    read = ids.copy()
    for t, c in enumerate(chance):
        if c < 0.16:
            read[t] = mask
        elif c < 0.18:
            read[t] = others[t]
    return read


masked_read = Exercise(
    solution='''def masked_read(ids, chance, others, mask):
    """Give what is read of ids (T,): a word's chance (T,) says what becomes of it."""
    read = np.where(chance < 0.18, others, ids)
    return np.where(chance < 0.16, mask, read)''',
    right=_masked_read,
    cases=(
        (
            np.array([5, 6, 7, 8]),
            np.array([0.05, 0.17, 0.19, 0.6]),
            np.array([1, 2, 3, 4]),
            9,
        ),
        (
            np.array([3, 1, 4, 1, 5, 2, 6]),
            np.array([0.82, 0.15, 0.99, 0.19, 0.17, 0.01, 0.3]),
            np.array([2, 7, 1, 6, 8, 2, 0]),
            10,
        ),
        (
            np.array([4, 0, 2, 7, 3]),
            np.array([0.19, 0.17, 0.5, 0.1, 0.9]),
            np.array([1, 5, 6, 0, 2]),
            8,
        ),
    ),
    holds="Most of the words that are asked are hidden, some are exchanged, and some "
    "stay as they were. Next: why can the model trust no word that it reads?",
    mistakes={
        "Every word that is asked is hidden. What becomes of the last two tenths of "
        "them?": (
            "read = np.where(chance < 0.18, others, ids)\n"
            "    return np.where(chance < 0.16, mask, read) → "
            "return np.where(chance < 0.2, mask, ids)"
        ),
        "No word is exchanged: what is read is right or hidden. Which words were to be "
        "replaced by a random one?": "chance < 0.18, others, ids → chance < 0, 0, ids",
        "All the rest is exchanged, too, so that hardly a word is left. Which words "
        "were not asked?": "np.where(chance < 0.18 → np.where(chance < 2",
        "Two tenths are exchanged, and none stays. A word that is asked may also stand "
        "there as it was.": "chance < 0.18 → chance < 0.2",
        "Eight of ten words of the whole sentence are hidden. The 80 % are a part of "
        "the words that were chosen.": "chance < 0.16 → chance < 0.8",
        "What should be hidden is exchanged, and what should be exchanged is hidden. "
        "Which of the two comes more often?": (
            "chance < 0.18, others, ids)\n"
            "    return np.where(chance < 0.16, mask, read) → "
            "chance < 0.18, mask, ids)\n"
            "    return np.where(chance < 0.16, others, read)"
        ),
        "No word is hidden: all that should be is exchanged. If two lines write on the "
        "same word, which one counts?": (
            "np.where(chance < 0.16, mask, read) → np.where(chance < 0.18, others, ids)"
        ),
        "The words that were not asked are hidden. Which end of the chances is "
        "chosen?": "np.where(chance < 0.16 → np.where(chance >= 0.2",
    },
)


def _asked_loss(logits: Array, ids: Array, asked: Array) -> Array:
    costs = []
    for row, word, is_asked in zip(logits, ids, asked, strict=True):
        if is_asked:
            powers = [exp(score - max(row)) for score in row]
            costs.append(-log(powers[word] / sum(powers)))
    return np.array(sum(costs) / len(costs))


asked_loss = Exercise(
    solution='''def asked_loss(logits, ids, asked):
    """Give the mean loss of the words ids (T,) that are asked (T,); logits (T, V)."""
    p = reference.softmax(logits)
    right = p[np.arange(len(ids)), ids]
    return -np.log(right[asked]).mean()''',
    right=_asked_loss,
    cases=(
        (
            np.array([[2.0, 0, 0], [0, 1, 0], [0, 0, 3]]),
            np.array([0, 2, 1]),
            np.array([True, False, True]),
        ),
        (
            *draw(51, (6, 5)),
            np.array([4, 0, 2, 2, 1, 3]),
            np.array([False, True, False, False, True, False]),
        ),
        (
            *draw(52, (4, 7)),
            np.array([6, 1, 5, 0]),
            np.array([True, True, False, True]),
        ),
    ),
    holds="Only the words that are asked have a say, whatever stands there. Next: a "
    "GPT asks for each word. Which text teaches more in one pass?",
    mistakes={
        "Words that nobody asked for count, too. To copy what one reads is "
        "easy.": "right[asked] → right",
        "It is a sum, so that a sentence with more gaps looks worse. What makes it "
        "comparable?": ".mean() → .sum()",
        "It is divided by all words of the sentence. How many of them have a loss?": (
            "-np.log(right[asked]).mean() → -np.log(right[asked]).sum() / len(ids)"
        ),
        "The sign is turned: what is sure is dear. A log of a probability is below "
        "0.": ("return -np.log → return np.log"),
        "It is counted in bits. The loss of the course is in natural "
        "logs.": "np.log( → np.log2(",
        "There is no log: a wrong word that the model is sure of costs hardly more "
        "than another. Take the log.": "-np.log(right[asked]) → (1 - right[asked])",
        "The log is taken of the mean. Every word has a loss of its own; the mean "
        "comes then.": "-np.log(right[asked]).mean() → -np.log(right[asked].mean())",
        "Logits are taken for probabilities, so nothing sums to 1. What turns scores "
        "into probabilities?": (
            "p = reference.softmax(logits)\n"
            "    right = p[np.arange(len(ids)), ids]\n"
            "    return -np.log(right[asked]) → "
            "right = logits[np.arange(len(ids)), ids]\n"
            "    return -right[asked]"
        ),
        "The probabilities are shared among the places, and should be among the words. "
        "Over which axis?": "reference.softmax(logits) → reference.softmax(logits.T).T",
        "It tells how often the likeliest word is wrong. A loss also says how unsure "
        "the model was.": (
            "-np.log(right[asked]).mean() → "
            "(logits.argmax(axis=1) != ids)[asked].mean()"
        ),
    },
)


def _joined_mask(S: int, T: int) -> Array:
    row, column = np.indices((S + T, S + T))
    mask: Array = (column < S) | ((row >= S) & (column <= row))
    return mask


joined_mask = Exercise(
    solution='''def joined_mask(S, T):
    """Say who may look at whom (S + T, S + T): S words are given, T are written."""
    place = np.arange(S + T)
    past = place[:, None] >= place
    return past | (place < S)''',
    right=_joined_mask,
    cases=((2, 3), (3, 2), (1, 1), (4, 1), (1, 4)),
    holds="Given words look at each other, and written ones at all that stands before "
    "them. Next: which part of it is the encoder's mask, which the decoder's, and "
    "which the cross-attention's?",
    mistakes={
        "This is the mask of a GPT: a given word does not see those behind it. Who may "
        "see the whole text that is given?": "past | (place < S) → past",
        "Given words look at the written ones: when they are read, nothing is written "
        "yet. Which part is shut for them?": (
            "past | (place < S) → past | (place[:, None] < S)"
        ),
        "This is the mask of a BERT: everyone sees all. What would a model learn that "
        "reads the word it is to write?": "(place < S) → (place >= 0)",
        "Rows and columns are exchanged. Rows ask, and columns are looked "
        "at.": "past | (place < S) → (past | (place < S)).T",
        "A written word does not see itself. What it reads at its place is the word "
        "before the one that it is to say.": ">= place → > place",
        "Written words do not see what was given. Where would a translation come "
        "from?": "past | (place < S) → np.where(place < S, place[:, None] < S, past)",
        "True stands where nobody may look. In this course it means the "
        "opposite.": "past | (place < S) → ~(past | (place < S))",
        "The written words see each other, and the given ones do not. Which of the two "
        "parts comes first?": "(place < S) → (place >= S) & (place[:, None] >= S)",
        "The open square is as large as the number of written words. How many are "
        "given?": "(place < S) → (place < T)",
    },
)


def _bits(logits: Array, ids: Array) -> Array:
    costs = []
    for row, following in zip(logits[:-1], ids[1:], strict=True):
        powers = [exp(score - max(row)) for score in row]
        costs.append(-log2(powers[following] / sum(powers)))
    return np.array(sum(costs) / len(costs))


bits = Exercise(
    solution='''def bits(logits, ids):
    """Give the bits a character of ids (T,); row t of logits (T, V) scores the next."""
    p = reference.softmax(logits[:-1])
    right = p[np.arange(len(p)), ids[1:]]
    return -np.log2(right).mean()''',
    right=_bits,
    cases=(
        (np.array([[0.0, 1, 0], [2, 0, 0], [0, 0, 3]]), np.array([0, 1, 2])),
        (*draw(53, (6, 4)), np.array([3, 1, 1, 0, 2, 3])),
        (*draw(54, (9, 7)), np.array([6, 0, 5, 5, 2, 1, 4, 3, 0])),
    ),
    holds="The first character costs nothing here, for nobody is asked for it. Next: "
    "how many bits has a character of 96, each as likely?",
    mistakes={
        "It is in natural logs, so it is less than the bits by a factor of 0.69. Which "
        "log counts yes and no?": "np.log2 → np.log",
        "Each row is asked for the character that it has read. What does a GPT say at "
        "a place?": (
            "logits[:-1])\n    right = p[np.arange(len(p)), ids[1:]] → "
            "logits)\n    right = p[np.arange(len(p)), ids]"
        ),
        "Each row is asked for the character before. In which direction is the text "
        "moved?": "logits[:-1])\n    right = p[np.arange(len(p)), ids[1:]] → "
        "logits[1:])\n    right = p[np.arange(len(p)), ids[:-1]]",
        "It is the sum over the text, so that a longer text looks worse. What is asked "
        "is a character's share.": ".mean() → .sum()",
        "It is divided by one too many. Of how many characters are probabilities "
        "given?": "-np.log2(right).mean() → -np.log2(right).sum() / len(ids)",
        "The sign is missing. A log of a probability is below 0.": "return - → return ",
        "This is the perplexity: among how many characters it chooses. Which power was "
        "taken too many?": "-np.log2(right).mean() → 2 ** -np.log2(right).mean()",
        "The log is taken of the mean probability. Every character has a cost of its "
        "own.": "-np.log2(right).mean() → -np.log2(right.mean())",
    },
)


def _mixed_probabilities(counts: Array, shorter: Array) -> Array:
    kinds = sum(1 for count in counts if count)
    total = sum(counts) + kinds
    return np.array(
        [(c + kinds * p) / total for c, p in zip(counts, shorter, strict=True)]
    )


mixed_probabilities = Exercise(
    solution='''def mixed_probabilities(counts, shorter):
    """Mix counts (V,) behind a run with the probabilities (V,) of a shorter run."""
    kinds = (counts > 0).sum()
    return (counts + kinds * shorter) / (counts.sum() + kinds)''',
    right=_mixed_probabilities,
    cases=(
        (np.array([6, 0, 2]), np.array([0.5, 0.3, 0.2])),
        (np.array([0, 1, 0, 0]), np.array([0.4, 0.1, 0.25, 0.25])),
        (np.array([3, 5, 1, 0, 9]), np.array([0.1, 0.2, 0.3, 0.35, 0.05])),
    ),
    holds="What was seen often counts, what was seen once may be chance, and nothing "
    "has the probability 0. Next: what would one character with a probability of 0 "
    "cost, in bits?",
    mistakes={
        "What was not seen here has the probability 0. One such character in a new "
        "text, and the bits are without end.": (
            "(counts + kinds * shorter) / (counts.sum() + kinds) → "
            "counts / counts.sum()"
        ),
        "The counts have no say. What did follow this run?": (
            "(counts + kinds * shorter) / (counts.sum() + kinds) → shorter * 1.0"
        ),
        "It does not sum to 1. How much was added to all counts together?": (
            "(counts.sum() + kinds) → counts.sum()"
        ),
        "Half of the probability comes from the shorter run, however much was seen. A "
        "run that was read a thousand times should be trusted more.": (
            "(counts + kinds * shorter) / (counts.sum() + kinds) → "
            "(counts / counts.sum() + shorter) / 2"
        ),
        "The shorter run counts as much as the whole vocabulary has characters. How "
        "many different ones were seen here?": "(counts > 0).sum() → len(counts)",
        "The shorter run counts once, as if one kind had followed. Count the "
        "kinds.": "(counts > 0).sum() → 1",
    },
)


def _exact_share(written: Array, wanted: Array, end: int) -> Array:
    def cut(row: Array) -> list[int]:
        listed: list[int] = row.tolist()
        return listed[: listed.index(end) + 1] if end in listed else listed

    pairs = zip(written, wanted, strict=True)
    return np.array(np.mean([cut(a) == cut(b) for a, b in pairs]))


exact_share = Exercise(
    solution='''def exact_share(written, wanted, end):
    """Give the share of texts written (B, T) that are the wanted ones, to the end."""
    ends = wanted == end
    behind = np.cumsum(ends, axis=1) > ends
    same = (written == wanted) | behind
    return same.all(axis=1).mean()''',
    right=_exact_share,
    cases=(
        (
            np.array([[3, 4, 1, 3], [5, 4, 6, 6], [5, 3, 4, 1]]),
            np.array([[3, 4, 1, 0], [5, 4, 1, 0], [5, 3, 4, 1]]),
            1,
        ),
        (
            np.array(
                [[2, 2, 1, 1, 0], [4, 3, 2, 1, 5], [3, 1, 4, 4, 1], [1, 2, 3, 4, 5]]
            ),
            np.array(
                [[2, 2, 1, 0, 0], [4, 3, 2, 1, 0], [3, 4, 1, 0, 0], [2, 1, 3, 4, 5]]
            ),
            1,
        ),
        (
            np.array([[7, 6, 0], [7, 5, 0], [6, 2, 0], [4, 0, 7], [6, 0, 0]]),
            np.array([[7, 6, 0], [7, 6, 0], [6, 2, 0], [4, 0, 0], [5, 0, 0]]),
            0,
        ),
    ),
    holds="A text is right or it is not, and what stands behind its end is nobody's "
    "matter. Next: if 99 of 100 words are right, how many texts of ten words are?",
    mistakes={
        "It is the share of words. How many of the texts have no fault?": (
            "same.all(axis=1).mean() → same.mean()"
        ),
        "One right word makes a text right. How many must be?": "same.all → same.any",
        "What stands behind the end counts. Is a text wrong for its filling?": (
            " | behind → "
        ),
        "The end itself may be missing. A text that goes on is another "
        "one.": "cumsum(ends, axis=1) > ends → cumsum(ends, axis=1) > 0",
        "It gives how many texts are right. A share lies between 0 and 1.": (
            "same.all(axis=1).mean() → same.all(axis=1).sum()"
        ),
        "It gives the share of places at which all texts are right. Along which axis "
        "does a text lie?": "same.all(axis=1) → same.all(axis=0)",
        "It gives the share of wrong texts. Which ones were to be counted?": (
            "return same.all(axis=1).mean() → return 1 - same.all(axis=1).mean()"
        ),
        "Only the first word is compared. Where does a text end?": (
            "same.all(axis=1).mean() → same[:, 0].mean()"
        ),
    },
)

EXERCISES = (
    masked_read,
    asked_loss,
    joined_mask,
    bits,
    mixed_probabilities,
    exact_share,
)
