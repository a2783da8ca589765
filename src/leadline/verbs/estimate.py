"""estimate: scores with unjudged documents estimated, beside the interval that is certain."""

import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import numpy as np
import polars as pl

from leadline.collection.collection import Collection
from leadline.collection.inputs import TopicNames
from leadline.collection.topics_seen import some_of
from leadline.diversity.tokens import Tokeniser
from leadline.estimators.coverage import coverage
from leadline.estimators.estimated_gains import EstimatedGains
from leadline.estimators.estimator import Estimator, estimators
from leadline.estimators.evidence import Evidence
from leadline.files.problems import InputError, Notices
from leadline.formats import pool_csv
from leadline.formats.read_options import MissingDocs
from leadline.measures.measure import measures as known_measures
from leadline.measures.weighted import Weighted
from leadline.pools.depth import Depth
from leadline.tables.arrays import Bools
from leadline.tables.judgments import Judgments
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs
from leadline.tables.scores import Scores
from leadline.verbs.knowledge import Texts, reader_of
from leadline.verbs.leaders import leaders_line
from leadline.verbs.pool import read_topics

MEASURES = ("RBP(p=0.95)",)
ESTIMATORS = ("LB", "Regression")
COLUMNS = ("run", "topic", "measure", "estimator", "value", "standard_error", "lower", "upper")

Names = Sequence[str | Any] | str | Any
Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Estimate:
    """What one estimator gives for one measure: a gain for every entry, and the scores."""

    measure: Weighted
    estimator: Estimator
    estimated: EstimatedGains
    scores: Scores

    def frame(self, per_topic: bool) -> pl.DataFrame:
        """Columns run, topic, measure, estimator, value, standard_error, lower, upper."""
        frame = self.scores.frame(per_topic)
        if "standard_error" not in frame.columns:
            frame = frame.with_columns(standard_error=pl.lit(None, pl.Float64))
        return frame.with_columns(estimator=pl.lit(str(self.estimator))).select(COLUMNS)


@dataclass(frozen=True, eq=False)
class Estimation:
    """All estimates, from which runs and judgments they come, and what should be said of them."""

    estimates: list[Estimate]
    runs: Runs
    judgments: Judgments
    pool: Pool | None
    contributing: Bools
    notices: Notices = field(default_factory=Notices)

    def frame(self, per_topic: bool = False) -> pl.DataFrame:
        """Columns run, topic, measure, estimator, value, standard_error, lower, upper."""
        return pl.concat([each.frame(per_topic) for each in self.estimates])

    def coverage(self, theta: float = 0.018) -> pl.DataFrame:
        """Columns topic, relevant, occurrences, once, gamma, adjusted, why."""
        first = self.estimates[0]
        return coverage(first.estimated.evidence, theta, first.measure.rel)


def estimate(
    qrels: Any,
    runs: Any = None,
    measures: Names = MEASURES,
    estimators: Names = ESTIMATORS,
    *,
    per_topic: bool = False,
    **options: Any,
) -> pl.DataFrame:
    """Columns run, topic, measure, estimator, value, standard_error, lower, upper of every run.

    Inputs as for `evaluate`; measures must be weighted ones: RBP, P, DCG, SDCG. `lower` and `upper`
    are the interval that is certain, whatever the estimate. Options are those of `estimate_runs`;
    notices go to the log "leadline".
    """
    result = estimate_runs(qrels, runs, measures, estimators, **options)
    log = logging.getLogger("leadline")
    for problem in result.notices.problems:
        log.log(logging.INFO if problem.level == "notice" else logging.WARNING, "%s", problem)
    return result.frame(per_topic)


