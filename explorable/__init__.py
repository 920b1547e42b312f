"""What every explorer is made of; here, what most of them name.

The kinds of drawing stand beside it, in `explorers/drawings`.
"""

from .drawing import Array
from .explorer import Explorer
from .job import Job
from .looks import Look
from .sheet import Sheet
from .trace import Axes, Axis, Table

__all__ = ["Array", "Axes", "Axis", "Explorer", "Job", "Look", "Sheet"]
__all__ += ["Table"]
