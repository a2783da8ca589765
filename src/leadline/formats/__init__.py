"""One file a format: what it looks like and how it is read. Imports from files and above."""
