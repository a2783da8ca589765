"""The league: every method asked the same questions, its answers held against the truth.

Imports from every room above; verbs, web and cli call it.
"""
