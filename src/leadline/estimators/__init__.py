"""One file per way to estimate the gain of documents that nobody judged.

Imports from pools and above.
"""
