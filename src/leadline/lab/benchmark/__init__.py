"""Every method asked the same questions, its answers compared with the truth."""
