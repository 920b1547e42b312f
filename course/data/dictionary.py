"""A dictionary: the entries of WordNet 3.0, and the byte pairs learned from them.

The repository holds a sample of the entries (`dictionary.tsv`) and the learned byte
pairs (`dictionary_merges.txt`). All 100,000 entries are needed to train the models
anew; Debian's package `wordnet-base` installs them. WordNet's license is kept in
`dictionary_license.txt`.

    python -m course.data.dictionary /usr/share/wordnet

writes the sample and the byte pairs again.

Source: Fellbaum (1998), WordNet: An Electronic Lexical Database.
"""

import os
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from transformer_lib.checks.validation import require
from transformer_lib.text.subwords import LETTERS, BytePairs

HERE = Path(__file__).parent
SAMPLE = HERE / "dictionary.tsv"
MERGES = HERE / "dictionary_merges.txt"
NOT_SHOWN = HERE / "not_shown.txt"
#: Where Debian's package puts the files; the variable WORDNET names another folder.
FOLDER = Path(os.environ.get("WORDNET", "/usr/share/wordnet"))

FILES = {"noun": "noun", "verb": "verb", "adj": "adjective", "adv": "adverb"}
PARTS_OF_SPEECH = [*FILES.values()]
#: WordNet's 25 kinds of noun, by the number that its files give them.
KINDS = {
    4: "act",
    5: "animal",
    6: "artifact",
    7: "attribute",
    8: "body",
    9: "cognition",
    10: "communication",
    11: "event",
    12: "feeling",
    13: "food",
    14: "group",
    15: "location",
    16: "motive",
    17: "object",
    18: "person",
    19: "phenomenon",
    20: "plant",
    21: "possession",
    22: "process",
    23: "quantity",
    24: "relation",
    25: "shape",
    26: "state",
    27: "substance",
    28: "time",
}
LENGTHS = range(8, 161)  # characters of a definition
HELD_OUT, VALIDATION, LEARNED = 1000, 400, 1000  # entries in the sample

PAD, SOS, MEANS, EOS, MASK = "⟨PAD⟩", "⟨SOS⟩", "⟨MEANS⟩", "⟨EOS⟩", "⟨MASK⟩"
SPECIAL = [PAD, SOS, MEANS, EOS, MASK, *(f"⟨{name}⟩" for name in PARTS_OF_SPEECH)]
SIZE = 2048  # tokens of the vocabulary


class Entry(NamedTuple):
    """An entry: one meaning, and the words that have it.

    words: the words, the most common first.
    part_of_speech: "noun", "verb", "adjective" or "adverb".
    kind: of a noun, one of `KINDS`; otherwise "".
    definition: what the words mean.
    """

    words: tuple[str, ...]
    part_of_speech: str
    kind: str
    definition: str


class Parts(NamedTuple):
    """The entries to learn from, to choose settings by, and to judge models by.

    No entry of one part shares a word with an entry of another.
    """

    learned: list[Entry]
    validation: list[Entry]
    held_out: list[Entry]


@cache
def sample() -> Parts:
    """Read the entries that the repository holds.

    The held-out and the validation entries are all that there are; the learned ones are
    nouns, as many of each kind as possible.
    """
    found = Parts([], [], [])
    for line in SAMPLE.read_text("utf-8").splitlines():
        part, speech, kind, words, definition = line.split("\t")
        entry = Entry(tuple(words.split("|")), speech, kind, definition)
        getattr(found, part).append(entry)
    return found


@cache
def everything(folder: Path = FOLDER) -> Parts:
    """Read all entries of WordNet, and split them by word.

    Raises:
        FileNotFoundError: the folder holds no WordNet.
    """
    return split(read(folder))


