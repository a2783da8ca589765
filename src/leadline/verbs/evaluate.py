"""evaluate: the score of every run, the interval that is certain to hold it, the share judged."""

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, get_args

import numpy as np
import polars as pl

from leadline.data.lists import Lists
from leadline.data.scores import Scores
from leadline.formats import pool_csv
from leadline.formats.inputs import (
    NamedRun,
    collection_inputs,
    qrels_from,
    rows_together,
    runs_from,
    topics_from,
)
from leadline.formats.join import JudgedIndex, join
from leadline.formats.problems import InputError, Notices
from leadline.formats.qrels import Qrels
from leadline.formats.ranking import Ranks, rank
from leadline.formats.reading import Reading
from leadline.formats.rows import Rows
from leadline.formats.topics_seen import Missing, RunTopics, TopicsSeen, Unjudged, some_of
from leadline.measures.protocol import Measure, measures

DEFAULT = ("RBP(p=0.8)", "nDCG@10", "P@10")
_SMALL = 8 << 20
"""Bytes of runs that may be in memory together."""


@dataclass(frozen=True)
class Evaluation:
    """Scores per measure, in the order asked for, and what should be said about them."""

    scores: dict[str, Scores]
    notices: Notices = field(default_factory=Notices)

    def frame(self, per_topic: bool = False) -> pl.DataFrame:
        """Columns run, topic, measure, value, lower, upper, judged; topic `all` is the mean."""
        return pl.concat([scores.frame(per_topic) for scores in self.scores.values()])


def evaluate(
    qrels: Any,
    runs: Any = None,
    measures: Sequence[str | Measure] | str | Measure = DEFAULT,
    *,
    per_topic: bool = False,
    **options: Any,
) -> pl.DataFrame:
    """Columns run, topic, measure, value, lower, upper, judged of every run.

    `qrels` and `runs` may be paths, dicts, pandas, polars or Arrow tables, or ir_measures' tuples;
    without `runs`, `qrels` is a collection folder. Topic `all` is the mean over topics; `per_topic`
    adds a row for each. Options are those of `evaluate_runs`; notices go to the log "leadline".

    >>> evaluate({"1": {"a": 1}}, {"1": {"a": 9.0, "b": 8.0}}, "P@2")["upper"].to_list()
    [1.0]
    """
    result = evaluate_runs(qrels, runs, measures, **options)
    log = logging.getLogger("leadline")
    for problem in result.notices.problems:
        log.log(logging.INFO if problem.level == "notice" else logging.WARNING, "%s", problem)
    return result.frame(per_topic)


