"""Small runs for Hypothesis, and tables as they were published."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from . import orders as o

PUBLISHED = Path(__file__).parents[3] / "shared" / "published"


@st.composite
def collections(draw: st.DrawFn) -> o.Runs:
    """2..4 runs over 1..3 topics, lists of 0..5 of five docs; a run may miss a topic."""
    rankings = st.lists(st.sampled_from("abcde"), unique=True)
    runs = st.dictionaries(st.sampled_from(["2", "10", "x"]), rankings)
    return draw(st.lists(runs, min_size=2, max_size=4).filter(any))


def published(name: str) -> Any:
    path = PUBLISHED / f"{name}.json"
    if not path.exists():
        pytest.skip("the published values are not here")
    return json.loads(path.read_text(encoding="utf-8"))["table1"]
