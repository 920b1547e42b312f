"""text_to_text: a small T5 does what the first word of a text asks for."""

import re
from functools import cache, lru_cache
from typing import Any, Literal, get_args

import numpy as np
import torch

from explorable import Explorer, Sheet, Style, plots
from explorable.controls import choice, menu, text
from explorable.drawings.tiles import Tiles
from explorable.inputs import sentence_words
from transformer_lib.checks.validation import check_option, require
from transformer_lib.runtime.recording import Recording, record

from ...data.french import spoken
from ...data.known import check_known, plain
from ...data.pairs import EOS, SOS
from ...data.three_tasks import CONTEXT, TASKS, VOCABULARY, Task, ThreeTasks
from ...models import t5
from ...models.alignment import WEIGHTS
from ...models.pairs import write
from ..recorded import Labels, RecordedPass

Head = Literal["all, averaged", "1", "2", "3", "4"]
HEADS = get_args(Head)
OWN = "its own"
NONE = "none"
#: How wide each column of the tasks is, in the characters of a running text.
COLUMNS = {"prefix": 9.0, "input": 33.0, "answer": 18.0}
APART = 1.0  # between two of them
LETTERS = 1.38  # that have room in one of those
CHOSEN = float(plots.STEPS)  # the shade of the task that was clicked
PREFIXES = (OWN, *(f"{task}:" for task in TASKS), NONE)
MOST = ThreeTasks().max_length
OFFERED = plain(VOCABULARY.words)
KNOWN = {word.casefold(): word for word in OFFERED}
_trained = cache(t5.trained)  # nobody changes it here


def text_to_text(
    sentence: str = "the old cat loves AI",
    task: Task = "translate",
    *,
    question: str = "who loves AI ?",
    prefix: str = OWN,
    head: Head = HEADS[0],
) -> Explorer:
    """Let one model translate, summarize or answer, and see what it attends to.

    The model is the one in `models.t5`. Only its input tells it what to do: you can
    replace the prefix and keep the text.

    Args:
        sentence: words that the model knows.
        task: one of `data.three_tasks.Task`.
        question: what is asked of the sentence, if the task is "question".
        prefix: "its own" of the task, the prefix of another task (its name and a
            colon), or "none".
        head: of the cross-attention, "1" to "4", or "all, averaged".

    Returns:
        an Explorer with controls "task", "sentence", "question", "prefix" and "head".
        Its values: "weights" (T, S) of each word that is written, the end included.

    Raises:
        TypeError, ValueError: the text cannot be read, or there is no such setting.

    Source: Raffel et al. (2020), §2.4; Vaswani et al. (2017), §3.2.3.
    """
    check_option("prefix", prefix, PREFIXES)
    look: Any = {"at_once": False, "words": OFFERED}
    controls = {
        "task": choice("task", TASKS, task),
        "sentence": text("sentence", sentence, MOST, room=30, **look),
        "question": text("question", question, MOST, room=36, **look),
        "prefix": menu("prefix", PREFIXES, prefix),
        "head": choice("head", HEADS, head),
    }
    return Explorer(
        "text_to_text",
        text_to_text_sheet,
        controls,
        title="Every task as text",
        task="Click a task, or give it another prefix, and see what the model answers.",
    )


def text_of(*, task: Task, sentence: str, question: str, prefix: str) -> list[str]:
    """Put together the words that are read.

    Raises:
        TypeError, ValueError: the sentence or the question cannot be read, or both are
            too long together.
    """
    words = known_words("sentence", sentence)
    if task == "question":
        words = [*known_words("question", question), CONTEXT, *words]
    first = {OWN: [f"{task}:"], NONE: []}.get(prefix, [prefix])
    text = [*first, *words]
    wanted = f"be at most {MOST} words with all that is read"
    require(len(text) <= MOST, "sentence", wanted, len(text))
    return text


def known_words(name: str, sentence: str) -> list[str]:
    """Split a sentence into words of the vocabulary.

    Capitals, commas and full stops do not matter; a question mark is a word.

    Raises:
        TypeError, ValueError: there is none, or the model does not know one.
    """
    given = " ".join(sentence_words(sentence, MOST, name))
    words = sentence_words(re.sub("[.,]|(?=[?])", " ", given), MOST, name)
    check_known(name, [KNOWN.get(word.casefold(), word) for word in words], OFFERED)
    return [KNOWN[word.casefold()] for word in words]


