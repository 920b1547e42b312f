"""Small models that are told where a word stands."""
