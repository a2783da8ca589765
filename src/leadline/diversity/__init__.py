"""Novelty and diversity measures, on labels and on text.

Imports from naming, data, formats and measures.
"""
