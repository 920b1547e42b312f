"""Curves and points on a circle: Python, pictures at rest, and what draws them."""

from .curves import Curves as Curves
from .unit_circle import UnitCircle as UnitCircle
