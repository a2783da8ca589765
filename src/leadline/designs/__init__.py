"""Pools that need a model of what the judgments so far say. Imports from estimators and above."""
