"""Exercises of notebook 15: pictures as texts, and beside texts."""

import numpy as np
import torch
import torch.nn.functional as F

from ..data import digits
from ..models import clip
from .exercise import Array, Exercise, draw


def _patches(x: Array, P: int) -> Array:
    pixels = F.unfold(torch.from_numpy(x)[None, None].double(), P, stride=P)
    rows: Array = pixels[0].mT.numpy()
    return rows


patches = Exercise(
    solution='''def patches(x, P):
    """Cut a picture x (h, w) into patches, row after row: (N, P * P)."""
    h, w = x.shape
    squares = x.reshape(h // P, P, w // P, P).swapaxes(1, 2)
    return squares.reshape(-1, P * P)''',
    right=_patches,
    cases=(
        (np.arange(8.0).reshape(2, 4), 2),
        (np.arange(24.0).reshape(6, 4), 2),
        (np.arange(54.0).reshape(6, 9), 3),
    ),
    holds="Each row is one square of the picture, and they follow one another as "
    "words in a text. Next: of how many numbers is a patch of a colour picture?",
    mistakes={
        "Each piece is a strip: pixels that follow one another in memory, and no "
        "square. Which two axes have to change places first?": ".swapaxes(1, 2) → ",
        "The patches follow one another down the columns. In which order is a text "
        "read?": ".swapaxes(1, 2) → .transpose(2, 0, 1, 3)",
        "The pixels inside a patch follow one another down its columns. Which of them "
        "stands behind the first?": ".swapaxes(1, 2) → .transpose(0, 2, 3, 1)",
        "It reads the picture down its columns, inside the patches and from one to the "
        "next. Was it turned over?": (
            "(h // P, P, w // P, P).swapaxes(1, 2) → "
            "(h // P, P, w // P, P).transpose(2, 0, 3, 1)"
        ),
        "They are squares still. The model projects a row of numbers: how do you make "
        "one of them?": "(-1, P * P) → (-1, P, P)",
        "The patches stand in the columns of the result. What is a row for the "
        "encoder?": "squares.reshape(-1, P * P) → squares.reshape(-1, P * P).T",
        "The patches overlap: each begins one pixel behind the last one. How far is it "
        "from a patch to the next?": (
            "squares = x.reshape(h // P, P, w // P, P).swapaxes(1, 2) → "
            "squares = np.lib.stride_tricks.sliding_window_view(x, (P, P))"
        ),
        "Each patch has become a single number, its mean. All of its pixels "
        "belong to the row.": (
            "return squares.reshape(-1, P * P) → "
            "return squares.reshape(-1, P * P).mean(axis=1, keepdims=True)"
        ),
        "Height and width are exchanged: it is right for square pictures alone. Which "
        "of the two counts the rows?": (
            "(h // P, P, w // P, P) → (w // P, P, h // P, P)"
        ),
        "The pixels of a patch lie apart, one from each part of the picture. Which "
        "axis counts faster: the patch, or the pixel inside it?": (
            "(h // P, P, w // P, P) → (P, h // P, P, w // P)"
        ),
        "The last patch is missing. Count how many there are in the first "
        "example.": "squares.reshape(-1, P * P) → squares.reshape(-1, P * P)[:-1]",
    },
)


def _pushed(x: Array, right: int, down: int) -> Array:
    moved: Array = digits.shifted(torch.from_numpy(x)[None], right, down)[0].numpy()
    return moved


pushed = Exercise(
    solution='''def pushed(x, right, down):
    """Push a picture x (h, w) by 0 or more pixels; 0 comes in."""
    h, w = x.shape
    wide = np.pad(x, ((down, 0), (right, 0)))
    return wide[:h, :w]''',
    right=_pushed,
    cases=(
        (np.array([[1.0, 2, 3], [4, 5, 6]]), 1, 0),
        (np.array([[1.0, 2, 3], [4, 5, 6]]), 0, 1),
        (*draw(61, (4, 5)), 1, 2),
        (*draw(62, (4, 4)), 0, 0),
    ),
    holds="The picture keeps its size, and paper comes in where it came from. Next: "
    "what becomes of a digit whose ink touches the side?",
    mistakes={
        "What leaves on one side comes in on the other. What should stand there "
        "instead?": (
            "wide = np.pad(x, ((down, 0), (right, 0)))\n    return wide[:h, :w] → "
            "return np.roll(x, (down, right), (0, 1))"
        ),
        "Where nothing came in, the old pixels are still there. What should stand "
        "there?": (
            "wide = np.pad(x, ((down, 0), (right, 0)))\n    return wide[:h, :w] → "
            "wide = x.copy()\n    wide[down:, right:] = x[: h - down, : w - right]\n"
            "    return wide"
        ),
        "It goes up and to the left. On which sides must the new pixels come in?": (
            "((down, 0), (right, 0)))\n    return wide[:h, :w] → "
            "((0, down), (0, right)))\n    return wide[-h:, -w:]"
        ),
        "The two directions are exchanged. Which axis of an array counts its "
        "rows?": "((down, 0), (right, 0)) → ((right, 0), (down, 0))",
        "The picture has grown. What leaves it is to be lost.": (
            "return wide[:h, :w] → return wide"
        ),
        "The first row and column come in again. What is there outside of a "
        "picture?": "((down, 0), (right, 0))) → ((down, 0), (right, 0)), 'edge')",
        "The picture has not moved: what came in was cut off again. Which end is to be "
        "lost?": "wide[:h, :w] → wide[down:, right:]",
        "It has moved to the right alone. And down?": "((down, 0), → ((0, 0),",
        "It has moved down alone. And to the right?": "(right, 0)) → (0, 0))",
    },
)


