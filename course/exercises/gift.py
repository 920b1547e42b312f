r"""Quizzes as text, in the part of Moodle's GIFT format that they need.

    // a comment, outside of a question

    ::sums 1::What is 2 + 2? {
    ~3
        # This answer counts the plus sign.
    =4
        # Two and two make four.
    ~22
        # This answer joins the digits.
    }

The name of a question is between `::` and `::`; `=` comes before the right answer, `~`
before a wrong one, and `#` before the feedback. A text is on one line, and each of its
characters ~ = # { } : \ has a `\` before it. A blank line ends a question.

Source: https://docs.moodle.org/en/GIFT_format
"""

import pathlib
import re

from .quiz import Answer, Question

COMMENT = re.compile(r"^[ \t]*//.*$", re.MULTILINE)
BLOCK = re.compile(r"(?:^.*\S.*\n?)+", re.MULTILINE)
# In GIFT, "[" before a text may name its format, and "%" the weight of an answer.
TEXT = r"\s*+(?![\[%])((?:[^\\~=#{}:\n]|\\[\\~=#{}:])+)"
PARTS = {
    "::a name::a question {": re.compile(rf"\s*::{TEXT}::{TEXT}\{{\s*"),
    "=the right answer, ~a wrong one or }": re.compile(rf"([=~]){TEXT}\s*"),
    "#feedback": re.compile(rf"#{TEXT}\s*"),
    "} and a blank line": re.compile(r"\}\s*\Z"),
}


class _Block:
    """The lines of one question, read from the first part to the last."""

    def __init__(self, lines: re.Match[str], file: str) -> None:
        self.text, self.file = lines.string, file
        self.start, self.end = lines.span()
        self.at = self.start

    def question(self) -> Question:
        """Read the question and its answers."""
        _, text = self.take("::a name::a question {")
        answers = []
        while not self.text.startswith("}", self.at):
            mark, answer = self.take("=the right answer, ~a wrong one or }")
            [feedback] = self.take("#feedback")
            answers.append(Answer(answer, feedback, right=mark == "="))
        self.take("} and a blank line")
        try:
            return Question(text, tuple(answers))
        except ValueError as error:
            raise self.error(self.start, str(error)) from None

    def take(self, expected: str) -> list[str]:
        """Read the next part and return its texts, without the escapes."""
        found = PARTS[expected].match(self.text, self.at, self.end)
        if not found:
            line = self.text[self.at : self.end].partition("\n")[0].strip()
            raise self.error(self.at, f"expected {expected}, got {line!r}")
        self.at = found.end()
        return [re.sub(r"\\(.)", r"\1", text).strip() for text in found.groups()]

    def error(self, at: int, said: str) -> ValueError:
        line = self.text.count("\n", 0, at) + 1
        return ValueError(f"{self.file}, line {line}: {said}")


def read_quiz(file: pathlib.Path) -> tuple[Question, ...]:
    """Read the questions of a file.

    Raises:
        ValueError: a question is written in another way, or does not have 3 to 5
            answers of which one is right. The message names the file and the line.
    """
    text = COMMENT.sub("", file.read_text("utf-8"))
    return tuple(_Block(lines, file.name).question() for lines in BLOCK.finditer(text))
