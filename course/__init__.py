"""The course: what its notebooks use beyond the library and the toolkit."""
