"""Small models, each built from the layers to show one thing."""
