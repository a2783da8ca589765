"""A test collection as one thing: runs and judgments over the same pairs, read once.

Imports from formats and above.
"""
