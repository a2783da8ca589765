"""Tables and charts for people: the terminal, notebooks, pages. Imports from judging and above."""
