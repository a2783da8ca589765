"""How good a cheap judge is, and whom it favours, by what people said of the same pairs.

Imports from comparison and above.
"""
