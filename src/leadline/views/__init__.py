"""Results for people: terminal tables, charts, self-contained pages."""
