"""Links of attention: their Python, their picture at rest, and what draws them."""

from .links import AttentionLinks as AttentionLinks
