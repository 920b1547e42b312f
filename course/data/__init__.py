"""What small models learn from: generated, or brought by a package; no download."""
