"""A recorded pass as a sheet: tables that know what made them."""

from .recorded_pass import Labels, RecordedPass

__all__ = ["Labels", "RecordedPass"]
