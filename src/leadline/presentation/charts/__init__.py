"""Charts as altair objects."""
