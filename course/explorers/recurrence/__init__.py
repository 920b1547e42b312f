"""Explorers of what attention replaced."""
