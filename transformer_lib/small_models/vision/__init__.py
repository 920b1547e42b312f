"""Models that read pictures."""
