"""estimate: scores with unjudged documents estimated, beside the interval that is certain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import numpy as np
import polars as pl

from leadline.api.result import PlainResult, Result, RoundedResult, Typeset, rounded
from leadline.api.scoring import TextSource, reader_of
from leadline.api.shared_options import (
    Dask,
    InputFile,
    LabelFiles,
    Measures,
    ReadOptions,
    Texts,
    TextsRule,
    Workers,
    complete,
)
from leadline.completions.anytime import AnytimeScores
from leadline.completions.coverage import coverage
from leadline.completions.drawn_scores import DrawnScores
from leadline.completions.estimator import (
    EstimatedGains,
    EstimatedRatios,
    Estimator,
    TrainingData,
    estimate_each,
)
from leadline.completions.estimator import estimators as known_estimators
from leadline.completions.sample import SHRUNK
from leadline.completions.self_test import CANDIDATES, self_test
from leadline.data.arrays import Bools, Floats
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.mean_estimate import NORMAL_95
from leadline.data.pool import Pool
from leadline.data.runs import Runs
from leadline.data.scores import Scores
from leadline.io.formats import MissingDocs
from leadline.io.parallel import hired
from leadline.io.problems import InputError, Notices, Progress
from leadline.io.read import read
from leadline.io.topics_seen import some_of
from leadline.measures.measure import (
    WEIGHTED_MEASURES,
    Measure,
    Weighted,
    parse_measures,
)
from leadline.measures.texts import Tokeniser
from leadline.options import Option
from leadline.pooling.strategies import Depth
from leadline.registry import check_choice
from leadline.stats.pairwise import ranked

if TYPE_CHECKING:
    import altair as alt
    from rich.console import RenderableType


RUNS_NAMED = 3
"""Runs that are named for each document."""


def document_effects(topic: str, estimated: EstimatedGains) -> pl.DataFrame:
    """Columns topic, doc, gain, runs, effect, moved: unjudged documents, those first that matter.

    `gain` is the estimate, a mean over lists by weight where they differ; `runs` how many return
    the document; `effect` what it adds to the scores of all runs on this topic together; `moved`
    names the runs that it moves most, with how much.
    """
    runs = estimated.evidence.runs
    if topic not in runs.pairs.topics:
        some = ", ".join(runs.pairs.topics[:5])
        raise ValueError(f"there is no topic {topic} here; the first are {some}")
    number = runs.pairs.topics.index(topic)
    unjudged = (runs.entries.topic == number) & ~estimated.evidence.judged
    pair = runs.pair[unjudged].astype(np.int64)
    run = runs.entries.run[unjudged]
    weight = estimated.evidence.weight[unjudged]
    frame = pl.DataFrame(
        {
            "pair": pair,
            "run": pl.Series(runs.names, dtype=pl.String).gather(run),
            "weight": weight,
            "effect": weight * estimated.gain[unjudged],
            "gain": estimated.gain[unjudged],
        }
    )
    shown = pl.col("run") + " +" + pl.col("effect").round(4).cast(pl.String)
    rows = (
        frame.sort("effect", "run", descending=[True, False])
        .group_by("pair", maintain_order=True)
        .agg(
            gain=pl.when(pl.col("weight").sum() > 0)
            .then(pl.col("effect").sum() / pl.col("weight").sum())
            .otherwise(pl.col("gain").mean()),
            runs=pl.len(),
            effect=pl.col("effect").sum(),
            moved=shown.head(RUNS_NAMED).str.join(", "),
        )
        .sort("effect", "pair", descending=[True, False])
    )
    doc = runs.pairs.docs_of(rows["pair"].to_numpy()).series
    return rows.select(
        pl.lit(topic).alias("topic"), doc.alias("doc"), "gain", "runs", "effect", "moved"
    )


N_LEADERS = 3
LEADER_EXCESS = "in simulation by up to 1.8 standard errors on average"
"""How far too high leaders scored: see docs/methods/few.md."""

EQUAL = 1e-12


def leaders_line(scores: list[Scores], alone: Floats | None = None) -> str:
    """A warning where the estimates, or judged documents alone, order the leaders differently.

    The leaders are the first three of any of them. Empty where all agree. `alone` are the mean
    scores of judged documents alone, the lower ends without it.
    """
    first = scores[0]
    by_judged = _mean_lower(first) if alone is None else alone
    means = {"judged documents alone": np.nan_to_num(by_judged)}
    for each in scores:
        if each.obtained != "LowerBound":
            means[each.obtained] = np.nan_to_num(each.mean())
    names = np.array(first.runs)
    orders = {name: ranked(mean, first.runs)[:N_LEADERS] for name, mean in means.items()}
    leaders = np.unique(np.concatenate(list(orders.values())))
    swapped = False
    reference = next(iter(means.values()))[leaders]
    for mean in means.values():
        gap, other = np.subtract.outer(reference, reference), mean[leaders]
        swapped |= bool(((gap > EQUAL) & (np.subtract.outer(other, other) < -EQUAL)).any())
    if not swapped:
        return ""
    told = "; ".join(f"{name}: {', '.join(names[order])}" for name, order in orders.items())
    return f"the order of the leaders depends on the estimator, do not rely on it. {told}"


def _mean_lower(scores: Scores) -> Floats:
    mean: Floats = np.nanmean(scores.lower, axis=1) if scores.lower.size else np.zeros(0)
    return mean


def leader_caveat(scores: Scores) -> str | None:
    """Return why the best run's score may be too high, where a sample chose and scored it.

    None for shrunk scores, whose leaders were about as often too low.
    """
    mean = scores.estimated_mean
    if mean is None or (mean.degrees is None and not mean.withheld) or len(mean.value) < 2:
        return None
    if mean.withheld == SHRUNK:
        return None
    name = scores.runs[int(ranked(mean.value, scores.runs)[0])]
    caveat = (
        f"{name} is scored on the judgments that made it the leader, so its score may be too high"
    )
    if mean.withheld:
        return f"{caveat}; take ModelAssisted(shrink=true) for an order of the runs"
    rivals = mean.rivals()
    if rivals < 2:
        return None
    return f"{caveat}, {LEADER_EXCESS}; its interval allows for the {rivals} runs that may lead"


ESTIMATORS = ("LowerBound", "Regression")
WITH_LABELS = ("LowerBound", "ModelAssisted")
COLUMNS = (
    *("run", "topic", "measure", "estimator", "value", "standard_error", "lower", "upper"),
    *("pred_lower", "pred_upper", "caveats"),
)

ANYTIME = ("anytime_lower", "anytime_upper")
"""Added where an estimator gives anytime-valid intervals."""

EstimatorNames = str | Estimator | Sequence[str | Estimator] | None
USUAL_ESTIMATORS = "LowerBound, Regression; with --pool and --labels LowerBound, ModelAssisted"


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
        frame = _with_interval(frame, lower, upper)
        if self.anytime is None:
            return frame.select(COLUMNS)
        every = np.arange(len(scores.runs))
        least, most = self.anytime.interval(every)
        ends = np.maximum(least, scores.mean_lower()), np.minimum(most, scores.mean_upper())
        topics = np.full(len(frame) - len(every), np.nan)
        added = {
            name: pl.Series(np.concatenate([topics, end])).fill_nan(None)
            for name, end in zip(ANYTIME, ends, strict=True)
        }
        return frame.with_columns(**added).select(*COLUMNS, *ANYTIME)

    @property
    def anytime(self) -> AnytimeScores | None:
        """Return the anytime-valid intervals, where the estimator gives any."""
        return self.estimated.anytime if isinstance(self.estimated, EstimatedGains) else None

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
        error = low = high = np.zeros(0)
        gap = np.zeros(0)
        if of_mean is not None:
            mean = self.scores.mean()
            gap = mean[first] - mean[second]
            error, low, high = of_mean.differences(first, second)
        frame = pl.DataFrame(
            {
                "run_a": pl.Series([names[run] for run in first], dtype=pl.String),
                "run_b": pl.Series([names[run] for run in second], dtype=pl.String),
                "measure": pl.repeat(str(self.measure), len(first), dtype=pl.String, eager=True),
                "estimator": pl.repeat(
                    str(self.estimator), len(first), dtype=pl.String, eager=True
                ),
                "difference": gap,
                "standard_error": error,
            }
        )
        frame = _with_interval(frame, low, high)
        if self.anytime is None:
            return frame
        ends = zip(ANYTIME, self.anytime.interval(first, second), strict=True)
        return frame.with_columns(**{name: pl.Series(end) for name, end in ends})


def _with_interval(frame: pl.DataFrame, lower: Floats, upper: Floats) -> pl.DataFrame:
    """Add pred_lower and pred_upper; a row without them has no standard error either."""
    low, high = pl.Series(lower).fill_nan(None), pl.Series(upper).fill_nan(None)
    error = pl.when(low.is_not_null()).then("standard_error")
    return frame.with_columns(standard_error=error, pred_lower=low, pred_upper=high)


class DocumentEffects(PlainResult):
    """Unjudged documents of a topic, those first that matter."""

    def table(self) -> RenderableType:
        """The first of each measure and estimator."""
        from leadline.views.tables import plain_table

        first = self.frame.group_by("measure", "estimator", maintain_order=True).head(20)
        return plain_table(rounded(first))


class Differences(RoundedResult):
    """Differences of every two runs' estimated mean scores, with 95% prediction intervals."""