def evaluate_runs(
    qrels: Any,
    runs: Any = None,
    names: Sequence[str | Measure] | str | Measure = (),
    *,
    ranks: Ranks = "score",
    lenient: bool = False,
    map_grades: Mapping[int, int] | None = None,
    topics: Iterable[str] | str | os.PathLike[str] | None = None,
    pool: str | os.PathLike[str] | pl.DataFrame | None = None,
    missing_topics: Missing = "lowest",
    unjudged_topics: Unjudged = "ignore",
    progress: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """The same with all notices, and with scores as tables.

    `ranks="listed"` takes lists as the file has them, not by score. `lenient` skips faulty lines.
    `map_grades` changes grades as they are read. `topics` and `pool` restrict what counts. A judged
    topic that a run does not return scores its lowest, or is skipped. A topic without judgments is
    ignored, or scored with everything unjudged.
    """
    asked = [names] if isinstance(names, str | Measure) else list(names)
    wanted = [measures.parse(name) if isinstance(name, str) else name for name in asked]
    wanted = list({str(measure): measure for measure in wanted}.values())
    for option, known in (
        (ranks, get_args(Ranks)),
        (missing_topics, get_args(Missing)),
        (unjudged_topics, get_args(Unjudged)),
    ):
        if option not in known:
            raise ValueError(f"expected one of {', '.join(known)}, not {option!r}")
    reading = Reading(lenient, map_grades)
    notices = reading.notices
    if runs is None:
        qrels, runs = collection_inputs(qrels)
    named = runs_from(runs)
    judged = qrels_from(qrels, reading)
    chosen = None
    if topics is not None:
        chosen = topics_from(topics) if isinstance(topics, str | os.PathLike) else list(topics)
        judged = _restricted(judged, chosen, notices)
    if pool is not None:
        members = (
            pool_csv.as_pool(pool) if isinstance(pool, pl.DataFrame) else pool_csv.read_pool(pool)
        )
        judged = pool_csv.restrict(judged, members)
    index = JudgedIndex.of(judged)
    each_run = _EachRun(wanted, index, ranks, missing_topics, unjudged_topics, reading)
    seen = TopicsSeen(index.topics, judged.name, chosen)
    parts: dict[str, list[Scores]] = {str(measure): [] for measure in wanted}
    for number, found in enumerate(each_run.all(named)):
        notices.problems.extend(found.notices.problems)
        seen.add(found.run, found.topics, notices)
        for scores in found.scores:
            parts[scores.measure].append(scores)
        if progress is not None:
            progress(number + 1, len(named))
    seen.report(notices, missing_topics, unjudged_topics)
    stacked = {name: Scores.stack(_aligned(each)) for name, each in parts.items()}
    for name, each in stacked.items():
        _say_undefined(name, each, notices)
    return Evaluation(stacked, notices)


@dataclass(frozen=True)
class _OfRun:
    """What one run gives."""

    run: str
    scores: list[Scores]
    topics: RunTopics
    notices: Notices


@dataclass(frozen=True)
class _EachRun:
    """Reads and scores runs."""

    measures: list[Measure]
    index: JudgedIndex
    ranks: Ranks
    missing_topics: Missing
    unjudged_topics: Unjudged
    reading: Reading

    def all(self, named: list[NamedRun]) -> Iterator[_OfRun]:
        """The runs in their order; small files are read together, ahead of being scored."""
        batches = list(_batches(named))
        with ThreadPoolExecutor(1) as reader:
            ahead = reader.submit(_read_small, batches[0])
            for number, batch in enumerate(batches):
                rows = ahead.result()
                if number + 1 < len(batches):
                    ahead = reader.submit(_read_small, batches[number + 1])
                read: Sequence[Rows | None] = rows or [None] * len(batch)
                yield from map(self.one, batch, read)

    def one(self, run: NamedRun, rows: Rows | None) -> _OfRun:
        """One run, with its own notices, so that they come in the order of the runs."""
        reading = replace(self.reading, notices=Notices())
        rows = run.rows(reading) if rows is None else rows
        ranking = rank(rows, self.ranks)
        topics = RunTopics.of(rows, ranking, self.index)
        if ranking.n_made:
            message = (
                f"{ranking.n_made} neighbours have scores that are equal as 32-bit floats only; "
                "they count as ties, ordered by docno descending, as in trec_eval"
            )
            reading.notices.add(run.name, "notice", "made-ties", message)
        index = self.index
        if self.unjudged_topics == "include":
            index = index.including(topics.unjudged)
        lists = join(run.name, rows, ranking, index)
        scores = [_score(measure, lists, self.missing_topics) for measure in self.measures]
        return _OfRun(run.name, scores, topics, reading.notices)


def _batches(named: list[NamedRun]) -> Iterator[list[NamedRun]]:
    """Runs in their order, as many at a time as are small together."""
    batch: list[NamedRun] = []
    size = 0
    for run in named:
        if batch and size + run.size > _SMALL:
            yield batch
            batch, size = [], 0
        batch.append(run)
        size += run.size
    if batch:
        yield batch


def _read_small(batch: list[NamedRun]) -> list[Rows] | None:
    """A batch of small files; a large one is read when its turn comes, so that no two meet."""
    return rows_together(batch) if sum(run.size for run in batch) <= _SMALL else None


def _score(measure: Measure, lists: Lists, missing_topics: Missing) -> Scores:
    scores = measure.score(lists)
    if missing_topics == "lowest" or (lists.length > 0).all():
        return scores
    return scores.without(lists.length == 0)


def _restricted(judged: Qrels, chosen: list[str], notices: Notices) -> Qrels:
    kept = judged.restrict(chosen)
    unknown = sorted(set(chosen) - set(kept.frame["topic"].unique().to_list()))
    if unknown:
        message = f"has no judgments for {some_of(unknown)} of the topics asked for"
        notices.add(judged.name, "warning", "unknown-topic", message)
    if kept.frame["grade"].drop_nulls().is_empty():
        some = ", ".join(chosen[:5])
        raise InputError.of(judged.name, "topics", f"has no judgments for the topics given: {some}")
    return kept


def _aligned(parts: list[Scores]) -> list[Scores]:
    """All parts over the same topics; runs differ in them only if unjudged ones are included."""
    if len({part.topics for part in parts}) == 1:
        return parts
    from leadline.data.pairs import topic_order

    topics = tuple(topic_order({topic for part in parts for topic in part.topics}))
    return [part.over(topics) for part in parts]


def _say_undefined(name: str, scores: Scores, notices: Notices) -> None:
    gone = np.flatnonzero(np.isnan(scores.value).all(axis=0))
    topics = [scores.topics[at] for at in gone]
    if topics:
        message = f"is undefined on {len(topics)} topics, which no mean includes: {some_of(topics)}"
        notices.add(name, "notice", "undefined", message)
