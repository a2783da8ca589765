"""The command line: one file per verb, options in, verbs called, tables out."""
