"""Bars: their Python, their picture at rest, and what draws them in the page."""

from .bars import Bars as Bars
