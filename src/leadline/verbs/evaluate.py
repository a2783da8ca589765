"""evaluate: the score of every run, the interval that is certain to hold it, the share judged."""

import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from leadline.data.lists import Lists
from leadline.data.scores import Scores
from leadline.formats import pool_csv
from leadline.formats.inputs import (
    collection_inputs,
    qrels_from,
    runs_from,
    topics_from,
)
from leadline.formats.join import JudgedIndex, join
from leadline.formats.problems import MOST, InputError, Notices
from leadline.formats.qrels import Qrels
from leadline.formats.ranking import Ranking, Ranks, rank
from leadline.formats.reading import Reading
from leadline.formats.rows import Rows
from leadline.measures.protocol import Measure, measures

DEFAULT = ("RBP(p=0.8)", "nDCG@10", "P@10")
Missing = Literal["lowest", "skip"]
Unjudged = Literal["ignore", "include"]


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
    parts: dict[str, list[Scores]] = {str(measure): [] for measure in wanted}
    topics_seen = _TopicsSeen(index.topics, judged.name, chosen)
    for number, run in enumerate(named):
        rows = run.rows(reading)
        ranking = rank(rows, ranks)
        topics_seen.add(run.name, rows, ranking, index, notices)
        use = index
        if unjudged_topics == "include":
            use = index.including(topics_seen.unjudged(rows, ranking, index))
        lists = join(run.name, rows, ranking, use)
        for measure in wanted:
            parts[str(measure)].append(_score(measure, lists, missing_topics))
        if progress is not None:
            progress(number + 1, len(named))
    topics_seen.report(notices, missing_topics, unjudged_topics)
    scores = {name: Scores.stack(_aligned(each)) for name, each in parts.items()}
    for name, each in scores.items():
        _say_undefined(name, each, notices)
    return Evaluation(scores, notices)


def _score(measure: Measure, lists: Lists, missing_topics: Missing) -> Scores:
    scores = measure.score(lists)
    if missing_topics == "lowest" or (lists.length > 0).all():
        return scores
    return scores.without(lists.length == 0)


def _restricted(judged: Qrels, chosen: list[str], notices: Notices) -> Qrels:
    kept = judged.restrict(chosen)
    unknown = sorted(set(chosen) - set(kept.frame["topic"].unique().to_list()))
    if unknown:
        message = f"has no judgments for {_some(unknown)} of the topics asked for"
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


class _TopicsSeen:
    """Which topics the runs have, for the notices."""

    def __init__(self, judged: tuple[str, ...], qrels: str, chosen: list[str] | None) -> None:
        self.judged = judged
        self.qrels = qrels
        self.chosen = None if chosen is None else set(chosen)
        self.without_judgments: dict[str, int] = {}
        self.missing: dict[str, list[str]] = {}

    def unjudged(self, rows: Rows, ranking: Ranking, index: JudgedIndex) -> list[str]:
        """The run's topics that the judgments do not have."""
        unknown = np.flatnonzero(index.topic_of(ranking.key) < 0)
        names = rows.topic.gather(ranking.first_row()[unknown]).to_list()
        return [name for name in names if self.chosen is None or name in self.chosen]

    def add(
        self, run: str, rows: Rows, ranking: Ranking, index: JudgedIndex, notices: Notices
    ) -> None:
        """Note a run's topics; an InputError if it has none in common with the judgments."""
        number = index.topic_of(ranking.key)
        unknown = self.unjudged(rows, ranking, index)
        if (number < 0).all():
            have = rows.topic.gather(ranking.first_row()).to_list()
            message = (
                f"has no topic in common with {self.qrels}: the run has {_some(have)}, "
                f"the judgments {_some(list(self.judged))}"
            )
            raise InputError.of(run, "no-common-topic", message)
        for topic in unknown:
            self.without_judgments[topic] = self.without_judgments.get(topic, 0) + 1
        gone = sorted(set(range(len(self.judged))) - set(number.tolist()))
        if gone:
            self.missing[run] = [self.judged[topic] for topic in gone]
        if ranking.n_made:
            message = (
                f"{ranking.n_made} neighbours have scores that are equal as 32-bit floats only; "
                "they count as ties, ordered by docno descending, as in trec_eval"
            )
            notices.add(run, "notice", "made-ties", message)

    def report(self, notices: Notices, missing: Missing, unjudged: Unjudged) -> None:
        """Say what was missing where."""
        done = "score their lowest" if missing == "lowest" else "are skipped"
        for run, topics in self.missing.items():
            message = (
                f"returns nothing for {len(topics)} judged topics, which {done}: {_some(topics)}"
            )
            notices.add(run, "warning", "missing-topic", message)
        if self.without_judgments:
            topics = list(self.without_judgments)
            done = "ignored" if unjudged == "ignore" else "scored with everything unjudged"
            message = (
                f"{len(topics)} topics of runs have no judgments and are {done}: {_some(topics)}"
            )
            notices.add(self.qrels, "notice", "unjudged-topic", message)


def _some(names: list[str]) -> str:
    more = f", ... ({len(names)} in all)" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more


def _say_undefined(name: str, scores: Scores, notices: Notices) -> None:
    gone = np.flatnonzero(np.isnan(scores.value).all(axis=0))
    topics = [scores.topics[at] for at in gone]
    if topics:
        message = f"is undefined on {len(topics)} topics, which no mean includes: {_some(topics)}"
        notices.add(name, "notice", "undefined", message)
