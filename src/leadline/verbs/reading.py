"""How verbs get their collection: read for them, or read before and handed in."""

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from leadline.collection.inputs import TopicNames, collection_inputs
from leadline.formats.ranking import Ranks
from leadline.verbs.result import chosen

if TYPE_CHECKING:
    from leadline.collection.collection import Collection

Progress = Callable[[int, int], None]
"""Called with how much is done, and of how much."""


def collection_for(
    qrels: Any,
    runs: Any,
    topics: TopicNames,
    pool: Any,
    ranks: Ranks,
    lenient: bool,
    map_grades: Mapping[int, int] | None,
    progress: Progress | None = None,
    **more: Any,
) -> "Collection":
    """What `leadline.read` gives for the words of a verb; none stands for no qrels."""
    # Only here, because it loads polars, which `evaluate` can often do without.
    from leadline.collection.read import read

    chosen("ranks", ranks, Ranks)
    if runs is not None and is_unjudged(qrels, runs):
        qrels = None
    if is_collection(qrels):
        qrels = qrels.apart()
    return read(
        qrels,
        runs,
        topics=topics,
        pool=pool,
        ranks=ranks,
        lenient=lenient,
        map_grades=map_grades,
        progress=progress,
        **more,
    )


def is_collection(what: Any) -> bool:
    """Whether this was read before."""
    if what is None or isinstance(what, str | os.PathLike):
        return False
    from leadline.collection.collection import Collection

    return isinstance(what, Collection)


def is_unjudged(qrels: Any, runs: Any = None) -> bool:
    """Whether nothing is judged yet: none in place of qrels, or a folder without any."""
    if runs is not None:
        return qrels is None or (isinstance(qrels, str) and qrels == "none")
    if not isinstance(qrels, str | os.PathLike):
        raise TypeError("without `runs`, `qrels` must be a collection folder or a Collection")
    return collection_inputs(qrels, need_qrels=False)[0] is None
