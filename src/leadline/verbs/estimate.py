"""estimate: scores with unjudged documents estimated, beside the interval that is certain."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from leadline.collection.inputs import TopicNames
from leadline.collection.read import read
from leadline.collection.topics_seen import some_of
from leadline.diversity.tokens import Tokeniser
from leadline.estimators.coverage import coverage
from leadline.estimators.drawn_scores import DrawnScores
from leadline.estimators.estimated_gains import EstimatedGains
from leadline.estimators.estimated_ratios import EstimatedRatios
from leadline.estimators.estimating import estimate_each
from leadline.estimators.estimator import Estimator
from leadline.estimators.estimator import estimators as known_estimators
from leadline.estimators.evidence import Evidence
from leadline.files.problems import InputError, Notices, Progress
from leadline.formats.ranking import Ranks
from leadline.formats.read_options import MissingDocs
from leadline.measures.measure import WEIGHTED_MEASURES, Measure, MeasureNames, parse_measures
from leadline.measures.weighted import Weighted
from leadline.naming.choice import check_choice
from leadline.pools.depth import Depth
from leadline.tables.arrays import Bools, Floats
from leadline.tables.judgments import Judgments
from leadline.tables.lists import Lists
from leadline.tables.mean_estimate import NORMAL_95
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs
from leadline.tables.scores import Scores
from leadline.verbs.document_effects import document_effects
from leadline.verbs.leader_orders import leader_caveat, leaders_line
from leadline.verbs.measure_groups import TextSource, reader_of
from leadline.verbs.result import PlainResult, Result, RoundedResult, rounded
from leadline.workers.workforce import hired

if TYPE_CHECKING:
    import altair as alt
    from rich.console import RenderableType

ESTIMATORS = ("LB", "Regression")
WITH_LABELS = ("LB", "Assisted")
COLUMNS = (
    *("run", "topic", "measure", "estimator", "value", "standard_error", "lower", "upper"),
    *("pred_lower", "pred_upper", "caveats"),
)

EstimatorNames = str | Estimator | Sequence[str | Estimator] | None


@dataclass(frozen=True, eq=False)
class Estimate:
    """What one estimator gives for one measure, and the scores.

    For a weighted measure a gain for every entry, for any other scores as they might be, one for
    every draw of grades, or a sum over an ideal.
    """

    measure: Measure
    estimator: Estimator
    estimated: EstimatedGains | DrawnScores | EstimatedRatios
    scores: Scores

    def frame(self, per_topic: bool) -> pl.DataFrame:
        """Return the columns COLUMNS, a row for each run; with `per_topic` for each topic too."""
        scores = self.scores
        doubt = "; ".join(self.estimated.doubts) or None
        frame = scores.frame(per_topic).with_columns(
            estimator=pl.lit(str(self.estimator)), caveats=pl.lit(doubt, pl.String)
        )
        if "standard_error" not in frame.columns:
            frame = frame.with_columns(standard_error=pl.lit(None, pl.Float64))
        lower, upper = self._interval()
        if per_topic:
            # Rows of topics come first.
            error = scores.standard_error
            margin = NORMAL_95 * (np.full(scores.value.shape, np.nan) if error is None else error)
            least = np.maximum(scores.value - margin, scores.lower)
            most = np.minimum(scores.value + margin, scores.upper)
            lower = np.concatenate([least.ravel(), lower])
            upper = np.concatenate([most.ravel(), upper])
        return _with_interval(frame, lower, upper).select(COLUMNS)

    def _interval(self) -> tuple[Floats, Floats]:
        """Return the ends of the mean scores' 95% intervals within their bounds, NaN for none."""
        scores, mean = self.scores, self.scores.estimated_mean
        if mean is None:
            unknown = np.full(len(scores.runs), np.nan)
            return unknown, unknown
        lower, upper = mean.interval()
        return np.maximum(lower, scores.mean_lower()), np.minimum(upper, scores.mean_upper())

    def differences(self) -> pl.DataFrame:
        """Columns run_a, run_b, measure, estimator, difference, standard_error, pred_lower,
        pred_upper.

        No row where the estimator knows no errors of means. The error of a difference is not that
        of two scores: what they share moves both.
        """
        of_mean, names = self.scores.of_mean, self.scores.runs
        first, second = np.triu_indices(0 if of_mean is None else len(names), 1)
        mean = self.scores.mean()
        error = np.zeros((0, 0)) if of_mean is None else of_mean.difference_error()
        frame = pl.DataFrame(
            {
                "run_a": pl.Series([names[run] for run in first], dtype=pl.String),
                "run_b": pl.Series([names[run] for run in second], dtype=pl.String),
                "measure": pl.repeat(str(self.measure), len(first), dtype=pl.String, eager=True),
                "estimator": pl.repeat(
                    str(self.estimator), len(first), dtype=pl.String, eager=True
                ),
                "difference": mean[first] - mean[second],
                "standard_error": error[first, second],
            }
        )
        margin = np.zeros((0, 0)) if of_mean is None else of_mean.difference_margin()
        gap, away = mean[first] - mean[second], margin[first, second]
        return _with_interval(frame, gap - away, gap + away)


