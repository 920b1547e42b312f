"""What notebooks measure: costs, reach, depth, what an answer comes from."""
