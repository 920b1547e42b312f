"""Curves and points on a circle: Python, pictures at rest, and what draws them."""

from .curves import Curves as Curves
from .plane import Plane as Plane
