"""Checks of arguments, at the public edge of the library."""
