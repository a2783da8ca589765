"""One file per way to estimate the gain of documents that nobody judged.

Imports from naming, data, measures, pools and compare.
"""
