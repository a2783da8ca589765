"""One file per pool strategy: which pairs to judge. Imports from naming and data."""
