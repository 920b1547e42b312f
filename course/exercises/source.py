"""The library's source code, shown folded."""

import html
import inspect
import pathlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import transformer_lib

LIBRARY = pathlib.Path(transformer_lib.__file__).parent


@dataclass(frozen=True)
class Source:
    """The lines of one object of the library, which displays itself folded.

    Args:
        file: the file, relative to the project's folder.
        text: the lines.
    """

    file: str
    text: str

    def __repr__(self) -> str:
        return f"{self.file}\n\n{self.text}"

    def _repr_html_(self) -> str:
        return (
            f"<details><summary>In the library: <code>{self.file}</code></summary>"
            f"<pre>{html.escape(self.text)}</pre></details>"
        )


def source(thing: Callable[..., Any]) -> Source:
    """Return the lines of one of the library's functions or classes, as in its file.

        source(causal_mask)

    Raises:
        TypeError: it is not a function or class of the library.
    """
    thing = inspect.unwrap(thing)
    if not (inspect.isfunction(thing) or inspect.isclass(thing)):
        raise TypeError(
            f"source takes a function or a class, got {type(thing).__name__}"
        )
    file = pathlib.Path(inspect.getsourcefile(thing) or "")
    if LIBRARY not in file.parents:
        raise TypeError(f"source shows what is in the library, got {thing.__name__}")
    return Source(
        file.relative_to(LIBRARY.parent).as_posix(), inspect.getsource(thing).rstrip()
    )
