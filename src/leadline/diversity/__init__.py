"""Novelty and diversity measures, on labels and on text.

Imports from measures and above.
"""
