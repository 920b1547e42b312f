"""Explorers of the whole model."""
