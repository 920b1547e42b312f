"""Explorers of a training: what a model does after each of its steps."""
