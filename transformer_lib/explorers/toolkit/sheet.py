"""Sheet: an explorer's mathematics on matrices with named axes, traced as it is done.

What a cell was made of follows from the operation that made its table, and its labels
from the axes. The trace (`Table.made`) is data: the page explains every cell by it.
"""

from typing import Any

from .looks import full_colour, usual_look
from .operations import Operations
from .panel import Panel
from .trace import Table


class Sheet(Operations):
    """Tables that are made of each other by operations, and what is shown of them."""

    def show(self, table: Table, title: str = "", **look: Any) -> Panel:
        """Add the drawing of a table; its labels, axes and colours follow from it.

        Args:
            table: of this sheet.
            title: what it is called; its name by default.
            look: attributes of `Panel` that are to be others than `LOOKS` says.

        Returns:
            the drawing, whose look another one may share.
        """
        usual = {"hidden": table.hidden, **usual_look(table), **look}
        if "limit" not in usual:
            usual["limit"] = full_colour(table.values)
        panel = Panel(
            name=table.name,
            title=title or table.name,
            rows=table.rows.labels,
            columns=table.columns.labels,
            axes=(table.rows.name, table.columns.name),
            made=table.made,
            **usual,
        )
        self.draw(panel)
        return panel
