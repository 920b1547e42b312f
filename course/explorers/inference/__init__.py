"""Explorers of what a long text costs, and of three ways to make it cheaper."""
