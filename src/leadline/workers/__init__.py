"""Work in pieces: here, by processes, or on a cluster. Imports from files and above."""
