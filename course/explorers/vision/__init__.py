"""Explorers of pictures, and of pictures with words."""
