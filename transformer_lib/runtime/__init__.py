"""Running a model: recording, patching, caching, seeding, and fast attention."""
