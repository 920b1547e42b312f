"""A quiz as data: questions, with feedback on each of their answers."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Answer:
    """One of the answers to a question.

    Args:
        text: the answer.
        feedback: why it is right, or which idea leads to it.
        right: whether it is right.
    """

    text: str
    feedback: str
    right: bool = False


@dataclass(frozen=True)
class Question:
    """A question with three to five answers, of which one is right.

    Raises:
        ValueError: there are more or fewer answers, or right answers.
    """

    text: str
    answers: tuple[Answer, ...]

    def __post_init__(self) -> None:
        right = sum(answer.right for answer in self.answers)
        if not 3 <= len(self.answers) <= 5 or right != 1:
            raise ValueError(
                "a question has 3 to 5 answers, one of them right, got "
                f"{len(self.answers)} with {right} right: {self.text!r}"
            )
