"""Finds the folder of real collections; tests that need one skip where it is absent."""

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("LEADLINE_DATA", Path(__file__).parents[3] / "shared" / "data"))


def collection(name: str) -> Path:
    """The folder of a collection, or a skip."""
    folder = DATA / name
    if not folder.is_dir():
        pytest.skip(f"no {name} in {DATA}: set LEADLINE_DATA to the folder of real collections")
    return folder
