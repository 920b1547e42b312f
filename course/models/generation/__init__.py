"""A small model that writes stories."""
