"""What checks: arguments at the public edge, and the machine a course runs on."""