def estimate_runs(
    qrels: Any,
    runs: Any = None,
    measures: Names = MEASURES,
    estimators: Names = ESTIMATORS,
    *,
    pool_depth: int | None = None,
    pool: str | os.PathLike[str] | pl.DataFrame | None = None,
    topics: TopicNames = None,
    progress: Progress | None = None,
    reading: Progress | None = None,
    docs: Any = None,
    statistics: str | os.PathLike[str] | None = None,
    missing_docs: MissingDocs = "skip",
    **options: Any,
) -> Estimation:
    """The same with all gains and notices.

    `pool_depth` keeps only the judgments of what some contributing run has in its first so many,
    `pool` only those inside a pool as `leadline pool` writes it. Runs that groups.tsv marks as not
    pooled are scored, but teach nothing. `docs`, `statistics` and `missing_docs` are as for
    `evaluate`, for estimators that read: Regression(text=true).
    """
    if pool_depth is not None and pool is not None:
        raise ValueError("give the depth of the pool or the pool itself, not both")
    if missing_docs not in get_args(MissingDocs):
        known = ", ".join(get_args(MissingDocs))
        raise ValueError(f"expected one of {known}, not {missing_docs!r}")
    asked = list(dict.fromkeys(map(weighted, listed(measures))))
    by = list(dict.fromkeys(map(named_estimator, listed(estimators))))
    if not asked or not by:
        raise ValueError("name at least one measure and one estimator")
    read = read_topics(qrels, runs, topics, progress=reading, **options)
    contributing = pooled_runs(read)
    chosen = None
    judgments = read.judgments
    if pool_depth is not None:
        chosen = Depth(pool_depth).pool(read.runs.only(contributing))
    elif pool is not None:
        chosen = pool_csv.pool_over(read.runs.pairs, pool)
    if chosen is not None:
        judgments = chosen.restrict(judgments)
    if not judgments.judged.any():
        raise InputError.of("", "judgments", "no document of these topics and this pool is judged")
    words = None
    if any(estimator.reads for estimator in by):
        folder = Path(qrels) if runs is None else None
        reader = reader_of(Texts(docs, None, statistics, missing_docs), folder, reading)
        words = reader.words(read.runs.pairs.docs, Tokeniser(), read.notices)
    made = []
    evidence = Evidence(asked[0], read.runs, judgments, chosen, contributing, words)
    for number, (measure, estimator) in enumerate((m, e) for m in asked for e in by):
        if measure is not evidence.measure:
            evidence = evidence.but(measure=measure)
        estimated = estimator.gains(evidence)
        made.append(Estimate(measure, estimator, estimated, estimated.scores(str(estimator))))
        if progress is not None:
            progress(number + 1, len(asked) * len(by))
    result = Estimation(made, read.runs, judgments, chosen, contributing, read.notices)
    _notice(result)
    return result


def listed(names: Names) -> list[Any]:
    """One name or several, as a list."""
    return list(names) if isinstance(names, Sequence) and not isinstance(names, str) else [names]


def weighted(name: Any) -> Weighted:
    """The weighted measure that a name stands for; a ValueError if it is another kind."""
    measure = known_measures.parse(name) if isinstance(name, str) else name
    if not isinstance(measure, Weighted):
        raise ValueError(
            f"{measure} is no sum of weights and gains, so gains of single documents cannot be "
            "estimated for it: take RBP, P@k, DCG@k or SDCG@k"
        )
    if measure.judged_only:
        raise ValueError(f"{measure} leaves unjudged documents out: there is nothing to estimate")
    return measure


def named_estimator(name: Any) -> Estimator:
    """The estimator that a name stands for."""
    made: Estimator = estimators.parse(name) if isinstance(name, str) else name
    return made


def pooled_runs(read: Collection) -> Bools:
    """Which runs contributed to the pool; all of them where nothing tells."""
    marked = read.groups["pooled"].fill_null(False).to_numpy().astype(np.bool_)
    n_other = int((~marked).sum())
    if not marked.any():
        return np.ones(len(marked), np.bool_)
    if n_other:
        message = (
            f"{n_other} of {len(marked)} runs are marked as not pooled: they are scored, but only "
            "the others teach what unjudged documents are worth"
        )
        read.notices.add("groups.tsv", "notice", "not-pooled", message)
    return marked


def _notice(result: Estimation) -> None:
    """What should be known before the numbers are used."""
    notices, topics = result.notices, result.runs.pairs.topics
    known = np.bincount(result.runs.pairs.topic, result.judgments.judged, len(topics))
    blank = [topics[at] for at in np.flatnonzero(known == 0)]
    if blank:
        message = f"no document is judged on {some_of(blank)}: only other topics can tell anything"
        notices.add("", "warning", "unjudged-topic", message)
    for name, theta in {
        str(each.estimator): each.estimator.theta
        for each in result.estimates
        if each.estimator.theta
    }.items():
        left = result.coverage(theta).filter(~pl.col("adjusted"))["topic"].to_list()
        message = f"leaves {len(left)} of {len(topics)} topics as they are"
        notices.add(name, "notice", "theta", f"{message}: {some_of(left)}" if left else message)
    for measure in dict.fromkeys(each.measure for each in result.estimates):
        mine = [each.scores for each in result.estimates if each.measure == measure]
        line = leaders_line(mine)
        if line:
            notices.add(str(measure), "warning", "leaders", line)
