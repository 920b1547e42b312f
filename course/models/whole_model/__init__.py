"""Whole Transformers, small."""
