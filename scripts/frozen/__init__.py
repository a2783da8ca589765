"""What `scripts.freeze` runs, reads and compares."""
