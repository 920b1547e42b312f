"""Twelve bugs that real projects had, each planted in a small program that runs."""
