"""What verbs ask of their input before they read it."""

import os
from collections.abc import Callable
from typing import Any

from leadline.collection.inputs import collection_inputs

Progress = Callable[[int, int], None]
"""Called with how much is done, and of how much."""


def is_collection(what: Any) -> bool:
    """Whether this was read before."""
    if what is None or isinstance(what, str | os.PathLike):
        return False
    # Only here, because it loads polars, which `evaluate` can often do without.
    from leadline.collection.collection import Collection

    return isinstance(what, Collection)


def is_unjudged(qrels: Any, runs: Any = None) -> bool:
    """Whether nothing is judged yet: none in place of qrels, or a folder without any."""
    if runs is not None:
        return qrels is None or (isinstance(qrels, str) and qrels == "none")
    return collection_inputs(qrels, need_qrels=False)[0] is None
