"""Trees: their Python, their picture at rest, and what draws them in the page."""

from .tree import State as State
from .tree import Tree as Tree