@lru_cache(maxsize=32)
def _read(source: tuple[str, ...]) -> tuple[list[str], Recording]:
    """What the model writes on a text, its end included, and what it computes."""
    model = _trained()
    ids = torch.tensor([VOCABULARY.encode(source)])
    [words] = write(model, ThreeTasks(), ids)
    target = torch.tensor([VOCABULARY.encode([SOS, *words])])
    with torch.no_grad(), record(model) as tensors:
        model(ids, target)
    return [*words, EOS], tensors


def text_to_text_sheet(
    *, task: Task, sentence: str, question: str, prefix: str, head: Head
) -> Sheet:
    """What each task writes, and where each word that is written looks in the text."""
    source = text_of(task=task, sentence=sentence, question=question, prefix=prefix)
    words, tensors = _read(tuple(source))
    s = Sheet()
    s.control("task", shown=False)  # a click on what a task writes chooses it
    s.control("question", shown=task == "question")
    labels = Labels(words=words, source=source, vocabulary=VOCABULARY.words)
    seen = RecordedPass(s, _trained(), tensors, labels)
    name = WEIGHTS.format(0)
    if head == HEADS[0]:
        axes = seen.table(name, 0).axes
        weights = s.leaf("weights", *axes, tensors[name][0].mean(0))
    else:
        weights = s.renamed("weights", seen.table(name, int(head) - 1))
    asked = {"sentence": sentence, "question": question}
    show_tasks(s, task, source, words, asked)
    prefix, _, answer = row_of(source, words)
    told = "Without a prefix" if prefix == NONE else f"“{prefix}”"
    look: Style = {"vmax": 1.0, "blank_zeros": True, "concludes": True}
    look |= {"axes": ("output", "input"), "note": f"{told} → {answer}"}
    look |= {"formula": "where each output word looks, each row sums to 1", "band": 1}
    look["sentence"] = "to write “{row}”: the share that “{column}” gets"
    s.show(weights, "cross-attention", leads=True, **look)
    return s


def show_tasks(
    s: Sheet, task: Task, source: list[str], words: list[str], asked: dict[str, str]
) -> None:
    """Show what the model makes of the sentence by each task; a click chooses one."""
    lines = [row_of(source, words) if t == task else line_of(t, asked) for t in TASKS]
    wide = [*COLUMNS.values()]
    lefts = np.cumsum([0.0, *(x + APART for x in wide)])
    rows = [*range(1, 1 + len(TASKS)), 0]  # the names of the columns are the last
    texts = [*lines, tuple(COLUMNS)]
    shades = [*(CHOSEN * (t == task) for t in TASKS), 0.0]
    drawing = Tiles(
        name="tasks",
        title="one model, three tasks",
        formula="click one",
        faces=[
            ("", plots.short(text, int(LETTERS * room)))
            for line in texts
            for text, room in zip(line, wide, strict=True)
        ],
        sayings=[said for line in lines for said in [saying(*line)] * len(wide)]
        + [f"the {name} of each task" for name in COLUMNS],
        board=(float(lefts[-1]) - APART, 1.0 + len(TASKS)),
        wide=wide * len(texts),
        listed=True,
        later=len(wide),
        chooses=("task", [t for task in [*TASKS, None] for t in [task] * len(wide)]),
    )
    each = zip(rows, shades, strict=True)
    s.draw(drawing, [[x, float(y), shade] for y, shade in each for x in lefts[:-1]])


def row_of(source: list[str], words: list[str]) -> tuple[str, str, str]:
    """The prefix, the rest of what is read, and what is written."""
    told = source[0].endswith(":") and source[0] != CONTEXT
    return source[0] if told else NONE, " ".join(source[told:]), said(words)


def saying(prefix: str, read: str, answer: str) -> str:
    """What a task reads and writes, in one line."""
    told = "" if prefix == NONE else f"{prefix} "
    return f"{told}{read} → {answer}"


def line_of(task: Task, asked: dict[str, str]) -> tuple[str, str, str]:
    """The columns of a task with its own prefix; what it cannot read is left out."""
    try:
        source = text_of(task=task, prefix=OWN, **asked)
    except ValueError:  # what another task cannot read is refused where it is chosen
        return f"{task}:", "…", "…"
    return row_of(source, _read(tuple(source))[0])


def said(words: list[str]) -> str:
    """What was written, its end left out."""
    return spoken(words[:-1]) or "nothing"
