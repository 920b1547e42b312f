"""Models of pictures and words together."""
