"""A quiz as data: questions whose wrong answers know the idea that they come from."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Answer:
    """What one can answer, and what is then said.

    Args:
        text: the answer as it is offered.
        why: if it is right, the reason; else the idea that it comes from.
        right: whether it is right.
    """

    text: str
    why: str
    right: bool = False


@dataclass(frozen=True)
class Question:
    """A question with three to five answers, of which one is right.

    Raises:
        ValueError: the number of answers, or of right ones, is another.
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
