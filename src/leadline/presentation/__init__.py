"""Tables and charts for people: the terminal, notebooks, pages. Imports from judging and above.

It takes what others computed, never a function or method that computes.
"""
