"""Runs read and checked one after the other, and what to say of odd ones."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from leadline.data.arrays import Floats, Int64s
from leadline.data.judgments import Judgments
from leadline.data.runs import Runs
from leadline.io.formats import Reading
from leadline.io.inputs import NamedRun
from leadline.io.problems import Progress
from leadline.io.rows import Ranking, Rows, rank
from leadline.io.run_stream import Part, RunStream
from leadline.io.topics_seen import RunTopics, TopicsSeen

Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class CheckedRows:
    """Rows of some runs, ranked, without a fault; those of a run that is `cut` have some topics."""

    names: list[str]
    rows: Rows
    ranking: Ranking
    topics: list[RunTopics]
    cut: bool = False


@dataclass(frozen=True, eq=False)
class CheckedRuns(Generic[Result]):
    """Some runs, the topics of each, and what was made of their rows: of each part, if cut."""

    names: list[str]
    topics: list[RunTopics]
    results: list[Result]
    n_float32_ties: list[int]
    cut: bool = False


def validate_runs(
    stream: RunStream,
    reading: Reading,
    seen: TopicsSeen,
    work: Callable[[CheckedRows], Result],
    progress: Progress | None = None,
) -> Iterator[CheckedRuns[Result]]:
    """The runs in their order, with what `work` makes of their rows as they come.

    A run that is not as it should be is read again, whole, by readers that tell what is wrong.
    Notices and errors about the runs are the same whatever is made of them.
    """
    n_done, n_all = 0, sum(len(batch) for batch in stream.batches)
    for batch, parts in stream:
        together = _together([run.name for run in batch], parts, seen, work)
        one_by_one = (_one(run, stream, reading, seen, work) for run in batch)
        for runs in one_by_one if together is None else [together]:
            for run, topics, n_ties in zip(
                runs.names, runs.topics, runs.n_float32_ties, strict=True
            ):
                if n_ties:
                    seen.float32_ties[run] = n_ties
                seen.add(run, topics)
            n_done += len(runs.names)
            yield runs
            if progress is not None:
                progress(n_done, n_all)


def checked_part(
    stream: RunStream, seen: TopicsSeen, work: Callable[[CheckedRows], Result]
) -> CheckedRuns[Result] | None:
    """What `work` makes of the one run of a stream, which is a part of a file; None if it needs a
    closer look, which only the whole file allows. Its topics are not noted yet.
    """
    for batch, parts in stream:
        return _together([run.name for run in batch], parts, seen, work, cut=True)
    return None


def _one(
    run: NamedRun,
    stream: RunStream,
    reading: Reading,
    seen: TopicsSeen,
    work: Callable[[CheckedRows], Result],
) -> CheckedRuns[Result]:
    rows = run.rows(reading)
    ranking = rank(rows, stream.ties)
    topics = RunTopics.of(rows, ranking, seen)
    seen.look_alikes.look([run.name], rows)
    seen.odd_runs.steps.pop(run.name, None)
    seen.odd_runs.look([run.name], rows)
    result = work(CheckedRows([run.name], rows, ranking, topics))
    return CheckedRuns([run.name], topics, [result], [len(ranking.made)])


def _together(
    names: list[str],
    parts: Iterator[Part],
    seen: TopicsSeen,
    work: Callable[[CheckedRows], Result],
    cut: bool = False,
) -> CheckedRuns[Result] | None:
    """Runs as they were read ahead; None if they need a closer look."""
    results, topics, n_ties = [], [], np.zeros(len(names), np.int64)
    for part in parts:
        # Only now, because whoever reads has more to do than whoever works.
        if part.rows is None or part.ranking is None or not part.rows.are_sound():
            return None
        cut = cut or part.cut
        topics.append(RunTopics.of(part.rows, part.ranking, seen))
        seen.look_alikes.look(names, part.rows)
        seen.odd_runs.look(names, part.rows)
        results.append(work(CheckedRows(names, part.rows, part.ranking, topics[-1], cut)))
        n_ties += np.bincount(part.rows.run_of(part.ranking.made), minlength=len(names))
    of_runs = topics[0]
    if cut:
        whole = RunTopics.union([of_part[0] for of_part in topics])
        if whole is None:
            return None
        of_runs = [whole]
    return CheckedRuns(names, of_runs, results, n_ties.tolist(), cut)


LAST_RANKS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750)
"""Where a segment of ranks ends: single ranks first, then about half as many again."""


@dataclass(frozen=True, eq=False)
class JudgedByRank:
    """share[run, segment] of the entries at these ranks that was judged; NaN where no list goes.

    `first` and `last` are the ranks of each segment.
    """

    first: Int64s
    last: Int64s
    share: Floats


def judged_by_rank(runs: Runs, judgments: Judgments) -> JudgedByRank:
    """The share judged of every run, by segments of ranks down to the end of the longest list."""
    longest = int(runs.length.max(initial=0))
    last = np.array([end for end in LAST_RANKS if end < longest] + [longest] * (longest > 0), int)
    segment = np.repeat(np.arange(len(last)), np.diff(last, prepend=0))
    cell = runs.entries.run * np.int64(len(last)) + segment[runs.entries.rank - 1]
    n_cells = len(runs.names) * len(last)
    listed = np.bincount(cell, minlength=n_cells)
    judged = np.bincount(cell[judgments.judged[runs.pair]], minlength=n_cells)
    share = np.divide(judged, listed, out=np.full(n_cells, np.nan), where=listed > 0)
    first = np.concatenate([[1], last[:-1] + 1])[: len(last)]
    return JudgedByRank(first, last, share.reshape(len(runs.names), len(last)))
