"""One file per measure: its name, its formula, its interval. Measures see only Lists.

Imports from collection and above.
"""
