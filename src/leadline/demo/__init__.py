"""A small collection written for this project: 210 documents about the sea, 20 topics, 24 runs."""

from pathlib import Path

COLLECTION = Path(__file__).parent / "collection"
"""A collection folder as `leadline evaluate` reads it, with documents, topics and subtopics."""
