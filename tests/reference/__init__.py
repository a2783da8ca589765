"""Slow, plain reference implementations that the fast code is tested against."""
