"""Links: weights as lines from queries to keys, as LinksView and its twin draw them."""

from dataclasses import dataclass

from .drawing import Grid


@dataclass(frozen=True, kw_only=True)
class Links(Grid):
    """Queries at the left, keys at the right, each weight a line between them.

    Its sentence may hold {word}: the query in view. `back` is what is said when a key
    is in view, and `all_of_it` when nothing is. What is hidden has no line.
    """

    axes: tuple[str, str] = ("query", "key")
    sentence: str = "what “{word}” looks at"
    back: str = "how much looks at “{word}”"
    all_of_it: str = "Point at a word to see its weights."

    kind = "links"
    still = ("rows", "columns", "axes")
    moving = ("back", "all_of_it")
