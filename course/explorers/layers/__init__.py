"""Explorers of the layers around attention."""
