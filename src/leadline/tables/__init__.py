"""Frozen tables that everything else reads: pairs, runs, judgments, pools, lists, scores.

Depends on numpy and polars only, and on no other room.
"""
