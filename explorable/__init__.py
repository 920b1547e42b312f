"""What every explorer is made of; here, what most of them name.

The kinds of drawing stand beside it, in `explorers/drawings`.
"""

from .drawing import Array
from .explorer import Explorer
from .job import Job
from .sheet import Sheet
from .style import Style
from .trace import Axes, Axis, Table

__all__ = ["Array", "Axes", "Axis", "Explorer", "Job", "Sheet", "Style"]
__all__ += ["Table"]
