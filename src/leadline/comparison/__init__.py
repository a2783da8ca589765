"""Which differences to trust: tests, joint intervals, tiers, correlations of orderings.

Imports from adjusters and above.
"""
