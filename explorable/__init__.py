"""The toolkit of explorers; here, the names that most explorers use.

The kinds of drawing are in `drawings`.
"""

from .drawing import Array
from .explorer import Explorer
from .job import Job
from .sheet import Sheet
from .style import Style
from .trace import Axes, Axis, Table

__all__ = ["Array", "Axes", "Axis", "Explorer", "Job", "Sheet", "Style"]
__all__ += ["Table"]
