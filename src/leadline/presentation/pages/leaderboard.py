"""The leaderboard: scores, intervals, tiers."""

import numpy as np

from leadline.comparison.board import Board
from leadline.comparison.tiers import CUT
from leadline.comparison.topic_confidence import COLUMNS as CONFIDENCE_COLUMNS
from leadline.pools.contributions import Groups
from leadline.presentation.pages.live_table import Cell, Column, Drawn, interval_svg, live_table
from leadline.presentation.pages.parts import by_measure, figure, section

# Run and score first: a phone shows no more at once.
COLUMNS = (
    Column("run", "text"),
    Column("score", title="unjudged documents counted as non-relevant, unless it is estimated"),
    Column("place", "count", "1 is the best; equal scores share a place"),
    Column("lower", title="the least that the score can become"),
    Column("upper", title="the most that the score can become"),
    Column("interval", "drawn", "from lower to upper, the score marked"),
    Column("tier by test", "count", "runs of one tier do not differ significantly"),
    Column("tier for certain", "count", "runs of one tier may change places by judging"),
    Column("judged", "share", "share of the ranks that the measure looks at"),
)
GROUP = Column("group", "text", "who made the run")
OVER_TOPICS = (
    Column("topics, t: lower", title="confidence interval over topics, by Student's t"),
    Column("topics, t: upper", title="confidence interval over topics, by Student's t"),
    Column("topics, bootstrap: lower", title="confidence interval over topics, by the bootstrap"),
    Column("topics, bootstrap: upper", title="confidence interval over topics, by the bootstrap"),
)
"""About other topics; lower and upper are about unjudged documents."""


def leaderboard(boards: list[Board], groups: Groups) -> str:
    """The section."""
    estimated = [board.scores.measure for board in boards if board.estimated]
    caption = (
        "Mark: the score, unjudged documents counted as non-relevant. Bar: bounds of the score "
        "over every completion of the judgments. Right: tiers; runs in one tier cannot be told "
        f"apart, by the test and for certain; {CUT}."
    )
    if estimated:
        caption += f" The mark of {', '.join(estimated)} is an estimate from the sample."
    if any(board.confidence is not None for board in boards):
        caption += (
            " Columns that begin with topics hold confidence intervals: they allow for the sample "
            "of topics, and bounds do not."
        )
    tables = by_measure(
        (board.scores.measure, _table(at, board, groups)) for at, board in enumerate(boards)
    )
    return section("leaderboard", "Leaderboard", figure("leaderboard-chart", caption), tables)


def _table(at: int, board: Board, groups: Groups) -> str:
    scores = board.scores
    lower, upper, mean = board.lower, board.upper, board.mean
    numbers = np.concatenate([mean, lower, upper])
    numbers = numbers[~np.isnan(numbers)]
    ends = (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 1.0)
    tiers = [] if board.tiers is None else [board.tiers["significance"], board.tiers["certainty"]]
    sure = board.confidence
    over = [] if sure is None else [getattr(sure, name) for name in CONFIDENCE_COLUMNS]
    # Beside the interval that is certain, so that nobody overlooks that there are two doubts.
    after = 1 + [column.name for column in COLUMNS].index("interval")
    told = [GROUP] if groups.told else []
    columns = [*COLUMNS[:after], *OVER_TOPICS[: len(over)], *COLUMNS[after:], *told]
    rows: list[list[Cell]] = []
    for run in board.order.tolist():
        bar: Cell = None
        if not np.isnan(upper[run]) and not np.isnan(mean[run]):
            svg = interval_svg(lower[run], mean[run], upper[run], ends)
            bar = Drawn(svg, float(upper[run] - lower[run]))
        rows.append(
            [
                scores.runs[run],
                float(mean[run]),
                board.places[run],
                float(lower[run]),
                float(upper[run]),
                bar,
                *(float(ends[run]) for ends in over),
                *(int(tier[run]) for tier in tiers),
                *(() if tiers else (None, None)),
                float(board.judged[run]),
                *([groups.names[groups.of_run[run]]] if groups.told else []),
            ]
        )
    return live_table(f"leaderboard-{at}", f"Leaderboard by {scores.measure}", columns, rows)
