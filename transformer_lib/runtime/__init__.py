"""What makes the model safe, watched, remembered and fast."""
