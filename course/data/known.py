"""The words that a model knows: a refusal of others names some of them."""

from collections.abc import Collection, Iterable
from difflib import get_close_matches

from transformer_lib.checks.validation import brief

NAMED = 3  # words that a refusal names
LONGEST = 20  # letters of the word that it refuses


def plain(words: Iterable[str]) -> list[str]:
    """Words without special tokens, such as ⟨PAD⟩."""
    return [word for word in words if not word.startswith("⟨")]


def check_known(name: str, words: Iterable[str], known: Collection[str]) -> None:
    """Raise unless a model knows all of these words.

    Raises:
        ValueError: it does not know one; the error names the argument by `name`, and
            known words that are spelled alike, or else a few of all.
    """
    for word in words:
        if word not in known:
            others = [one for one in known if one.isalpha()] or [*known]
            like = get_close_matches(word[:40], others, NAMED)
            few = others[:: max(1, len(others) // NAMED)]
            some = [*dict.fromkeys([*like, *few])][:NAMED]
            such = ", ".join(f"“{one}”" for one in some)
            got = brief(word if len(word) <= LONGEST else word[:LONGEST] + "…")
            wanted = f"hold words that the model knows, such as {such}"
            raise ValueError(f"{name} must {wanted}, got {got}")
