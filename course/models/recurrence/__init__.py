"""Small models that read word after word."""
