"""Explorers of scaled dot-product attention."""
