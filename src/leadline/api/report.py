"""report: one self-contained page about a collection, to send to somebody else."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import numpy as np
import polars as pl
from markupsafe import Markup

from leadline.api.adjust import adjust
from leadline.api.compare import Comparison, compare, warn_caveats
from leadline.api.estimate import estimate
from leadline.api.evaluate import labels_notice, scores_with_labels
from leadline.api.result import SUFFIXES, Result
from leadline.api.shared_options import InputFile, LabelFiles, Measures, ReadOptions, Seed, complete
from leadline.completions.adjuster import Adjusted
from leadline.completions.bounds import OpenWeight, open_weight, same_lists
from leadline.completions.contributions import Groups, contributions, left_out
from leadline.data.arrays import Int64s
from leadline.data.lists import Lists
from leadline.data.scores import Scores, scores_frame
from leadline.io.collection import Collection
from leadline.io.inputs import (
    collection_inputs,
    expand,
    is_collection,
    names_after_folder,
    several_collections,
)
from leadline.io.problems import Notices, Progress
from leadline.io.read import read
from leadline.io.score_table import estimate_table
from leadline.io.source import is_side_file, run_name
from leadline.io.topics import read_texts
from leadline.io.topics_seen import warn_undefined
from leadline.io.validate_runs import judged_by_rank
from leadline.io.write import write_whole
from leadline.judging.certain_winner import worth_judging
from leadline.measures.measure import (
    DEFAULT_MEASURES,
    Measure,
    Weighted,
    parse_measures,
    refuse_beyond_grades,
)
from leadline.options import Option
from leadline.registry import check_choice
from leadline.stats.board import (
    AnytimeEnds,
    Board,
    EstimatedMeans,
    estimated_means,
    groups_left_out,
)
from leadline.stats.pairwise import compare_pairs
from leadline.stats.power import COLUMNS, TopicConfidence, with_confidence
from leadline.stats.significance import DEFAULT_TEST, Correction, Test, tests
from leadline.views.across_page import across_page
from leadline.views.page import Origin
from leadline.views.report_page import ReportFacts, collection_report

if TYPE_CHECKING:
    import altair as alt
    from rich.console import RenderableType


@dataclass(frozen=True)
class ReportOptions:
    """What a report is to hold: measures, the test, the pool's depth if told, estimates.

    `assisted` compares weighted measures by what ModelAssisted estimates.
    """

    measures: tuple[Measure, ...]
    test: Test
    correction: Correction = "holm"
    alpha: float = 0.05
    seed: int = 0
    pool_depth: int | None = None
    estimates: pl.DataFrame | None = None
    confidence: float | None = None
    assisted: bool = False


def report_facts(
    read: Collection,
    options: ReportOptions,
    title: str,
    origin: Origin,
    command: str,
    progress: Progress | None = None,
) -> ReportFacts:
    """Everything that the page shows; notices about it are added to the collection's."""
    runs, judgments, measures = read.runs, read.judgments, options.measures
    steps = _Steps(len(measures) + 3, progress)
    groups = Groups.of(runs, read.pooled)
    depth = options.pool_depth or read.pool_depth
    contribution = contributions(
        runs, judgments, groups, depth or 0, getattr(measures[0], "rel", 1)
    )
    steps.done()
    boards = []
    adjusted = _adjusted(read, options)
    for measure in measures:
        board = _board(read, measure, options)
        boards.append(replace(board, adjusted=adjusted.get(board.scores.measure)))
        steps.done()
    if depth is not None and groups.told:
        boards = _with_left_out(boards, read, groups, contribution.brought_by)
    steps.done()
    worth = worth_judging(runs, judgments, measures)
    steps.done()
    return ReportFacts(
        title,
        boards,
        [_open_weight(read, measure) for measure in measures],
        runs,
        judgments,
        groups,
        contribution,
        depth,
        options.pool_depth is not None,
        judged_by_rank(runs, judgments),
        worth,
        read_texts(read.folder, {pair.doc for pair in worth.pairs}),
        read.notices.problems,
        origin,
        command,
        options.seed,
    )


