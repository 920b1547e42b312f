"""The model: read these files from top to bottom, and nothing else is needed."""
