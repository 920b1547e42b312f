"""Explorers of tokens and their vectors."""
