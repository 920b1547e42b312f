"""Small models that write: with and without shift and mask, in one stack or two."""
