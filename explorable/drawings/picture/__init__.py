"""Pictures: their Python, their picture at rest, and what draws them in the page."""

from .picture import PixelGrid as PixelGrid
