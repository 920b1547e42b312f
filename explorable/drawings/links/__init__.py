"""Links: their Python, their picture at rest, and what draws them in the page."""

from .links import Links as Links
