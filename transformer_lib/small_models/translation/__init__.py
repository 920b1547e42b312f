"""Small models that translate."""