def _board(read: Collection, measure: Measure, options: ReportOptions) -> Board:
    """What is known of the runs by one measure."""
    runs, judgments = read.runs, read.judgments
    pairwise = None
    assisted = options.assisted and isinstance(measure, Weighted)
    if len(runs.names) > 1:
        pairwise = compare_pairs(
            runs,
            judgments,
            measure,
            test=options.test,
            unjudged_as="assisted" if assisted else "lower",
            correction=options.correction,
            alpha=options.alpha,
            seed=options.seed,
            contributing=read.pooled,
            record=None if read.pool is None else read.pool.record,
        )
        warn_caveats(pairwise, options.test, read.notices)
    scores = pairwise.scores if pairwise else measure.score(Lists.of(runs, judgments))
    warn_undefined(scores, read.notices)
    means: tuple[EstimatedMeans, ...] = ()
    if options.estimates is not None:
        means = estimated_means(options.estimates, scores.measure, runs.names, read.notices)
        if means and not assisted:
            means = (EstimatedMeans("score", scores.mean()), *means)
    alike = same_lists(runs, measure.depth).argmax(axis=1)
    sure = None
    # Estimates of single topics have errors of their own, which an interval over topics would hide.
    if options.confidence is not None and not assisted:
        sure = TopicConfidence.of(scores, options.confidence)
    anytime = None
    if pairwise is not None and pairwise.anytime is not None:
        lower, upper = pairwise.anytime.interval(np.arange(len(runs.names)))
        ends = np.maximum(lower, scores.mean_lower()), np.minimum(upper, scores.mean_upper())
        anytime = AnytimeEnds(*ends, pairwise.anytime.n_judged)
    return Board(
        measure, scores, pairwise, alike, estimates=means, confidence=sure, anytime=anytime
    )


def _adjusted(read: Collection, options: ReportOptions) -> dict[str, Adjusted]:
    """Return the adjusted scores of the unpooled runs, by measure; empty where there are none.

    A measure that the adjuster cannot adjust is left out, and so are all of them if the judgments
    tell too little; a notice says why.
    """
    weighted = [measure for measure in options.measures if isinstance(measure, Weighted)]
    names = [read.runs.names[run] for run in np.flatnonzero(~read.pooled)]
    if not names or not weighted:
        return {}
    depth, seed = options.pool_depth, options.seed
    try:
        made = adjust(read, new=names, measures=weighted, pool_depth=depth, seed=seed)
    except ValueError as error:
        message = f"no adjusted scores of the unpooled runs: {error}"
        read.notices.add("", "notice", "no-adjustment", message)
        return {}
    return {each.measure: each for each in made.adjusted}


def _with_left_out(
    boards: list[Board], read: Collection, groups: Groups, brought_by: Int64s
) -> list[Board]:
    """The boards with what each group's best run would score had the group not been pooled."""
    measures, scores = [board.measure for board in boards], [board.scores for board in boards]
    without = left_out(measures, scores, read.runs, read.judgments, groups, brought_by)
    return [
        replace(board, left_out=groups_left_out(board.scores, groups, left))
        for board, left in zip(boards, without, strict=True)
    ]


def _open_weight(read: Collection, measure: Measure) -> OpenWeight | None:
    weighted = measure.numerator
    if weighted is None or measure.judged_only or (weighted is not measure and not measure.depth):
        return None
    return open_weight(read.runs, read.judgments, weighted, by_topic=True)


