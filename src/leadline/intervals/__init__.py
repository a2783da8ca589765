"""Joint intervals of differences: what the unjudged documents can do to two runs at once.

May depend on the tables and on measures.
"""
