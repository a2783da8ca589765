"""The methods that take part, found by their registry."""
