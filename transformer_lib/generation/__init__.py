"""Generation: greedy, sampled and beam-searched texts."""
