"""Small models with several heads."""
