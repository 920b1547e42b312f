"""Small models that are trained in seconds, so that a training can be watched."""
