"""Explorers of multi-head attention."""
