"""Sessions: an order, the judgments so far and a rule that says when it is enough.

Imports from comparison and above.
"""
