"""Bytes and lines of files, faults told by file and line. Imports from tables and above."""
