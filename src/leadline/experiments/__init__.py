"""Papers replayed: their tables and figures on any collection. Imports from report and above."""
