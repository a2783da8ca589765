"""Papers replayed: tables and figures on any collection. Imports from presentation and above."""