def _with_interval(frame: pl.DataFrame, lower: Floats, upper: Floats) -> pl.DataFrame:
    """Add pred_lower and pred_upper; a row without them has no standard error either."""
    low, high = pl.Series(lower).fill_nan(None), pl.Series(upper).fill_nan(None)
    error = pl.when(low.is_not_null()).then("standard_error")
    return frame.with_columns(standard_error=error, pred_lower=low, pred_upper=high)


class DocumentEffects(PlainResult):
    """Unjudged documents of a topic, those first that matter."""

    def table(self) -> RenderableType:
        """The first of each measure and estimator."""
        from leadline.presentation.terminal.tables import plain_table

        first = self.frame.group_by("measure", "estimator", maintain_order=True).head(20)
        return plain_table(rounded(first))


class Differences(RoundedResult):
    """Differences of every two runs' estimated mean scores, with 95% prediction intervals."""


class Coverage(RoundedResult):
    """How much of what is relevant the pool has found, topic by topic."""


@dataclass(frozen=True, eq=False, repr=False)
class Estimation(Result):
    """All estimates, and from which runs and judgments they come."""

    estimates: list[Estimate]
    runs: Runs
    judgments: Judgments
    pool: Pool | None
    pooled: Bools
    per_topic: bool = False
    notices: Notices = field(default_factory=Notices)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Return the columns COLUMNS: bounds, and 95% prediction intervals where there are any."""
        return pl.concat([each.frame(self.per_topic) for each in self.estimates])

    def wide(self) -> pl.DataFrame:
        """A row for each run (and topic), a column for each measure and estimator."""
        keys = ["run", "topic"] if self.per_topic else ["run"]
        names = pl.concat_str("measure", "estimator", separator=" ")
        frame = self.frame.with_columns(column=names)
        wide = frame.pivot("column", index=["run", "topic"], values="value", maintain_order=True)
        return wide.select(*keys, pl.exclude("run", "topic"))

    def chart(self, *, zero: bool = False) -> alt.TopLevelMixin:
        """For each measure the certain interval of every run, and what each estimator says.

        The axis begins where the bars do, or at 0 with `zero`.
        """
        from leadline.presentation.charts.range_charts import estimate_ranges
        from leadline.presentation.charts.stacked import stacked

        names = self.frame["measure"].unique(maintain_order=True)
        return stacked([estimate_ranges(self.frame, name, zero=zero) for name in names])

    def table(self) -> RenderableType:
        """One table a measure, one column an estimator; best by the last estimator first."""
        from leadline.presentation.terminal.estimate_tables import estimates_table

        return estimates_table(self.frame)

    def typeset(self, kind: Literal["markdown", "latex"]) -> str:
        """A row for each run, a column for each measure and estimator."""
        from leadline.presentation.terminal.paper_tables import typeset_frame

        return typeset_frame(self.wide(), kind)

    def _repr_html_(self) -> str:
        """A leaderboard for each measure and estimator, the certain interval as a bar."""
        from leadline.presentation.pages.notebook import STYLE, board_html

        means = self.frame.filter(pl.col("topic") == "all")
        groups = means.group_by("measure", "estimator", maintain_order=True)
        return STYLE + "".join(board_html(rows, " by ".join(map(str, key))) for key, rows in groups)

    def differences(self) -> Differences:
        """Columns run_a, run_b, measure, estimator, difference, standard_error, pred_lower,
        pred_upper.

        Of estimators that know the errors of means: Regression, Assisted.
        """
        return Differences(pl.concat([each.differences() for each in self.estimates]), self.notices)

    def coverage(self, theta: float = 0.018) -> Coverage:
        """Columns topic, relevant, occurrences, once, gamma, adjusted, why."""
        if not 0 <= theta < float("inf"):
            raise ValueError(f"theta must be 0 or more, not {theta}")
        first = self.estimates[0]
        rows = coverage(first.estimated.evidence, theta, getattr(first.measure, "rel", 1))
        return Coverage(rows.with_columns(pl.col(pl.Float64).round(6)), self.notices)

    def explain(self, topic: str) -> DocumentEffects:
        """Columns topic, measure, estimator, doc, gain, runs, effect, moved: what matters most.

        Unjudged documents of a topic: the gain that is estimated, how many runs return it, what it
        adds to their scores together, and which runs it moves most.
        """
        parts = []
        for each in self.estimates:
            gains = each.estimated
            if not isinstance(gains, EstimatedGains):
                raise ValueError(
                    f"{each.measure} is no sum over documents: ask for RBP, P@k, DCG@k or SDCG@k "
                    "to see what single documents add"
                )
            rows = document_effects(topic, gains)
            names = {"measure": str(each.measure), "estimator": str(each.estimator)}
            labels = [pl.lit(name).alias(column) for column, name in names.items()]
            parts.append(rows.select("topic", *labels, pl.exclude("topic")))
        rounded = pl.concat(parts).with_columns(pl.col(pl.Float64).round(6))
        return DocumentEffects(rounded, self.notices)


def estimate(
    qrels: Any,
    runs: Any = None,
    measures: MeasureNames = WEIGHTED_MEASURES,
    estimators: EstimatorNames = None,
    *,
    per_topic: bool = False,
    pool_depth: int | None = None,
    pool: Any = None,
    cheap: Any = None,
    topics: TopicNames = None,
    docs: Any = None,
    statistics: str | os.PathLike[str] | None = None,
    missing_docs: MissingDocs = "skip",
    ranks: Ranks = "score",
    lenient: bool = False,
    map_grades: Mapping[int, int] | None = None,
    workers: int = 1,
    scheduler: Any = None,
    progress: Progress | None = None,
) -> Estimation:
    """Columns run, topic, measure, estimator, value, standard_error, lower, upper, pred_lower,
    pred_upper, caveats.

    `lower` and `upper` are guaranteed bounds; `pred_lower` and `pred_upper` the 95% prediction
    interval for what unjudged documents leave open, empty, as `standard_error` is, where none is
    offered; `caveats` says why not to rely on a row. `differences()` has differences of runs with
    their errors. Runs that groups.tsv marks as not pooled are scored, but teach nothing.

    qrels, runs: as for `evaluate`.
    measures: weighted ones, RBP, P, DCG, SDCG, by any estimator; nDCG, AP, Recall, RR, ERR and
        others that have an interval by those that draw grades: LB, Regression, Bootstrapped;
        nDCG@k by Assisted too.
    estimators: those that `leadline.list("estimators")` shows; one or several. LB and Regression
        unless said, LB and Assisted where judgments were drawn and there are cheap labels.
    per_topic: add a row for each topic.
    pool_depth: only judgments of what some pooled run has in its first so many count.
    pool: only judgments inside this pool count.
    cheap: labels of cheap judges in any form that judgments have, {judge: labels} for several:
        evidence for what a pair may be worth, never judgments.
    docs, statistics, missing_docs: as for `evaluate`, for estimators that read:
        Regression(text=true).
    workers, scheduler: as for `evaluate`; each takes one measure and one estimator at a time.
    topics, ranks, lenient, map_grades, progress: as for `evaluate`.
    """
    asked = parse_measures(measures, WEIGHTED_MEASURES)
    usual = ESTIMATORS if cheap is None or pool is None else WITH_LABELS
    by = parse_estimators(usual if estimators is None else estimators)
    check_choice("missing_docs", missing_docs, MissingDocs)
    if pool is not None and pool_depth is not None:
        raise ValueError("give `pool` or `pool_depth`, not both")
    collection = read(
        qrels,
        runs,
        topics=topics,
        pool=pool,
        ranks=ranks,
        lenient=lenient,
        map_grades=map_grades,
        progress=progress,
        cheap=cheap,
    )
    if pool_depth is not None:
        drawn = Depth(pool_depth).pool(collection.runs.only(collection.pooled))
        collection = collection.inside(drawn)
    pooled, judgments, inside = collection.pooled, collection.judgments, collection.pool
    _say_not_pooled(pooled, collection.notices)
    if not judgments.judged.any():
        raise InputError.of("", "judgments", "no document of these topics is judged")
    words = None
    if any(estimator.reads for estimator in by):
        texts = TextSource(docs, None, statistics, missing_docs)
        reader = reader_of(texts, collection.folder, progress)
        words = reader.words(collection.runs.pairs.docs, Tokeniser(), collection.notices)
    evidence = Evidence(asked[0], collection.runs, judgments, inside, pooled, words)
    with hired(workers, scheduler):
        cells = [(measure, estimator) for measure in asked for estimator in by]
        each = estimate_each(evidence, cells, progress)
    estimates = [Estimate(*cell, *given) for cell, given in zip(cells, each, strict=True)]
    _notice(estimates, collection.notices)
    return Estimation(
        estimates, collection.runs, judgments, inside, pooled, per_topic, collection.notices
    )


def parse_estimators(names: EstimatorNames = None) -> list[Estimator]:
    """The estimators that names stand for; the default ones for None."""
    names = ESTIMATORS if names is None else names
    several = names if isinstance(names, Sequence) and not isinstance(names, str) else [names]
    parsed = [known_estimators.parse(name) if isinstance(name, str) else name for name in several]
    if not parsed:
        raise ValueError("name an estimator, for instance Regression")
    return parsed


def _say_not_pooled(pooled: Bools, notices: Notices) -> None:
    n_other = int((~pooled).sum())
    if n_other:
        message = (
            f"{n_other} of {len(pooled)} runs are marked as not pooled: they are scored, but only "
            "the others teach what unjudged documents are worth"
        )
        notices.add("groups.tsv", "notice", "not-pooled", message)


def _notice(estimates: list[Estimate], notices: Notices) -> None:
    """What should be known before the numbers are used."""
    evidence, rel = estimates[0].estimated.evidence, getattr(estimates[0].measure, "rel", 1)
    pairs = evidence.runs.pairs
    for each in estimates:
        for remark in each.estimated.remarks:
            notices.add(str(each.estimator), "notice", "divided-by", remark)
    withheld = {
        each.scores.of_mean.withheld: str(each.estimator)
        for each in estimates
        if each.scores.of_mean is not None and not each.estimated.doubts
    }
    for reason, name in withheld.items():
        if reason:
            notices.add(name, "notice", "no-interval", reason)
    for each in estimates:
        if (caveat := leader_caveat(each.scores)) is not None:
            notices.add(f"{each.measure} by {each.estimator}", "notice", "leader", caveat)
    doubts = {doubt: str(e.estimator) for e in estimates for doubt in e.estimated.doubts}
    for doubt, name in doubts.items():
        notices.add(name, "warning", "caveats", f"do not rely on this: {doubt}")
    thetas = {str(each.estimator): each.estimator.theta for each in estimates}
    for name, theta in ((name, theta) for name, theta in thetas.items() if theta):
        left = coverage(evidence, theta, rel).filter(~pl.col("adjusted"))["topic"].to_list()
        message = f"leaves {len(left)} of {len(pairs.topics)} topics as they are"
        notices.add(name, "notice", "theta", f"{message}: {some_of(left)}" if left else message)
    for measure in dict.fromkeys(each.measure for each in estimates):
        # The lower end of nDCG or AP is no score by judged documents alone.
        alone = None
        if not isinstance(measure, Weighted):
            alone = measure.score(Lists.of(evidence.runs, evidence.judgments)).mean()
        line = leaders_line([each.scores for each in estimates if each.measure == measure], alone)
        if line:
            notices.add(str(measure), "warning", "leaders", line)
