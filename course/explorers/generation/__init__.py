"""Explorers of how a model writes, token after token."""
