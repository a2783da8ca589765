"""One module a family of measures, with formulas and bounds. Measures see only lists."""