def _contrastive_loss(s: Array, t: float) -> Array:
    loss = clip.contrastive_loss(torch.from_numpy(s), torch.tensor(float(t)))
    return np.asarray(loss)


contrastive_loss = Exercise(
    solution='''def contrastive_loss(s, t):
    """CLIP's loss of similarities s (B, B): rows are pictures; t is the temperature."""
    p = np.diag(reference.softmax(s / t))
    q = np.diag(reference.softmax(s.T / t))
    return -(np.log(p) + np.log(q)).mean() / 2''',
    right=_contrastive_loss,
    cases=(
        (np.array([[0.9, 0.1], [0.4, 0.6]]), 0.5),
        (np.array([[0.2, 0.5, -0.3], [0.1, 0.8, 0.4], [-0.6, 0.3, 0.7]]), 0.2),
        (*draw(63, (5, 5)), 2.0),
    ),
    holds="Each picture is asked for its caption, each caption for its picture; both "
    "count alike. Next: what is the loss if all similarities are equal?",
    mistakes={
        "Each picture looks for its caption; no caption looks for its picture. What "
        "becomes of the table if it is turned over?": (
            "(np.log(p) + np.log(q)).mean() / 2 → np.log(p).mean()"
        ),
        "Each caption looks for its picture; no picture looks for its caption. Which "
        "axis was never asked?": (
            "(np.log(p) + np.log(q)).mean() / 2 → np.log(q).mean()"
        ),
        "It is twice what it should be. How many questions are there for each "
        "pair?": ".mean() / 2 → .mean()",
        "It grows with the number of pairs. How do you make it comparable between "
        "batches?": ".mean() / 2 → .sum() / 2",
        "The sign is wrong: the better the model, the higher this is, and a loss is to "
        "fall. What is the log of a probability?": "return -( → return (",
        "A low temperature makes it flatter here. Should it not be sharper? Multiply "
        "or divide?": (
            "(s / t))\n    q = np.diag(reference.softmax(s.T / t)) → "
            "(s * t))\n    q = np.diag(reference.softmax(s.T * t))"
        ),
        "The temperature is not used. How sure a model is depends on it.": (
            "(s / t))\n    q = np.diag(reference.softmax(s.T / t)) → "
            "(s))\n    q = np.diag(reference.softmax(s.T))"
        ),
        "It asks for every pair, the wrong ones too. Where in the table does the right "
        "one stand?": (
            "np.diag(reference.softmax(s / t))\n"
            "    q = np.diag(reference.softmax(s.T / t)) → "
            "reference.softmax(s / t)\n"
            "    q = reference.softmax(s.T / t)"
        ),
        "It takes the best of each row, whether it is the right one or not. Which "
        "caption belongs to the second picture?": (
            "np.diag(reference.softmax(s / t))\n"
            "    q = np.diag(reference.softmax(s.T / t)) → "
            "reference.softmax(s / t).max(axis=1)\n"
            "    q = reference.softmax(s.T / t).max(axis=1)"
        ),
        "One of the two directions has no temperature. Does it sharpen only the one of "
        "pictures?": "(s.T / t) → (s.T)",
        "The mean is taken first, and then the log. Each question has a loss of its "
        "own: which comes first?": (
            "(np.log(p) + np.log(q)).mean() / 2 → "
            "(np.log(p.mean()) + np.log(q.mean())) / 2"
        ),
        "No log: this is minus a mean of probabilities. What does cross-entropy take "
        "of the right one?": "(np.log(p) + np.log(q)) → (p + q)",
    },
)


def _best_captions(p: Array, t: Array) -> Array:
    both = (F.normalize(torch.from_numpy(x), dim=-1) for x in (p, t))
    pictures, captions = both
    best: Array = (pictures @ captions.mT).argmax(-1).numpy()
    return best