class SelfTest(RoundedResult):
    """How far each estimator errs where the deeper half of the pool is hidden, best first."""


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
        frames = [each.frame(self.per_topic) for each in self.estimates]
        return pl.concat(frames, how="diagonal")

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
        from leadline.views.charts import estimate_ranges, stacked

        names = self.frame["measure"].unique(maintain_order=True)
        return stacked([estimate_ranges(self.frame, name, zero=zero) for name in names])

    def table(self) -> RenderableType:
        """One table a measure, one column an estimator; best by the last estimator first."""
        from leadline.views.tables import estimates_table

        return estimates_table(self.frame)

    def typeset(self, kind: Typeset) -> str:
        """A row for each run, a column for each measure and estimator."""
        from leadline.views.pair_tables import typeset_frame

        if kind == "html":
            return super().typeset(kind)
        return typeset_frame(self.wide(), kind)

    def _repr_html_(self) -> str:
        """A leaderboard for each measure and estimator, the certain interval as a bar."""
        from leadline.views.notebook import STYLE, board_html

        means = self.frame.filter(pl.col("topic") == "all")
        groups = means.group_by("measure", "estimator", maintain_order=True)
        return STYLE + "".join(board_html(rows, " by ".join(map(str, key))) for key, rows in groups)

    def differences(self) -> Differences:
        """Columns run_a, run_b, measure, estimator, difference, standard_error, pred_lower,
        pred_upper.

        Of estimators that know the errors of means: Regression, ModelAssisted.
        """
        frames = [each.differences() for each in self.estimates]
        return Differences(pl.concat(frames, how="diagonal"), self.notices)

    def certificate(self, measure: str | None = None) -> dict[str, Any]:
        """Return all that `verify_certificate` needs to recompute the scores' intervals.

        Of the first estimate with anytime-valid intervals, or that of a measure. The seed of the
        estimator must be that of the pool.
        """
        from leadline.judging.certificate import score_certificate

        for each in self.estimates:
            if each.anytime is not None and measure in (None, str(each.measure)):
                judged = np.flatnonzero(self.judgments.judged).tolist()
                grades = {pair: int(self.judgments.grade[pair]) for pair in judged}
                table = each.estimated.evidence.weighted.gain(self.judgments.max_grade)
                seed = getattr(each.estimator, "seed", 0)
                names, pairs = self.runs.names, self.runs.pairs
                return score_certificate(
                    each.anytime, names, pairs, grades, table, seed, str(each.measure)
                )
        raise ValueError(
            "no estimate has anytime-valid intervals: take ModelAssisted(anytime=true)"
        )

    def coverage(self, theta: float = 0.018) -> Coverage:
        """Columns topic, relevant, occurrences, once, gamma, adjusted, why."""
        if not 0 <= theta < float("inf"):
            raise ValueError(f"theta must be 0 or more, not {theta}")
        first = self.estimates[0]
        rows = coverage(first.estimated.evidence, theta, getattr(first.measure, "rel", 1))
        return Coverage(rows.with_columns(pl.col(pl.Float64).round(6)), self.notices)

    def self_test(self, progress: Progress | None = None) -> SelfTest:
        """Columns estimator, rmse, ci_lower, ci_upper, inside, depth, shallow: best first.

        The deeper half of the pool is hidden, and every estimator estimates what it says. Those of
        this estimation are among them, and theta is the best one for each. Of the first measure,
        which must be a sum of weights and gains.
        """
        mine = [str(each.estimator) for each in self.estimates]
        names = list(dict.fromkeys([*CANDIDATES, *mine]))
        frame = self_test(self.estimates[0].estimated.evidence, names, progress)
        return SelfTest(frame.with_columns(pl.col(pl.Float64).fill_nan(None)), self.notices)

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
    measures: Measures = WEIGHTED_MEASURES,
    estimators: Annotated[
        EstimatorNames,
        Option(
            "-e --estimator",
            many=True,
            default="LowerBound, Regression; with --pool and --labels LowerBound, ModelAssisted",
        ),
    ] = None,
    *,
    per_topic: bool = False,
    pool_depth: int | None = None,
    pool: InputFile = None,
    labels: LabelFiles = None,
    docs: Texts = None,
    statistics: Texts = None,
    missing_docs: TextsRule = "skip",
    workers: Workers = 1,
    dask: Dask = None,
    progress: Progress | None = None,
    **read_options: Unpack[ReadOptions],
) -> Estimation:
    """Columns run, topic, measure, estimator, value, standard_error, lower, upper, pred_lower,
    pred_upper, caveats.

    `lower` and `upper` are guaranteed bounds; `pred_lower` and `pred_upper` the 95% prediction
    interval for what unjudged documents leave open, empty, as `standard_error` is, where none is
    offered. anytime_lower and anytime_upper, the anytime-valid interval, follow where
    ModelAssisted(anytime=true) asks for it, or judgments are too few for another interval.
    `caveats` says why not to rely on a row. `differences()` has differences of runs with their
    errors. Runs that groups.tsv marks as not pooled are scored, but teach nothing.

    qrels, runs: as for `evaluate`.
    measures: measures to estimate. All estimators take RBP, P, DCG and SDCG; LowerBound,
        Regression and ShareBootstrap take every measure with bounds; ModelAssisted takes nDCG@k.
    estimators: `leadline list estimators` shows all. LowerBound and ModelAssisted are the default
    where
        judgments were drawn and there are labels.
    per_topic: as for `evaluate`.
    pool_depth: use only judgments of documents that a pooled run ranks at this depth or better.
    pool: as for `evaluate`.
    labels: labels by a language model or another noisy judge, as evidence beside the judgments. Any
        format of judgments will do; in Python {judge: labels} for several.
    docs, statistics, missing_docs: as for `evaluate`, for Regression(text=true).
    workers, dask: as for `evaluate`; a task is a measure and an estimator.
    progress: as for `evaluate`.
    read_options: how to read, for instance topics or run_names: see `ReadOptions`.
    """
    asked = parse_measures(measures, WEIGHTED_MEASURES)
    usual = ESTIMATORS if labels is None or pool is None else WITH_LABELS
    by = parse_estimators(usual if estimators is None else estimators)
    check_choice("missing_docs", missing_docs, MissingDocs)
    if pool is not None and pool_depth is not None:
        raise ValueError("give `pool` or `pool_depth`, not both")
    collection = read(
        qrels,
        runs,
        pool=pool,
        progress=progress,
        labels=labels,
        **complete(read_options),
    )
    if pool_depth is not None:
        drawn = Depth(pool_depth).pool(collection.runs.only(collection.pooled))
        collection = collection.inside(drawn)
    pooled, judgments, inside = collection.pooled, collection.judgments, collection.pool
    _note_not_pooled(pooled, collection.notices)
    if not judgments.judged.any():
        raise InputError.of("", "judgments", "no document of these topics is judged")
    words = None
    if any(estimator.reads for estimator in by):
        texts = TextSource(docs, None, statistics, missing_docs)
        reader = reader_of(texts, collection.folder, progress)
        words = reader.words(collection.runs.pairs.docs, Tokeniser(), collection.notices)
    evidence = TrainingData(asked[0], collection.runs, judgments, inside, pooled, words)
    with hired(workers, dask):
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


