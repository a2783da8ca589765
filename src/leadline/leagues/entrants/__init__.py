"""Who takes part: one file an entrant, found by its registry; imports what it plays with."""
