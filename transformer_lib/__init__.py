"""The mathematics of the Transformer, written once and in the open."""