def _note_not_pooled(pooled: Bools, notices: Notices) -> None:
    n_other = int((~pooled).sum())
    if n_other:
        message = (
            f"{n_other} of {len(pooled)} runs are marked as not pooled: they are scored, but only "
            "the others teach what unjudged documents are worth"
        )
        notices.add("groups.tsv", "notice", "not-pooled", message)


def _notice_anytime(estimates: list[Estimate], notices: Notices) -> None:
    """Say which interval holds at which looks, where judgments were sampled in batches."""
    for each in estimates:
        name, mean = f"{each.measure} by {each.estimator}", each.scores.of_mean
        pool = each.estimated.evidence.pool
        if each.anytime is not None:
            n = each.anytime.n_judged
            message = (
                f"anytime_lower and anytime_upper are a 95% interval from the {n:,} judgments of "
                "complete batches; it holds for these topics at all looks together"
            )
            if (grade := _assumed_grade(each)) is not None:
                message += f", if no grade is above {grade}: name the top as max_grade={grade}"
            notices.add(name, "notice", "anytime", message)
        if (
            mean is not None
            and mean.degrees is not None
            and pool is not None
            and pool.n_batches > 1
        ):
            message = (
                "the prediction interval holds at one look; for several looks take "
                "ModelAssisted(anytime=true)"
            )
            notices.add(name, "notice", "one-look", message)


def _assumed_grade(each: Estimate) -> int | None:
    """Return the largest judged grade, where it is taken for the top of the scale."""
    measure = each.measure
    if not isinstance(measure, Weighted) or measure.gains == "binary":
        return None
    return None if measure.max_grade else each.estimated.evidence.judgments.max_grade


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
    _notice_anytime(estimates, notices)
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
