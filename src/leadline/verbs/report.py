"""report: one self-contained page about a collection, to send to somebody else."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from leadline.collection.collection import Collection
from leadline.collection.inputs import TopicNames, collection_inputs, expand, is_collection
from leadline.collection.read import read
from leadline.comparison.correction import Correct
from leadline.comparison.hypothesis_test import DEFAULT_TEST, Test, tests
from leadline.comparison.topic_confidence import COLUMNS, with_confidence
from leadline.files.problems import Notices, Progress
from leadline.files.source import is_side_file
from leadline.files.whole_file import write_whole
from leadline.formats.ranking import Ranks
from leadline.formats.score_table import estimate_table
from leadline.measures.measure import DEFAULT_MEASURES, Measure, MeasureNames, parse_measures
from leadline.measures.weighted import Weighted
from leadline.naming.choice import check_choice
from leadline.presentation.pages.collection_report import collection_report
from leadline.presentation.pages.sources import Origin
from leadline.tables.scores import Scores, scores_frame
from leadline.verbs.compare import NOT_DRAWN
from leadline.verbs.estimate import estimate
from leadline.verbs.report_facts import ReportOptions, report_facts
from leadline.verbs.result import SUFFIXES, Result

if TYPE_CHECKING:
    import altair as alt
    from rich.console import RenderableType

ASSISTED = ("Assisted", "Assisted(shrink=true)")

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
        from leadline.presentation.charts.range_charts import ranges
        from leadline.presentation.charts.stacked import stacked

        return stacked([ranges(self.frame, name, zero=zero) for name in self.scores])

    def table(self) -> RenderableType:
        """One table a measure, best run first, the interval as a bar."""
        from leadline.presentation.terminal.tables import scores_table

        return scores_table(self.frame.filter(pl.col("topic") == "all"))

    def _repr_html_(self) -> str:
        """The page in a frame of its own, whose scripts and styles do not meet the notebook's."""
        return (
            f'<iframe srcdoc="{escape(self.page)}" title="report" sandbox="allow-scripts" '
            'style="width:100%;height:40em;border:1px solid #8888"></iframe>'
        )

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
    measures: MeasureNames = DEFAULT_MEASURES,
    *,
    title: str | None = None,
    test: str | Test = DEFAULT_TEST,
    correct: Correct | None = "holm",
    level: float = 0.05,
    confidence: float | None = None,
    pool_depth: int | None = None,
    pool: Any = None,
    cheap: Any = None,
    estimates: AnyPath | Sequence[AnyPath] = (),
    seed: int = 0,
    command: str | None = None,
    topics: TopicNames = None,
    ranks: Ranks = "score",
    lenient: bool = False,
    map_grades: Mapping[int, int] | None = None,
    progress: Progress | None = None,
) -> Report:
    """One page: leaderboard, intervals, tests, topics, what to judge next; `write` it to .html.

    The same input and options give the same page.

    qrels, runs, measures: as for `evaluate`; qrels may be None where nothing is judged yet.
    title: the page's heading.
    test, correct, level: how runs are compared, as for `compare`.
    confidence: add confidence intervals of means over topics, as for `evaluate`.
    pool_depth: the depth to which the runs were pooled, if what was judged does not show it.
    pool: only judgments inside this pool count.
    cheap: labels of cheap judges in any form that judgments have, {judge: labels} for several:
        evidence beside judgments that were drawn by chance, with their `pool`. Weighted measures
        are then compared by what Assisted estimates, and its orderings are shown.
    estimates: files of `leadline estimate`, to compare orderings.
    seed: for tests that draw at random.
    command: what the page says it was made by, this call unless given.
    topics, ranks, lenient, map_grades, progress: as for `evaluate`.
    """
    said = {name: value for name, value in locals().items() if name in _SAID}
    wanted = parse_measures(measures)
    correct = "none" if correct is None else correct
    _check(correct, level, pool_depth, seed)
    if confidence is not None and not 0 < confidence < 1:
        raise ValueError(f"`confidence` must lie between 0 and 1, not {confidence}")
    asked = tests.parse(test) if isinstance(test, str) else test
    tables = [estimates] if isinstance(estimates, str | os.PathLike) else list(estimates)
    frames = [estimate_table(path) for path in tables]
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
    estimated: tuple[str, ...] = ()
    if cheap is not None:
        frames.append(_assisted(collection, wanted))
        estimated = tuple(str(measure) for measure in wanted if isinstance(measure, Weighted))
    if estimated and confidence is not None:
        message = (
            f"no confidence interval over topics of {', '.join(estimated)}: it would hide that "
            "scores of single topics are estimates. `leadline estimate` tells their errors"
        )
        collection.notices.add("", "notice", "no-confidence", message)
    say_nothing_judged(collection)
    origin = _origin(qrels, runs, [*tables, pool])
    options = ReportOptions(
        wanted,
        asked,
        correct,
        level,
        seed,
        pool_depth,
        pl.concat(frames) if frames else None,
        confidence,
        cheap is not None,
    )
    folder = collection.folder
    heading = title or f"Report: {folder.resolve().name if folder else 'runs compared'}"
    made_by = command or _in_python(qrels, runs, wanted, said)
    facts = report_facts(collection, options, heading, origin, made_by, progress)
    scores = {board.scores.measure: board.scores for board in facts.boards}
    return Report(collection_report(facts), scores, collection.notices, confidence, estimated)


