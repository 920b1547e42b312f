"""What every explorer is made of; here, what most of them name."""

from .charts import Bars, Curves, Plane, Tiles
from .drawing import Links, Matrix
from .explorer import Explorer
from .looks import Look
from .sheet import Sheet
from .trace import Axes, Axis, Table

__all__ = ["Axes", "Axis", "Explorer", "Look", "Matrix", "Sheet", "Table"]
__all__ += ["Bars", "Curves", "Links", "Plane", "Tiles"]
