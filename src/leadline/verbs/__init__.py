"""One file per verb: the functions that Python users call and the command line wraps.

Imports from every room but web and cli.
"""
