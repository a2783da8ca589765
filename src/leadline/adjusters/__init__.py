"""One file per way to put right the scores of runs that were not pooled.

Imports from orders and above.
"""