_SAID = (
    "title",
    "test",
    "correct",
    "level",
    "confidence",
    "pool_depth",
    "pool",
    "cheap",
    "estimates",
    "topics",
    "seed",
    "ranks",
    "lenient",
    "map_grades",
)
"""Options that the page names where they are not as usual."""


def _assisted(collection: Collection, wanted: tuple[Measure, ...]) -> pl.DataFrame:
    """What Assisted estimates of the weighted ones of these measures, with the labels' help."""
    if collection.judgments.inclusion is None:
        raise ValueError(NOT_DRAWN)
    weighted = [measure for measure in wanted if isinstance(measure, Weighted)]
    if not weighted:
        raise ValueError(
            "labels of cheap judges help to estimate weighted measures: name RBP, P, DCG or SDCG "
            "in `measures`"
        )
    judges = ", ".join(collection.runs.pairs.labels.judges)
    message = (
        f"labels of {judges} are evidence for {', '.join(map(str, weighted))}, never judgments"
    )
    collection.notices.add("", "notice", "cheap", message)
    made = estimate(collection, measures=weighted, estimators=ASSISTED)
    return made.frame.select("run", "measure", "estimator", "value")


def _check(correct: str, level: float, pool_depth: int | None, seed: int) -> None:
    """A ValueError if an option makes no sense, before anything slow is done."""
    check_choice("correct", correct, Correct)
    if not 0 < level < 1:
        raise ValueError(f"`level` must lie between 0 and 1, not {level}")
    if pool_depth is not None and pool_depth < 1:
        raise ValueError(f"`pool_depth` must be at least 1, not {pool_depth}")
    if seed < 0:
        raise ValueError(f"`seed` must not be negative, it is {seed}")


def say_nothing_judged(read: Collection) -> None:
    """Note that intervals say all there is to say."""
    if not read.judgments.judged[read.runs.pair].any():
        message = "no document of these runs was judged: intervals are as wide as can be"
        read.notices.add("", "warning", "nothing-judged", message)


def _origin(qrels: Any, runs: Any, others: Iterable[Any]) -> Origin:
    """What was read, by name, with a digest of all that are files."""
    if is_collection(qrels):
        names, files = (qrels.judged_in, _named(qrels.folder)), []
    elif runs is None:
        judged, folder = collection_inputs(qrels, need_qrels=False)
        runs_read = [file for file in folder.iterdir() if not is_side_file(file)]
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
