"""The section on groups: what each found alone, and what it would score had it not been pooled."""

import numpy as np

from leadline.comparison.board import Board
from leadline.pools.contributions import GroupContribution, Groups
from leadline.presentation.pages.live_table import Cell, Column, live_table
from leadline.presentation.pages.parts import by_measure, figure, paragraph, section


def groups_section(
    boards: list[Board],
    groups: Groups,
    contribution: GroupContribution,
    pool_depth: int | None,
    given: bool,
) -> str:
    """Who found what nobody else found, and what leaving a group out would do to it.

    Empty where every run is a group of its own.
    """
    if not groups.told:
        return ""
    columns = [
        Column("group", "text"),
        Column("runs", "count"),
        Column("pooled runs", "count", "runs that count for the pool"),
        Column("relevant found", "count", "relevant documents that some run of it returns"),
        Column("found alone", "count", "relevant documents that no other group returns at all"),
        Column("pooled alone", "count", "judged documents in the pool because of it alone"),
        Column("relevant of these", "count", "relevant ones among them"),
    ]
    counts = (
        groups.n_runs,
        groups.n_pooled,
        contribution.found,
        contribution.alone,
        contribution.pooled_alone,
        contribution.pooled_alone_relevant,
    )
    order = np.lexsort(
        (
            np.array(groups.names, np.str_),
            -contribution.found,
            -contribution.alone,
            -contribution.pooled_alone_relevant,
        )
    )
    rows: list[list[Cell]] = [
        [groups.names[at], *(int(count[at]) for count in counts)] for at in order.tolist()
    ]
    if pool_depth is None:
        columns, rows = columns[:-2], [row[:-2] for row in rows]
    table = live_table("groups-table", "Relevant documents by group", columns, rows)
    if pool_depth is None:
        words = (
            "What would happen to a group that had not been pooled cannot be told: the judgments "
            "are no pool of these runs, since even first ranks are unjudged. If you know the depth "
            "to which they were pooled, give it with --pool-depth."
        )
        return section("groups", "Groups", paragraph(words, "note"), table)
    how = "given" if given else "by what was judged"
    words = (
        f"The judgments are a pool of depth {pool_depth} ({how}). Had a group not been pooled, "
        "what it alone brought to the pool would be unjudged: its scores would fall, and their "
        "intervals would still hold what they are now."
    )
    caption = (
        "Each pooled group's best run: full mark with its group in the pool, empty mark without. "
        "Largest fall first."
    )
    return section(
        "groups",
        "Groups",
        paragraph(words),
        table,
        figure("groups-chart", caption),
        by_measure(
            (board.scores.measure, _left_out_table(at, board)) for at, board in enumerate(boards)
        ),
    )


def _left_out_table(at: int, board: Board) -> str:
    columns = [
        Column("group", "text"),
        Column("best run", "text"),
        Column("score"),
        Column("if not pooled"),
        Column("lower"),
        Column("upper"),
        Column("change"),
        Column("place", "count"),
        Column("place if not pooled", "count"),
    ]
    rows: list[list[Cell]] = [
        [
            row.group,
            row.run,
            row.value,
            row.without,
            row.lower,
            row.upper,
            row.without - row.value + 0.0,
            row.place,
            row.place_without,
        ]
        for row in board.left_out or ()
    ]
    return live_table(
        f"left-out-{at}", f"Groups left out of the pool, {board.scores.measure}", columns, rows
    )
