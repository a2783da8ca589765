"""Tables and charts for people: the terminal, notebooks, pages. Imports from data and above."""
