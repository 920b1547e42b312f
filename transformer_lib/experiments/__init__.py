"""What notebooks measure: costs, reach, depth, the inside of a head."""
