"""Frozen tables that everything else reads: pairs, runs, judgments, pools, lists, scores."""