class _Steps:
    """Counts the parts that are done."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self.n, self.total, self.progress = 0, total, progress

    def done(self) -> None:
        """One part more."""
        self.n += 1
        if self.progress is not None:
            self.progress(self.n, self.total)


ASSISTED = ("ModelAssisted", "ModelAssisted(shrink=true)")

AnyPath = str | os.PathLike[str]


@dataclass(frozen=True, eq=False, repr=False)
class Report(Result):
    """The page as text, and the scores that it shows."""

    page: str
    scores: dict[str, Scores]
    notices: Notices = field(default_factory=Notices)
    confidence: float | None = None
    estimated: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.page

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Columns run, topic, measure, value, lower, upper, judged; topic `all` is the mean.

        With a confidence ci_lower, ci_upper, ci_bootstrap_lower and ci_bootstrap_upper follow, null
        for measures that are `estimated` with the help of labels.
        """
        scores = list(self.scores.values())
        frame = scores_frame(scores, per_topic=True)
        if self.confidence is None:
            return frame
        sure = with_confidence(frame, scores, self.confidence)
        told = ~pl.col("measure").is_in(self.estimated)
        return sure.with_columns(pl.when(told).then(pl.col(end)).alias(end) for end in COLUMNS)

    def wide(self) -> pl.DataFrame:
        """A row for each run and a column for each measure, with the means over topics."""
        means = self.frame.filter(pl.col("topic") == "all")
        return means.pivot("measure", index="run", values="value", maintain_order=True)

    def chart(self, *, zero: bool = False) -> alt.TopLevelMixin:
        """A bar for each run from the lower to the upper end, the score marked; best first.

        The axis begins where the bars do, or at 0 with `zero`.
        """
        from leadline.views.charts import ranges, stacked

        return stacked([ranges(self.frame, name, zero=zero) for name in self.scores])

    def table(self) -> RenderableType:
        """One table a measure, best run first, the interval as a bar."""
        from leadline.views.tables import scores_table

        return scores_table(self.frame.filter(pl.col("topic") == "all"))

    def _repr_html_(self) -> str:
        """The page in a frame of its own, whose scripts and styles do not meet the notebook's."""
        return Markup(
            '<iframe srcdoc="{}" title="report" sandbox="allow-scripts" '
            'style="width:100%;height:40em;border:1px solid #8888"></iframe>'
        ).format(self.page)

    def write(self, path: AnyPath) -> None:
        """Write the page to a file that ends in .html, or its scores by another suffix."""
        if Path(path).suffix.lower() in (".html", ".htm"):
            write_whole(path, self.page)
        elif Path(path).suffix.lower() in SUFFIXES:
            super().write(path)
        else:
            known = " ".join(SUFFIXES)
            raise ValueError(
                f"{os.fspath(path)}: a page is written to .html, its scores to {known}"
            )


