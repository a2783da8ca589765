"""The command line: one module a verb, options in, tables out."""
