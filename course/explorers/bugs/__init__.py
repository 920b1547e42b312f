"""Explorers of programs that have a bug."""
