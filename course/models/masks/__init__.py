"""Small models that see the future, or do not."""
