"""Matrices: their Python, their picture at rest, and what draws them in the page."""

from .matrix import Matrix as Matrix
