"""Explorers of masks."""