def report(
    qrels: Any,
    runs: Any = None,
    measures: Measures = DEFAULT_MEASURES,
    *,
    title: str | None = None,
    test: str | Test = DEFAULT_TEST,
    correction: Correction | None = "holm",
    alpha: float = 0.05,
    confidence: float | None = None,
    pool_depth: int | None = None,
    pool: InputFile = None,
    labels: LabelFiles = None,
    estimates: Annotated[AnyPath | Sequence[AnyPath], Option(metavar="FILE", many=True)] = (),
    seed: Seed = 0,
    command: Annotated[str | None, Option(hidden=True)] = None,
    progress: Progress | None = None,
    **read_options: Unpack[ReadOptions],
) -> Report:
    """One page: leaderboard, intervals, tests, topics, what to judge next; `write` it to .html.

    The same input and options give the same page.

    qrels, runs, measures: as for `evaluate`; qrels may be None where nothing is judged yet.
    title: title of the page.
    test: significance test; `leadline list tests` describes them.
    correction: as for `compare`.
    alpha: as for `compare`.
    confidence: as for `evaluate`.
    pool_depth: depth of the pool, if it cannot be inferred from the judgments.
    pool: as for `evaluate`.
    labels: as for `compare`. With sampled judgments, weighted measures are then compared by
        estimates of ModelAssisted; with others, scores with labels stand beside the scores.
    estimates: csv file of `leadline estimate`, whose ranking of the runs is compared.
    seed: random seed.
    command: the command shown on the page. The default is this call.
    progress: as for `evaluate`.
    read_options: how to read, for instance topics or run_names: see `ReadOptions`.
    """
    said = {name: value for name, value in locals().items() if name in _SAID}
    read_options = complete(read_options)
    if several_collections(qrels, runs) is None:
        after = names_after_folder(qrels, runs, read_options["run_names"])
        runs, read_options["run_names"] = after
    said |= read_options
    wanted = parse_measures(measures)
    refuse_beyond_grades(wanted, "report")
    correction = "none" if correction is None else correction
    _check(correction, alpha, pool_depth, seed)
    if confidence is not None and not 0 < confidence < 1:
        raise ValueError(f"`confidence` must lie between 0 and 1, not {confidence}")
    asked = tests.parse(test) if isinstance(test, str) else test
    several = several_collections(qrels, runs)
    if several is not None:
        given: dict[str, Any] = {"test": asked, "correction": correction, "alpha": alpha}
        alone = {"pool": pool, "labels": labels, "estimates": estimates, "confidence": confidence}
        for name, value in (alone | {"pool_depth": pool_depth}).items():
            if value:
                raise ValueError(f"`{name}` is for one collection, not for {len(several)}")
        compared = compare(
            several, None, wanted, seed=seed, progress=progress, **given, **read_options
        )
        heading = title or f"Report: {', '.join(several)}"
        made_by = command or _in_python(list(several.values()), None, wanted, said)
        return _across(compared, heading, made_by)
    tables = [estimates] if isinstance(estimates, str | os.PathLike) else list(estimates)
    frames = [estimate_table(path) for path in tables]
    collection = read(
        qrels,
        runs,
        pool=pool,
        progress=progress,
        labels=labels,
        **read_options,
    )
    estimated: tuple[str, ...] = ()
    assisted = labels is not None and collection.judgments.inclusion is not None
    if labels is not None and not assisted:
        frames.append(_beside(collection, wanted))
    elif assisted:
        frames.append(_assisted(collection, wanted))
        estimated = tuple(str(measure) for measure in wanted if isinstance(measure, Weighted))
    if estimated and confidence is not None:
        message = (
            f"no confidence interval over topics of {', '.join(estimated)}: it would hide that "
            "scores of single topics are estimates. `leadline estimate` tells their errors"
        )
        collection.notices.add("", "notice", "no-confidence", message)
    check_something_judged(collection)
    some = None if read_options["run_names"] is None else collection.runs.names
    origin = _origin(qrels, runs, [*tables, pool], some)
    options = ReportOptions(
        wanted,
        asked,
        correction,
        alpha,
        seed,
        pool_depth,
        pl.concat(frames) if frames else None,
        confidence,
        assisted,
    )
    folder = collection.folder
    heading = title or f"Report: {folder.resolve().name if folder else 'runs compared'}"
    made_by = command or _in_python(qrels, runs, wanted, said)
    facts = report_facts(collection, options, heading, origin, made_by, progress)
    scores = {board.scores.measure: board.scores for board in facts.boards}
    return Report(collection_report(facts), scores, collection.notices, confidence, estimated)


def _across(compared: Comparison, title: str, command: str) -> Report:
    """The page of several collections."""
    measure = next(iter(compared.pairs))
    n_topics = {
        name: len(each.pairs[measure].scores.topics) for name, each in compared.collections.items()
    }
    lines = list(compared.notices.lines())
    scores = {name: pairs.scores for name, pairs in compared.pairs.items()}
    page = across_page(title, compared.pairs, n_topics, lines, command)
    return Report(page, scores, compared.notices)


_SAID = (
    "title",
    "test",
    "correction",
    "alpha",
    "confidence",
    "pool_depth",
    "pool",
    "labels",
    "estimates",
    "seed",
)
"""Options that the page names where they are not as usual."""


def _beside(collection: Collection, wanted: tuple[Measure, ...]) -> pl.DataFrame:
    """Scores in which labels count as judgments of unjudged documents, named so."""
    scores = scores_with_labels(collection, wanted)
    collection.notices.add("", "notice", "labels", labels_notice(collection))
    frame: pl.DataFrame = pl.concat([each.frame(per_topic=False) for each in scores.values()])
    return frame.select("run", "measure", pl.lit("with labels").alias("estimator"), "value")


def _assisted(collection: Collection, wanted: tuple[Measure, ...]) -> pl.DataFrame:
    """What ModelAssisted estimates of the weighted ones of these measures, with the labels'
    help.
    """
    weighted = [measure for measure in wanted if isinstance(measure, Weighted)]
    if not weighted:
        raise ValueError(
            "labels by noisy judges help to estimate weighted measures: name RBP, P, DCG or SDCG "
            "in `measures`"
        )
    judges = ", ".join(collection.runs.pairs.needed_labels.judges)
    message = (
        f"labels of {judges} are evidence for {', '.join(map(str, weighted))}, never judgments"
    )
    collection.notices.add("", "notice", "labels", message)
    made = estimate(collection, measures=weighted, estimators=ASSISTED)
    told = [each for each in made.notices.problems if each.code in ("leader", "no-interval")]
    collection.notices.problems.extend(told)
    return made.frame.select("run", "measure", "estimator", "value")


