"""What the documentation's site needs beside its pages: formulas and docstrings."""
