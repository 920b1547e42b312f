"""Text: words, their vocabulary and their ids."""
