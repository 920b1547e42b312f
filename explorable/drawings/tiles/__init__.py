"""Tiles: their Python, their picture at rest, and what draws them in the page."""

from .tiles import Tiles as Tiles
