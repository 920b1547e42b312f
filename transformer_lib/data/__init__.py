"""The data that the course's small models learn: generated, never downloaded."""
