"""A recorded pass as a sheet: tables that know what made them."""

from . import rules
from .places import of_heads
from .recorded_pass import Labels, RecordedPass

__all__ = ["Labels", "RecordedPass", "of_heads", "rules"]
