"""Explorers of word order and positions."""
