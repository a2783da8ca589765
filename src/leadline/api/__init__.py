"""One module a verb: the functions that Python users call and the command line wraps."""
