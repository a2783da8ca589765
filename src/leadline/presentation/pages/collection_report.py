"""The whole report of a collection: everything computed, then one page."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from leadline.collection.collection import Collection
from leadline.collection.topics_seen import say_undefined
from leadline.comparison.joint import same_lists
from leadline.comparison.pairwise import Pairwise, compare_pairs
from leadline.judging.reading_texts import read_texts
from leadline.measures.measure import Measure
from leadline.measures.weighted import Weighted
from leadline.presentation.pages.board import Board
from leadline.presentation.pages.contributions import Groups, finds, left_out
from leadline.presentation.pages.embedded import page_data
from leadline.presentation.pages.groups_section import groups_section
from leadline.presentation.pages.judged_coverage import coverage, pool_depth
from leadline.presentation.pages.judged_section import judged_section
from leadline.presentation.pages.leaderboard import leaderboard, who_leads
from leadline.presentation.pages.live_page import live_page
from leadline.presentation.pages.next_section import next_section
from leadline.presentation.pages.open_weight import open_weight
from leadline.presentation.pages.orderings_section import orderings_section
from leadline.presentation.pages.parts import amount
from leadline.presentation.pages.read_estimates import Estimate, estimates_of
from leadline.presentation.pages.significance_section import significance_section
from leadline.presentation.pages.sources import Origin, again_section, read_section
from leadline.presentation.pages.topics_section import topics_section
from leadline.presentation.pages.worth_judging import worth_judging
from leadline.tables.arrays import Bools
from leadline.tables.lists import Lists

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class ReportOptions:
    """What a report is to hold: measures, the test, estimates, and words for its head and foot."""

    measures: tuple[Measure, ...]
    title: str
    command: str
    origin: Origin
    pool_depth: int | None = None
    estimates: pl.DataFrame | None = None
    test: str = "wilcoxon"
    correct: str = "holm"
    level: float = 0.05
    seed: int = 0


def collection_report(
    read: Collection,
    asked: ReportOptions,
    tell: Callable[[Pairwise], None] = lambda pairs: None,
    progress: Progress | None = None,
) -> str:
    """The page as text; `tell` may add notices about the pairs of each measure."""
    runs, judgments = read.runs, read.judgments
    steps = _Steps(2 * len(asked.measures) + 2, progress)
    pooled = pooled_runs(read)
    depth = pool_depth(runs, judgments, pooled) if asked.pool_depth is None else asked.pool_depth
    groups = Groups.of(runs, pooled)
    boards = [_board(read, each, groups, depth, asked, steps) for each in asked.measures]
    for board in boards:
        if board.pairwise is not None:
            tell(board.pairwise)
    rel = getattr(asked.measures[0], "rel", 1)
    found = finds(runs, judgments, groups, depth, rel)
    worth = worth_judging(runs, judgments, list(asked.measures))
    steps.done()
    texts = read_texts(read.folder, {each.doc for each in worth.pairs})
    queries = {topic: words[0] for topic, words in texts.topics.items()}
    shares = coverage(runs, judgments)
    pool = f"depth {depth}" if depth else "not a pool of these runs"
    pool += f", {amount(int(pooled.sum()), 'run')} of {len(runs.names)} count as pooled"
    sections = [
        ("leaderboard", "Leaderboard", leaderboard(boards, groups)),
        ("judged", "Judged", judged_section(shares, judgments, runs.names)),
        (
            "groups",
            "Groups",
            groups_section(boards, groups, found, depth, asked.pool_depth is not None),
        ),
        ("topics", "Topics", topics_section(boards, bool(queries))),
        ("significance", "Significance", significance_section(boards)),
        ("orderings", "Orderings", orderings_section(boards)),
        ("next", "What to judge next", next_section(worth, texts)),
        (
            "read",
            "What was read",
            read_section(runs, judgments, asked.origin, read.notices.problems, pool),
        ),
        ("again", "Reproduce", again_section(asked.command, asked.seed, asked.origin)),
    ]
    steps.done()
    data = page_data(boards, groups, shares, queries)
    names = [board.scores.measure for board in boards]
    return live_page(asked.title, _lead(read, boards[0]), names, sections, data)


def pooled_runs(read: Collection) -> Bools:
    """Which runs were pooled; all of them where nothing tells."""
    marked = read.groups["pooled"]
    if marked.null_count() == len(marked):
        return np.ones(len(marked), np.bool_)
    pooled: Bools = marked.fill_null(False).to_numpy()
    return pooled


def _lead(read: Collection, board: Board) -> str:
    runs = read.runs
    return (
        f"{amount(len(runs.names), 'run')} of {amount(len(set(runs.group)), 'group')} on "
        f"{amount(len(runs.pairs.topics), 'topic')}, {int(read.judgments.judged.sum()):,} pairs of "
        f"topic and document judged. {who_leads(board)}"
    )


def _board(
    read: Collection,
    measure: Measure,
    groups: Groups,
    depth: int,
    asked: ReportOptions,
    steps: "_Steps",
) -> Board:
    runs, judgments = read.runs, read.judgments
    scores = measure.score(Lists.of(runs, judgments))
    pairwise = None
    if len(runs.names) > 1:
        pairwise = compare_pairs(
            runs,
            judgments,
            measure,
            test=asked.test,
            correct=asked.correct,  # type: ignore[arg-type]
            level=asked.level,
            seed=asked.seed,
        )
    steps.done()
    say_undefined(scores, read.notices)
    weights = isinstance(measure, Weighted) and not measure.judged_only
    open_ = open_weight(runs, judgments, measure) if weights else None  # type: ignore[arg-type]
    estimates: tuple[Estimate, ...] = ()
    if asked.estimates is not None:
        estimates = estimates_of(asked.estimates, scores.measure, runs.names, read.notices)
        if estimates:
            estimates = (Estimate("score", scores.mean()), *estimates)
    alike = same_lists(runs, measure.depth).argmax(axis=1)
    left = left_out(measure, runs, judgments, groups, depth) if depth else None
    steps.done()
    return Board(measure, scores, pairwise, open_, alike, left, estimates)


class _Steps:
    """Counts the parts that are done."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self.n, self.total, self.progress = 0, total, progress

    def done(self) -> None:
        """One part more."""
        self.n += 1
        if self.progress is not None:
            self.progress(self.n, self.total)
