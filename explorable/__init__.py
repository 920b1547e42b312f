"""What every explorer is made of; here, what most of them name.

The kinds of drawing stand beside it, in `explorers/drawings`.
"""

from .drawing import Array
from .explorer import Explorer
from .long_work import LongWork
from .sheet import Sheet
from .style import Style
from .trace import Axes, Axis, Table

__all__ = ["Array", "Axes", "Axis", "Explorer", "LongWork", "Sheet", "Style"]
__all__ += ["Table"]
