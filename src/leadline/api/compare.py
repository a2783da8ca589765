"""compare: significance tests, bounds on differences, caveats."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import numpy as np
import polars as pl

from leadline.api.collection_lists import CollectionLists
from leadline.api.evaluate import labels_notice, scores_with_labels
from leadline.api.result import PlainResult, Result, Typeset
from leadline.api.scoring import QrelsSource, TextSource
from leadline.api.shared_options import (
    Dask,
    InputFile,
    LabelFiles,
    Measures,
    ReadOptions,
    Seed,
    Workers,
    complete,
)
from leadline.completions.model import DEEP
from leadline.data.scores import Scores
from leadline.io.formats import Reading
from leadline.io.inputs import RUNS_SHOWN, several_collections
from leadline.io.parallel import hired
from leadline.io.problems import Notices, Progress
from leadline.io.read import read
from leadline.measures.measure import (
    DEFAULT_MEASURES,
    WEIGHTED_MEASURES,
    Measure,
    last_rank,
    parse_measures,
)
from leadline.options import Option
from leadline.registry import check_choice
from leadline.stats.across import across_collections
from leadline.stats.certainty import LIKELY
from leadline.stats.pairwise import Pairwise, UnjudgedAs, compare_pairs
from leadline.stats.significance import DEFAULT_TEST, Correction, Tails, Test, Wilcoxon, tests

if TYPE_CHECKING:
    import altair as alt
    from rich.console import RenderableType

    from leadline.views.paper_tables import PaperTable


NOTABLE = 0.05
NOT_DRAWN = (
    "labels are evidence beside judgments that were sampled at random: draw them with `leadline "
    "pool --strategy 'WeightedSample(n=400, ...)'`, and give that file as `pool`"
)
_NO_DRAW = np.random.default_rng(0)


class Tiers(PlainResult):
    """Runs with the tiers that the judgments and the test tell apart."""

    def table(self) -> RenderableType:
        """One table a measure."""
        from leadline.views.pair_tables import tiers_table

        return tiers_table(self.frame)


@dataclass(frozen=True, eq=False, repr=False)
class ForPaper(Result):
    """The table of a paper: runs, scores with residuals, the best in bold, marks, a caption."""

    pairs: tuple[Pairwise, ...]
    notices: Notices = field(default_factory=Notices)
    collections: tuple[str, ...] = ()

    @cached_property
    def frame(self) -> pl.DataFrame:
        """run, best first, then of each measure its score; `M residual` of measures that are sums,

        `M better than` (and with a baseline `M worse than`): runs by the test, with `; ` between.
        """
        from leadline.views.paper_tables import paper_frame

        return paper_frame(self.pairs, self.collections)

    @property
    def caption(self) -> str:
        """What the numbers and marks mean, with test and correction."""
        return " ".join(self._laid_out.caption)

    @cached_property
    def _laid_out(self) -> PaperTable:
        from leadline.views.paper_tables import PaperTable

        return PaperTable.of(self.pairs, self.collections)

    def table(self) -> RenderableType:
        """The table with its caption."""
        return self._laid_out.terminal()

    def typeset(self, kind: Typeset) -> str:
        """LaTeX with booktabs' rules, a pipe table of Markdown, or HTML."""
        return self._laid_out.text(kind)

    def _repr_html_(self) -> str:
        return self.typeset("html")


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Every pair of runs for each measure: `pairs` has their arrays, tiers and matrices.

    `details` are the rows with all that was asked for, if more was than usual. Over several
    collections, which `collections` holds, `pairs` are about the mean of the collections' means.
    """

    pairs: dict[str, Pairwise]
    details: pl.DataFrame | None = None
    notices: Notices = field(default_factory=Notices)
    collections: dict[str, Comparison] = field(default_factory=dict)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """run_a, run_b, measure, test, unjudged_as, difference, lower, upper, p, p_corrected,
        verdict, on_these_topics, certainty, caveats; `details` adds n_topics, effect, ci_lower,
        ci_upper, topics_needed and judgments_needed.
        """
        if self.details is not None:
            return self.details
        return pl.concat([each.frame() for each in self.pairs.values()], how="diagonal")

    @cached_property
    def tiers(self) -> Tiers:
        """run, measure, value, lower, upper, tier_certainty, tier_significance; best first."""
        frames = []
        for each in self.pairs.values():
            frame = each.tier_frame()
            if self.collections:
                by_name = {
                    f"{name} score": pl.Series(column)[each.order]
                    for name, column in zip(each.scores.topics, each.scores.value.T, strict=True)
                }
                frame = frame.with_columns(**by_name).with_columns(
                    pl.col(pl.Float64).fill_nan(None)
                )
            frames.append(frame)
        return Tiers(pl.concat(frames))

    def wide(self) -> pl.DataFrame:
        """A row for each run, best by the first measure first, and a column for each measure."""
        return self.tiers.frame.pivot("measure", index="run", values="value", maintain_order=True)

    def chart(self) -> alt.TopLevelMixin:
        """Runs by score, with a bar over neighbours that the test cannot tell apart."""
        from leadline.views.charts import stacked
        from leadline.views.critical_difference import critical_difference

        return stacked([critical_difference(each) for each in self.pairs.values()])

    def table(self) -> RenderableType:
        """The tiers of the runs, then the pairs; of many, those with the best run."""
        from leadline.views.pair_tables import details_table, pairs_tables

        if self.details is not None:
            return details_table(self.details)
        return pairs_tables(list(self.pairs.values()))

    def _repr_html_(self) -> str:
        """The pairs of each measure; of many, those with the best run."""
        from leadline.views.notebook import frame_html, pairs_html

        if self.details is not None:
            return frame_html(self.details)
        return "".join(map(pairs_html, self.pairs.values()))

    def for_paper(self) -> ForPaper:
        """The table of a paper: scores with residuals, the best in bold, marks, a caption."""
        columns = []
        for name, pairs in self.pairs.items():
            columns += [comparison.pairs[name] for comparison in self.collections.values()]
            columns.append(pairs)
        return ForPaper(tuple(columns), collections=tuple(self.collections))

    def typeset(self, kind: Typeset) -> str:
        """Runs with scores, intervals, tiers and marks for whom each is better than."""
        from leadline.views.pair_tables import latex, markdown

        if kind == "html":
            return super().typeset(kind)
        return (latex if kind == "latex" else markdown)(list(self.pairs.values()))


def compare(
    qrels: Any,
    runs: Any = None,
    measures: Measures = DEFAULT_MEASURES,
    *,
    test: str | Test = DEFAULT_TEST,
    unjudged_as: Annotated[
        UnjudgedAs | None, Option("", "HOW", default="lower, with --labels assisted")
    ] = None,
    tails: Tails = 2,
    correction: Correction | None = "holm",
    alpha: float = 0.05,
    baseline: str | None = None,
    likely: float = LIKELY,
    details: bool = False,
    seed: Seed = 0,
    pool: InputFile = None,
    labels: LabelFiles = None,
    workers: Workers = 1,
    dask: Dask = None,
    progress: Progress | None = None,
    **read_options: Unpack[ReadOptions],
) -> Comparison:
    """Columns run_a, run_b, measure, test, unjudged_as, difference, lower, upper, p, p_corrected,
    ...

    verdict, on_these_topics, certainty and caveats, a row for each pair of runs.

    lower and upper are the bounds of the difference over every completion of the judgments.
    verdict is for topics in general, by the test: better, worse, undecided or equal.
    anytime_lower and anytime_upper follow where `pool` was drawn in batches and has the pairs that
    were not drawn: an interval of the difference on these topics that holds at all looks together.
    on_these_topics says which run is better once all listed documents are judged, and certainty
    how settled that is: certain, likely (by a model of the judgments, for measures that are sums)
    or open. caveats lists reasons not to rely on the row.

    qrels, runs, measures: as for `evaluate`; qrels may be None where nothing is judged yet. Several
        collection folders are compared over the mean of their means; in Python a list of them, or
        a mapping of names.
        Measures that read documents take those of a collection folder.
    test: significance test: t, randomisation, bootstrap and tukey test the difference of means;
        wilcoxon and sign test other hypotheses. `leadline list tests` describes them.
    unjudged_as: value of unjudged documents for the test. With lower, upper or projected, the run
        that is behind gets its score, its upper bound or its projected score; with both-projected
        both runs get projected scores; with assisted, estimates from judgments sampled at random.
    tails: 2 tests for any difference, 1 for the observed direction. Because the data choose the
        direction, 1 doubles the rate of false positives.
    correction: correction for multiple comparisons. None is the same as "none".
    alpha: significance level of the corrected p-value.
    baseline: compare every run with this run only.
    likely: probability at which the sign of a difference counts as likely.
    details: add effect sizes, confidence intervals, and the topics and judgments still needed.
    seed: random seed.
    pool: as for `evaluate`.
    labels: as for `estimate`. With judgments that were sampled at random, give their `pool` too:
        labels then assist the estimates. With others, the column difference_with_labels follows, in
        which labels count as judgments of unjudged documents; tests and bounds do not change.
    workers, dask: as for `evaluate`; they share the draws of randomisation and bootstrap.
    progress: as for `evaluate`.
    read_options: how to read, for instance topics or run_names: see `ReadOptions`.

    >>> qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0}}
    >>> first, second = {"a": 9.0, "b": 8.0}, {"a": 7.0, "b": 8.0}
    >>> runs = {"one": {"1": first, "2": first}, "two": {"1": second, "2": second}}
    >>> compare(qrels, runs, "P@1").select("difference", "lower", "upper", "caveats").row(0)
    (1.0, 1.0, 1.0, 'few topics')
    """
    # A projected score is that of a sum of gains, so the usual measures are those that are one.
    asked_as = unjudged_as
    unjudged_as = default_unjudged_as(unjudged_as, labels)
    usual = DEFAULT_MEASURES if unjudged_as in ("lower", "upper") else WEIGHTED_MEASURES
    wanted = parse_measures(None if measures is DEFAULT_MEASURES else measures, usual)
    several = several_collections(qrels, runs)
    if several is not None:
        given = {name: value for name, value in locals().items() if name in _EACH}
        return _compare_several(several, wanted, given, complete(read_options))
    correction = "none" if correction is None else correction
    check_choice("unjudged_as", unjudged_as, UnjudgedAs)
    check_choice("tails", tails, Tails)
    check_choice("correction", correction, Correction)
    asked = tests.parse(test) if isinstance(test, str) else test
    diverse = tuple(measure for measure in wanted if measure.needs in ("subtopics", "documents"))
    if diverse and unjudged_as == "assisted":
        raise ValueError(f"{diverse[0]} cannot be estimated from a sample: leave it out")
    # A folder may hold other judgments for subtopics, which only measures of diversity read.
    plain = tuple(measure for measure in wanted if measure not in diverse)
    parts = [(part, part is diverse) for part in (plain, diverse) if part]
    collections = [
        read(
            qrels,
            runs,
            pool=pool,
            progress=progress,
            # Ranks beyond what a measure looks at tell how likely a document is to be relevant.
            depth=None if unjudged_as == "assisted" else _read_to(part),
            labels=labels,
            subtopics=subtopics,
            **complete(read_options),
        )
        for part, subtopics in parts
    ]
    collection = collections[0]
    for other in collections[1:]:
        known = collection.notices.problems
        known += [each for each in other.notices.problems if each not in known]
    beside = None
    if unjudged_as == "assisted" and collection.judgments.inclusion is None:
        if asked_as is not None:
            raise ValueError(NOT_DRAWN)
        # Without a sample labels assist no estimate: they have a column of their own.
        unjudged_as, beside = "lower", scores_with_labels(collection, wanted)
        collection.notices.add("", "notice", "labels", labels_notice(collection))
    lists = [
        CollectionLists(each, part, QrelsSource(Reading()), TextSource(), progress)
        for each, (part, _) in zip(collections, parts, strict=True)
    ]
    seen = {measure: each for each in lists for measure in each.measures}
    with hired(workers, dask):
        pairs = {
            str(measure): compare_pairs(
                seen[measure].collection.runs,
                seen[measure].collection.judgments,
                measure,
                test=asked,
                unjudged_as=unjudged_as,
                tails=tails,
                correction=correction,
                alpha=alpha,
                seed=seed,
                contributing=seen[measure].collection.pooled,
                baseline=baseline,
                likely=likely,
                record=None if collection.pool is None else collection.pool.record,
                lists=seen[measure].seen_by(measure),
            )
            for measure in wanted
        }
    pairs = {name: each.with_anytime_ends(progress) for name, each in pairs.items()}
    warn_one_tail(asked, tails, alpha, collection.notices)
    for each in pairs.values():
        warn_caveats(each, asked, collection.notices)
    rows = None
    if details:
        frames = [each.frame(details, progress) for each in pairs.values()]
        rows = pl.concat(frames, how="diagonal")
    if beside is not None:
        rows = pl.concat([each.frame() for each in pairs.values()]) if rows is None else rows
        rows = _with_labels(rows, beside)
    return Comparison(pairs, rows, collection.notices)


def _with_labels(rows: pl.DataFrame, beside: dict[str, Scores]) -> pl.DataFrame:
    """The rows with the difference of the scores with labels, after that of the scores."""
    means = pl.concat([each.frame(per_topic=False) for each in beside.values()])
    for side in "ab":
        side_means = means.select(
            "measure", pl.col("run").alias(f"run_{side}"), pl.col("value").alias(f"labels_{side}")
        )
        rows = rows.join(side_means, on=["measure", f"run_{side}"], how="left")
    difference = pl.col("labels_a") - pl.col("labels_b")
    rows = rows.with_columns(difference.alias("difference_with_labels"))
    rows = rows.drop("labels_a", "labels_b")
    at = rows.columns.index("difference") + 1
    names = [name for name in rows.columns if name != "difference_with_labels"]
    return rows.select(*names[:at], "difference_with_labels", *names[at:])


_EACH = (
    *("test", "unjudged_as", "tails", "correction", "alpha", "baseline", "likely", "details"),
    *("seed", "pool", "labels", "workers", "dask", "progress"),
)
"""Options that hold in each of several collections."""


def _compare_several(
    several: dict[str, Any],
    wanted: tuple[Measure, ...],
    given: dict[str, Any],
    read_options: ReadOptions,
) -> Comparison:
    """Each collection on its own, and the runs that all have over all collections."""
    for name in ("pool", "labels", "details"):
        if given[name]:
            raise ValueError(f"`{name}` is for one collection, not for {len(several)}")
    if given["unjudged_as"] != "lower":
        raise ValueError("several collections are compared with `unjudged_as` lower only")
    read_before = [read(each, **read_options) for each in several.values()]
    names = [set(each.runs.names) for each in read_before]
    shared = sorted(set.intersection(*names))
    if len(shared) < 2:
        raise ValueError(f"to compare takes two runs that all {len(several)} collections have")
    notices = Notices()
    left_out = sorted(set.union(*names) - set(shared))
    if left_out:
        some = ", ".join(left_out[:RUNS_SHOWN]) + (", ..." if len(left_out) > RUNS_SHOWN else "")
        message = f"{len(left_out):,} runs left out, which some collection does not have: {some}"
        notices.add("", "warning", "not-everywhere", message)
    each = {
        name: compare(collection.with_runs(shared), None, wanted, **given)
        for name, collection in zip(several, read_before, strict=True)
    }
    for name, comparison in each.items():
        for problem in comparison.notices.problems:
            if problem.code not in _SAID_ONCE:
                file = f"{name}: {problem.file}" if problem.file else name
                notices.problems.append(replace(problem, file=file))
    once = next(iter(each.values())).notices.problems
    notices.problems += [problem for problem in once if problem.code in _SAID_ONCE]
    pairs = {
        name: across_collections(
            list(several), [comparison.pairs[name] for comparison in each.values()], given["seed"]
        )
        for name in map(str, wanted)
    }
    return Comparison(pairs, None, notices, each)


_SAID_ONCE = ("tests-that", "one-tail", "few-draws")
"""Notices about the test, not about a collection."""


def _read_to(measures: tuple[Measure, ...]) -> int | None:
    """The rank to which lists are read: all that measures look at, and what the model takes."""
    deepest = last_rank(measures)
    return None if deepest is None else max(deepest, DEEP)


def default_unjudged_as(unjudged_as: UnjudgedAs | None, labels: Any) -> UnjudgedAs:
    """What is compared by default; a ValueError if labels would play no part in it."""
    if labels is not None and unjudged_as not in (None, "assisted"):
        raise ValueError(f"labels are ignored with `unjudged_as` {unjudged_as}: take assisted")
    return unjudged_as or ("lower" if labels is None else "assisted")


def warn_one_tail(test: Test, tails: Tails, alpha: float, notices: Notices) -> None:
    """Note what a small p speaks against, and what one tail towards the leader does to it."""
    if test.null:
        notices.add(str(test), "notice", "tests-that", f"tests that {test.null}")
    if tails == 1:
        message = (
            "one tail towards the run that is ahead doubles the error: where runs do not differ, "
            f"{2 * alpha:.0%} of pairs and not {alpha:.0%} come out as better before correction, "
            "because the data chose the direction; two tails keep the level"
        )
        notices.add("", "warning", "one-tail", message)


def warn_caveats(pairs: Pairwise, test: Test, notices: Notices) -> None:
    """Note what makes p-values less than they seem."""
    draws, n = getattr(test, "n", None), len(pairs.first)
    if draws is not None and not test.familywise and pairs.correction in ("holm", "bonferroni"):
        least = n / (1 + draws)
        if least >= pairs.alpha:
            name, enough = test.registered_name(), math.ceil(n / pairs.alpha)
            message = (
                f"{draws:,} draws cannot give a corrected p below {min(1.0, least):.2g} for {n:,} "
                f"pairs: take {name}(n={enough}) or more, the correction bh, or the test tukey"
            )
            _once(notices, "few-draws", message)
    if test == Wilcoxon(decimals=None):
        tied = Wilcoxon().p(pairs.outcome.rows, pairs.tails, _NO_DRAW)
        moved = int((np.abs(tied - pairs.p) > NOTABLE * pairs.p).sum())
        if moved:
            message = (
                f"{pairs.scores.measure}: in {moved:,} of {n:,} pairs differences that should tie "
                f"differ in their last digits and p moves by more than {NOTABLE:.0%}; "
                "wilcoxon lets them tie, R and scipy do not"
            )
            notices.add("", "notice", "broken-ties", message)
    if not pairs.judgments.judged[pairs.runs.pair].any():
        _once(notices, "nothing-judged", "no document of these runs was judged")


def _once(notices: Notices, code: str, message: str) -> None:
    if all(problem.code != code for problem in notices.problems):
        notices.add("", "warning", code, message)
