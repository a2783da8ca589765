"""The leaderboard: scores, intervals, tiers."""

import numpy as np

from leadline.comparison.board import Board
from leadline.pools.contributions import Groups
from leadline.presentation.pages.live_table import Cell, Column, Drawn, interval_svg, live_table
from leadline.presentation.pages.parts import amount, by_measure, figure, paragraph, section

COLUMNS = (
    Column("run", "text"),
    Column("place", "count", "1 is the best; equal scores share a place"),
    Column("group", "text", "who made the run"),
    Column("score", title="if every unjudged document is worthless"),
    Column("lower", title="the least that the score can become"),
    Column("upper", title="the most that the score can become"),
    Column("interval", "drawn", "from lower to upper, the score marked"),
    Column("tier by test", "count", "runs of one tier do not differ significantly"),
    Column("tier for certain", "count", "runs of one tier may change places by judging"),
    Column("judged", "share", "share of the ranks that the measure looks at"),
)


def leaderboard(boards: list[Board], groups: Groups) -> str:
    """The section."""
    caption = (
        "Mark: the score if every unjudged document is worthless. Bar: where the score can lie, "
        "whatever the unjudged documents turn out to be. Right: tiers; runs in one tier cannot be "
        "told apart, by the test and for certain."
    )
    tables = by_measure(
        (board.scores.measure, paragraph(who_leads(board)) + _table(at, board, groups))
        for at, board in enumerate(boards)
    )
    return section("leaderboard", "Leaderboard", figure("leaderboard-chart", caption), tables)


def who_leads(board: Board) -> str:
    """One or two sentences: the best run, its interval, and how sure that is."""
    mean, name = board.mean, board.scores.measure
    best = int(board.order[0])
    if np.isnan(mean[best]):
        return f"{name} is undefined for every run: no relevant document is known."
    equal = np.flatnonzero(mean >= mean[best] - 1e-12)
    text = f"By {name}, {board.scores.runs[best]} scores highest, {mean[best]:.4f}"
    if len(equal) > 1:
        text = f"By {name}, {amount(len(equal), 'run')} score highest, {mean[best]:.4f}"
    if board.has_interval:
        low, high = board.lower[best], board.upper[best]
        text += f", and with all documents judged would score between {low:.4f} and {high:.4f}"
    if board.tiers is None:
        return text + "."
    first = [int((board.tiers[by] == 1).sum()) for by in ("significance", "certainty")]
    return (
        f"{text}. In the first tier {_stand(first[0])} by the test and {_stand(first[1], '')} "
        "for certain."
    )


def _stand(n: int, verb: str = "stand") -> str:
    if not verb:
        return amount(n, "run")
    return f"{verb}s 1 run" if n == 1 else f"{verb} {n:,} runs"


def _table(at: int, board: Board, groups: Groups) -> str:
    scores = board.scores
    lower, upper, mean = board.lower, board.upper, board.mean
    tops = np.concatenate([mean, upper])
    most = float(np.nanmax(tops)) if not np.isnan(tops).all() else 1.0
    tiers = [] if board.tiers is None else [board.tiers["significance"], board.tiers["certainty"]]
    rows: list[list[Cell]] = []
    for run in board.order.tolist():
        bar: Cell = None
        if not np.isnan(upper[run]) and not np.isnan(mean[run]):
            svg = interval_svg(lower[run], mean[run], upper[run], most)
            bar = Drawn(svg, float(upper[run] - lower[run]))
        rows.append(
            [
                scores.runs[run],
                board.places[run],
                groups.names[groups.of_run[run]],
                float(mean[run]),
                float(lower[run]),
                float(upper[run]),
                bar,
                *(int(tier[run]) for tier in tiers),
                *(() if tiers else (None, None)),
                float(board.judged[run]),
            ]
        )
    return live_table(f"leaderboard-{at}", f"Leaderboard by {scores.measure}", COLUMNS, rows)
