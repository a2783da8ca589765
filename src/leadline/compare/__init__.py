"""Which differences to trust: tests, correlations. Imports from naming, data and measures."""
