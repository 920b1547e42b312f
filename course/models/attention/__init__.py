"""Small models whose attention can be read."""
