"""Models that read and do not write."""
