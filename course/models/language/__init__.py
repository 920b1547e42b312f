"""Three famous language models in miniature, and what is asked of them."""
