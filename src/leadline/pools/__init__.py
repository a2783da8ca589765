"""One file per pool strategy: which pairs to judge. Imports from intervals and above."""