best_captions = Exercise(
    solution='''def best_captions(p, t):
    """Say which row of t (C, E) is likest each row of p (B, E), by cosine."""
    p = p / np.linalg.norm(p, axis=1, keepdims=True)
    t = t / np.linalg.norm(t, axis=1, keepdims=True)
    return (p @ t.T).argmax(axis=1)''',
    right=_best_captions,
    cases=(
        (np.array([[1.0, 0], [0.5, 2]]), np.array([[3.0, 3], [2, 0], [0, 1]])),
        draw(64, (9, 3), (6, 3)),
        tuple(x * [8, 1, 1, 4] for x in draw(65, (12, 4), (12, 4))),
    ),
    holds="A class is a caption here: with other captions the same model tells other "
    "classes, and learns nothing anew. Next: does the length of a picture's vector "
    "count?",
    mistakes={
        "Captions with long vectors win too often. What does a cosine divide "
        "by?": "t = t / np.linalg.norm(t, axis=1, keepdims=True) → t = t",
        "This says which picture is likest each caption. Along which axis do the "
        "captions stand?": "argmax(axis=1) → argmax(axis=0)",
        "It takes the caption that is least alike. Which end of the order is "
        "wanted?": "argmax → argmin",
        "It gives how alike they are. Which caption was it?": ".argmax( → .max(",
        "Every feature was scaled, in place of every vector. Along which axis is the "
        "length of one caption?": (
            "t = t / np.linalg.norm(t, axis=1, keepdims=True) → "
            "t = t / np.linalg.norm(t, axis=0, keepdims=True)"
        ),
        "It takes the nearest vector, by distance, without making them equally long. "
        "A cosine knows the direction alone.": (
            "p = p / np.linalg.norm(p, axis=1, keepdims=True)\n"
            "    t = t / np.linalg.norm(t, axis=1, keepdims=True)\n"
            "    return (p @ t.T).argmax(axis=1) → "
            "return ((p[:, None] - t) ** 2).sum(-1).argmin(axis=1)"
        ),
        "An opposite vector counts as alike. What does a minus say of a "
        "cosine?": "(p @ t.T) → abs(p @ t.T)",
    },
)


def _one_text(caption: Array, cells: Array, length: int, words: int) -> Array:
    read = F.pad(torch.from_numpy(caption), (0, length - len(caption)))
    text: Array = torch.cat([read, words + torch.from_numpy(cells).flatten()]).numpy()
    return text


one_text = Exercise(
    solution='''def one_text(caption, cells, length, words):
    """Join ids: caption, padding (0) up to length, cells from the id words on."""
    padding = [0] * (length - len(caption))
    return np.array([*caption, *padding, *(words + cells).flatten()])''',
    right=_one_text,
    cases=(
        (np.array([1, 4, 2]), np.array([[0, 2], [1, 0]]), 5, 10),
        (np.array([1, 7, 3, 5]), np.array([[0, 1, 2], [3, 0, 1]]), 6, 38),
        (np.array([1, 2]), np.array([[3, 0], [1, 1], [2, 0]]), 2, 9),
    ),
    holds="One text of two languages: whatever the caption, each cell has its own "
    "position. Next: which ids may the model write behind the padding?",
    mistakes={
        "A colour and a word have the same id: no one can tell which is meant. Where "
        "do the ids of the colours begin?": "(words + cells) → cells",
        "No padding: the first cell then has another position behind each caption. "
        "Which positions does a cell need?": "*padding, → ",
        "The padding stands in front of it. The caption begins at position 0.": (
            "*caption, *padding, → *padding, *caption,"
        ),
        "The padding stands at the end of all. Behind which part does it belong?": (
            "*padding, *(words + cells).flatten() → "
            "*(words + cells).flatten(), *padding"
        ),
        "The picture is written down its columns. In which order are its cells "
        "drawn?": "(words + cells).flatten() → (words + cells).T.flatten()",
        "The picture comes first. Who is to be known when it is drawn?": (
            "[*caption, *padding, *(words + cells).flatten()] → "
            "[*(words + cells).flatten(), *caption, *padding]"
        ),
        "The ids of the colours begin one too late. What is the first id that is no "
        "word, if words are counted from 0?": "words + cells → words + 1 + cells",
        "The padding has the id of a colour. Which id was asked for?": (
            "[0] * → [words] *"
        ),
        "The caption's ids are moved too. Only one of the two languages needs new "
        "ids.": "*caption, → *(words + caption),",
    },
)

EXERCISES = (patches, pushed, contrastive_loss, best_captions, one_text)
