"""Kinds of drawings that only this course needs; the others are the toolkit's."""
