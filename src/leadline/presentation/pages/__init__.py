"""Self-contained pages: their sections, tables and script."""
