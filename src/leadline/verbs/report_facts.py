"""What a report shows, computed from a collection."""

from dataclasses import dataclass, replace

import polars as pl

from leadline.collection.collection import Collection
from leadline.collection.judged_by_rank import judged_by_rank
from leadline.collection.topics_seen import say_undefined
from leadline.comparison.board import Board, groups_left_out
from leadline.comparison.correction import Correct
from leadline.comparison.estimated_orders import EstimatedMeans, estimated_means
from leadline.comparison.hypothesis_test import Test
from leadline.comparison.pairwise import compare_pairs
from leadline.comparison.topic_confidence import TopicConfidence
from leadline.files.problems import Progress
from leadline.intervals.joint import OpenWeight, open_weight, same_lists
from leadline.judging.reading_texts import read_texts
from leadline.measures.measure import Measure
from leadline.measures.weighted import Weighted
from leadline.orders.worth_judging import worth_judging
from leadline.pools.contributions import Groups, contributions, left_out
from leadline.presentation.pages.collection_report import ReportFacts
from leadline.presentation.pages.sources import Origin
from leadline.tables.arrays import Int64s
from leadline.tables.lists import Lists
from leadline.verbs.compare import say_caveats


@dataclass(frozen=True)
class ReportOptions:
    """What a report is to hold: measures, the test, the pool's depth if told, estimates.

    `assisted` compares weighted measures by what Assisted estimates.
    """

    measures: tuple[Measure, ...]
    test: Test
    correct: Correct = "holm"
    level: float = 0.05
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
    for measure in measures:
        boards.append(_board(read, measure, options))
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
            basis="assisted" if assisted else "base",
            correct=options.correct,
            level=options.level,
            seed=options.seed,
            contributing=read.pooled,
        )
        say_caveats(pairwise, options.test, read.notices)
    scores = pairwise.scores if pairwise else measure.score(Lists.of(runs, judgments))
    say_undefined(scores, read.notices)
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
    return Board(measure, scores, pairwise, alike, estimates=means, confidence=sure)


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
