"""Architectures: their Python, their picture at rest, what draws them in the page."""

from .architecture import Architecture as Architecture
from .plan import Column as Column
from .plan import Plan as Plan
from .plan import Row as Row
from .plan import planned as planned