def _check(correction: str, alpha: float, pool_depth: int | None, seed: int) -> None:
    """A ValueError if an option makes no sense, before anything slow is done."""
    check_choice("correction", correction, Correction)
    if not 0 < alpha < 1:
        raise ValueError(f"`alpha` must lie between 0 and 1, not {alpha}")
    if pool_depth is not None and pool_depth < 1:
        raise ValueError(f"`pool_depth` must be at least 1, not {pool_depth}")
    if seed < 0:
        raise ValueError(f"`seed` must not be negative, it is {seed}")


def check_something_judged(read: Collection) -> None:
    """Note that intervals say all there is to say."""
    if not read.judgments.judged[read.runs.pair].any():
        message = "no document of these runs was judged: intervals are as wide as can be"
        read.notices.add("", "warning", "nothing-judged", message)


def _origin(
    qrels: Any, runs: Any, others: Iterable[Any], some: Sequence[str] | None = None
) -> Origin:
    """What was read, by name, with a digest of all that are files; of a folder `some` runs only."""
    if is_collection(qrels):
        names, files = (qrels.judged_in, _named(qrels.folder)), []
    elif runs is None:
        judged, folder = collection_inputs(qrels, need_qrels=False)
        runs_read = [file for file in folder.iterdir() if not is_side_file(file)]
        if some is not None:
            runs_read = [file for file in runs_read if run_name(str(file)) in some]
        files = [*runs_read, Path(qrels) / "groups.tsv"]
        files += [judged] if judged is not None else []
        names = _named(judged), _named(folder)
    else:
        given = [runs] if isinstance(runs, str | os.PathLike) else runs
        several = given if isinstance(given, list | tuple) else []
        paths = [os.fspath(each) for each in several if isinstance(each, str | os.PathLike)]
        files = [Path(file) for path in paths for file in expand(path)]
        files += [Path(qrels)] if isinstance(qrels, str | os.PathLike) else []
        names = _named(qrels), _named(runs)
    files += [Path(each) for each in others if isinstance(each, str | os.PathLike)]
    return Origin(*names, _digest(files))


def _named(what: object) -> str:
    """The input as a reader would call it."""
    if what is None:
        return "none"
    if isinstance(what, str | os.PathLike):
        return os.fspath(what)
    if isinstance(what, list | tuple) and all(isinstance(each, str | os.PathLike) for each in what):
        return " ".join(os.fspath(each) for each in what)
    return f"a {type(what).__name__} given in Python"


def _digest(files: Iterable[Path]) -> str:
    """One text for the names and contents of these files; empty where there is none."""
    there = sorted({file for file in files if file.is_file()}, key=lambda file: file.name)
    hashed = hashlib.blake2b(digest_size=16)
    for file in there:
        content = file.read_bytes()
        hashed.update(f"{file.name}\0{len(content)}\0".encode())
        hashed.update(content)
    return hashed.hexdigest() if there else ""


def _in_python(qrels: Any, runs: Any, wanted: tuple[Measure, ...], said: dict[str, Any]) -> str:
    """The call that made the page, with the options that are not as usual."""
    usual = {name: each.default for name, each in signature(report).parameters.items()}
    usual |= complete({})
    options = [f"{name}={_shown(x)}" for name, x in said.items() if not _same(x, usual.get(name))]
    names = [str(measure) for measure in wanted]
    inputs = [_shown(qrels)] if runs is None else [_shown(qrels), _shown(runs)]
    return f"leadline.report({', '.join([*inputs, f'measures={names!r}', *options])})"


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and not isinstance(one, pl.DataFrame) and bool(one == other)


def _shown(what: Any) -> str:
    """A value as it stands in a call; a table by its kind only."""
    if isinstance(what, os.PathLike):
        return repr(os.fspath(what))
    if isinstance(what, list | tuple):
        return f"[{', '.join(map(_shown, what))}]"
    return repr(what) if what is None or isinstance(what, str | int | float) else "..."
