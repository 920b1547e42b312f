"""Small models that learn the rows of an embedding."""
