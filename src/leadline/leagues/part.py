"""What one draw of the league is played on: a half of a collection's topics, some of its runs."""

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from leadline.collection.collection import Collection
from leadline.collection.read import read
from leadline.experiments.hui17_setup import Hui17Setup, setup_of
from leadline.experiments.runner import seed_of
from leadline.leagues.simulated import SIMULATED, simulated
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs

LOOKED_AT = 100
"""Lists are cut to this rank: judgments of most collections reach no deeper."""

FEWEST_TOPICS = 5


@dataclass(frozen=True)
class DrawSize:
    """How parts are drawn: the share of the topics, the most of them, and the most runs."""

    share: float = 0.5
    runs: int = 24
    topics: int = 25

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ValueError(f"share must lie above 0 and not above 1, not {self.share}")
        if self.runs < 2:
            raise ValueError(f"runs must be at least 2, not {self.runs}")
        if self.topics < 2:
            raise ValueError(f"topics must be at least 2, not {self.topics}")


@dataclass(frozen=True, eq=False)
class CollectionPart:
    """Runs, and a grade for every pair: one that nobody judged is not relevant.

    `diverse` has the lists with judgments per subtopic and texts, where the task is about these.
    """

    runs: Runs
    answers: Judgments
    seed: int
    diverse: Hui17Setup | None = None


@lru_cache(maxsize=2)
def collection_of(source: str, cheap: str | None = None, subtopics: bool = False) -> Collection:
    """A folder, or the name of a simulated collection; with a cheap judge's labels if named."""
    if source in SIMULATED:
        return simulated(source)
    labels = None if cheap is None else [cheap]
    return read(Path(source), cheap=labels, depth=LOOKED_AT, subtopics=subtopics)


@lru_cache(maxsize=2)
def part_of(
    source: str,
    draw: int,
    seed: int,
    how: DrawSize,
    cheap: str | None = None,
    subtopics: bool = False,
) -> CollectionPart:
    """The part of a draw: the same for every entrant, task and measure."""
    whole = collection_of(source, cheap, subtopics)
    random = np.random.default_rng(seed_of(f"{Path(source).name} {draw}", seed))
    topics = whole.runs.pairs.topics
    n = min(len(topics), how.topics, max(FEWEST_TOPICS, round(how.share * len(topics))))
    kept = np.sort(random.choice(len(topics), n, replace=False))
    half = whole.on(topics[at] for at in kept.tolist())
    n_runs = min(how.runs, len(half.runs.names))
    chosen = np.sort(random.choice(len(half.runs.names), n_runs, replace=False))
    half = replace(half, runs=half.runs.only(chosen))
    known = half.judgments
    everything = np.ones(len(known.grade), np.bool_)
    answers = Judgments(known.pairs, everything, known.grade, max_grade=known.max_grade)
    diverse = setup_of(half, source) if subtopics else None
    return CollectionPart(half.runs, answers, int(random.integers(1 << 31)), diverse)


def forget() -> None:
    """Let go of what was read."""
    for kept in (collection_of, part_of):
        kept.cache_clear()
