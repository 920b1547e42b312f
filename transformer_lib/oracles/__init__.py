"""Oracles: the formulas again in NumPy, and torch's own modules as twins of ours."""
