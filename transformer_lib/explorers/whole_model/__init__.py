"""The whole model: a sentence goes in, and a probability for every word comes out."""