def read(folder: Path = FOLDER) -> list[Entry]:
    """Read WordNet's entries: those whose definition is short, and can be shown.

    A definition is what stands before the first example, with 8 to 160 characters of
    an English keyboard.

    Raises:
        FileNotFoundError: the folder holds no WordNet.
    """
    if not (folder / "data.noun").exists():
        cure = "install Debian's package wordnet-base, or set the variable WORDNET"
        raise FileNotFoundError(f"no WordNet in {folder}: {cure} to its folder")
    found = []
    for end, speech in FILES.items():
        for line in (folder / f"data.{end}").read_text("latin-1").splitlines():
            if not line.startswith("  "):  # the license
                found.append(_entry(line, speech))
    return [entry for entry in found if _is_usable(entry)]


def _entry(line: str, speech: str) -> Entry:
    """Read a line of a file: offset, kind, type, count, words …, "|" and the text."""
    head, text = line.split("|", 1)
    fields = head.split()
    count = int(fields[3], 16)
    words = [re.sub(r"\(.*\)", "", w) for w in fields[4 : 4 + 2 * count : 2]]
    definition = re.split(r';\s*(?=")', text.strip(), maxsplit=1)[0]
    kind = KINDS.get(int(fields[1]), "")
    clean = definition.strip().rstrip(";").replace("\t", " ")
    return Entry(tuple(w.replace("_", " ") for w in words), speech, kind, clean)


def _is_usable(entry: Entry) -> bool:
    short = len(entry.definition) in LENGTHS
    plain = (entry.definition + "".join(entry.words)).isascii()
    return short and plain and is_shown(" ; ".join([*entry.words, entry.definition]))


def split(entries: Sequence[Entry]) -> Parts:
    """Draw the held-out and the validation entries; leave out what shares their words.

    Upper and lower case are one word here.
    """
    rest = [*entries]
    random.Random(0).shuffle(rest)
    parts = []
    for count in (HELD_OUT, VALIDATION):
        chosen, rest = rest[:count], rest[count:]
        words = {word.lower() for entry in chosen for word in entry.words}
        rest = [e for e in rest if words.isdisjoint(map(str.lower, e.words))]
        parts.append(chosen)
    held_out, validation = parts
    return Parts(rest, validation, held_out)


def is_shown(text: str) -> bool:
    """Tell whether a page may show a text: it holds nothing that `not_shown.txt` lists.

    The beginnings of words count, and words with other signs around them; upper and
    lower case do not.
    """
    return not _not_shown().search(" ".join(re.findall(r"[\w'-]+", text.lower())))


def unfinished(text: str) -> str:
    """Return the end of a text from which something that is not shown may grow.

    For a text that is shown, and any `more` to follow it, `is_shown(text + more)` is
    `is_shown(unfinished(text) + more)`. Most texts end in nothing of this kind: then it
    is "0", which stands for any letter, or "" between two words.
    """
    said = " ".join(re.findall(r"[\w'-]+", text.lower()))
    if not re.search(r"[\w'-]$", text):
        said += " "
    for start in re.finditer(r"\b(?=\w)", said):
        if any(line.startswith(said[start.start() :]) for line in not_shown()):
            return said[start.start() :]
    return "0" if re.search(r"\w$", said) else ""


@cache
def not_shown() -> tuple[str, ...]:
    """Return what no page shows: words, phrases, and beginnings of words with a "*"."""
    lines = NOT_SHOWN.read_text("utf-8").splitlines()
    return tuple(line for line in lines if line and line[0] != "#")


@cache
def _not_shown() -> re.Pattern[str]:
    whole = "|".join(re.escape(word) for word in not_shown() if word[-1] != "*")
    begun = "|".join(re.escape(word[:-1]) for word in not_shown() if word[-1] == "*")
    return re.compile(rf"\b(?:(?:{whole})\b|(?:{begun}))")


@cache
def tokenizer() -> BytePairs:
    """Return the tokenizer of the dictionary: 2,048 tokens, 9 of them special."""
    merges = [tuple(line.split(" ")) for line in MERGES.read_text().splitlines()]
    words = [*SPECIAL, *LETTERS.values(), *(a + b for a, b in merges)]
    return BytePairs(words, [(a, b) for a, b in merges], dict.fromkeys(SPECIAL, False))


