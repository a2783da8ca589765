"""Small collections for pages, with known oddities."""

from pathlib import Path

import numpy as np

import leadline
from leadline.data.judgments import Judgments
from leadline.data.runs import Runs
from leadline.io.collection import Collection
from leadline.io.datasets import COLLECTION
from leadline.pooling.strategies import Depth

Scores = dict[str, dict[str, dict[str, float]]]


def shallow() -> Collection:
    """The demo, of which the first three documents of the pooled runs were judged."""
    from dataclasses import replace

    read = leadline.read(COLLECTION)
    return replace(read, judgments=Depth(3).pool(read.runs).restrict(read.judgments))


def plain(
    judgments: Judgments, judged: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]"
) -> Judgments:
    """Only these judgments."""
    grade = np.where(judged, judgments.grade, 0)
    return Judgments(judgments.pairs, judged, grade, max_grade=judgments.max_grade)


def ranks_of(runs: Runs) -> dict[int, list[tuple[int, int]]]:
    """For every pair the (run, rank) that return it."""
    places: dict[int, list[tuple[int, int]]] = {}
    for run in range(len(runs.names)):
        for topic in range(len(runs.pairs.topics)):
            part = runs.pair[runs.start[run, topic] : runs.stop[run, topic]]
            for rank, pair in enumerate(part.tolist(), 1):
                places.setdefault(pair, []).append((run, rank))
    return places


def runs_of(names: list[str], n_topics: int = 3, n_docs: int = 6) -> Scores:
    """Runs that rank the same documents, each turned by one place more."""
    return {
        name: {
            str(topic): {
                f"d{(rank + turn) % n_docs}": float(n_docs - rank) for rank in range(n_docs)
            }
            for topic in range(1, n_topics + 1)
        }
        for turn, name in enumerate(names)
    }


def write_page(page: str, folder: Path) -> Path:
    path = folder / "report.html"
    path.write_text(page, encoding="utf-8")
    return path