def prompt(word: str, part_of_speech: str = "noun") -> list[int]:
    """Return the tokens before a definition: ⟨SOS⟩, ⟨noun⟩, the word, ⟨MEANS⟩.

    Raises:
        ValueError: part_of_speech is not one of the four.
    """
    known = f"be one of {PARTS_OF_SPEECH}"
    require(part_of_speech in PARTS_OF_SPEECH, "part_of_speech", known, part_of_speech)
    special = tokenizer().vocabulary.encode([SOS, f"⟨{part_of_speech}⟩", MEANS])
    return [*special[:2], *pieces(word), special[2]]


def pieces(text: str) -> list[int]:
    """Return the ids of a text's tokens; each word has a space before it."""
    return tokenizer().encode(f" {text}")


def in_ids(entry: Entry, word: int = 0) -> list[int]:
    """Return an entry's tokens: those of `prompt`, the definition, and ⟨EOS⟩."""
    before = prompt(entry.words[word], entry.part_of_speech)
    return [*before, *pieces(entry.definition), *tokenizer().vocabulary.encode([EOS])]


def learn_merges(texts: Iterable[str], count: int) -> list[tuple[str, str]]:
    """Learn byte pairs: merge the most frequent adjacent pair, and repeat.

    Pairs that are equally frequent are merged in alphabetical order.

    Args:
        texts: what is learned from.
        count: how many pairs.

    Source: Sennrich et al. (2016), algorithm 1.
    """
    splitter = BytePairs([*LETTERS.values()], [], {})
    frequency: Counter[tuple[str, ...]] = Counter()
    for text in texts:
        for word in re.findall(r" ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+", f" {text}"):
            frequency[tuple(splitter.tokens(word))] += 1
    words = [[*word] for word in frequency]
    weights = [*frequency.values()]
    pairs: Counter[tuple[str, str]] = Counter()
    where: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for n, word in enumerate(words):
        for pair in pairwise(word):
            pairs[pair] += weights[n]
            where[pair].add(n)
    found: list[tuple[str, str]] = []
    while len(found) < count:
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        found.append(best)
        for n in sorted(where[best]):  # the words that change
            for pair in pairwise(words[n]):
                pairs[pair] -= weights[n]
            words[n] = merged(words[n], best)
            for pair in pairwise(words[n]):
                pairs[pair] += weights[n]
                where[pair].add(n)
        del pairs[best]
    return found


def merged(parts: Sequence[str], pair: tuple[str, str]) -> list[str]:
    """Merge a pair of neighbors wherever it stands, from left to right."""
    found: list[str] = []
    n = 0
    while n < len(parts):
        joins = tuple(parts[n : n + 2]) == pair
        found.append("".join(pair) if joins else parts[n])
        n += 2 if joins else 1
    return found


def main(folder: Path = FOLDER) -> None:
    """Write the sample and the byte pairs again, from all of WordNet."""
    parts = everything(folder)
    texts = [text for e in parts.learned for text in (*e.words, e.definition)]
    learned = learn_merges(texts, SIZE - len(SPECIAL) - len(LETTERS))
    MERGES.write_text("".join(f"{a} {b}\n" for a, b in learned), "utf-8")
    kept = parts._replace(learned=by_kind(parts.learned, LEARNED // len(KINDS)))
    lines = [
        "\t".join([part, e.part_of_speech, e.kind, "|".join(e.words), e.definition])
        for part, entries in kept._asdict().items()
        for e in entries
    ]
    SAMPLE.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def by_kind(entries: Iterable[Entry], count: int) -> list[Entry]:
    """Take the first entries of each kind of noun, as many as there are up to count."""
    taken: Counter[str] = Counter()
    found: list[Entry] = []
    for entry in entries:
        if entry.kind and taken[entry.kind] < count:
            taken[entry.kind] += 1
            found.append(entry)
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
