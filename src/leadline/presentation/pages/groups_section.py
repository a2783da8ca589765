"""The section on groups: what each found alone, and what it would score had it not been pooled."""

import numpy as np

from leadline.presentation.pages.board import Board
from leadline.presentation.pages.contributions import GroupContribution, Groups
from leadline.presentation.pages.embedded import left_out_rows
from leadline.presentation.pages.live_table import Cell, Column, live_table
from leadline.presentation.pages.parts import by_measure, figure, paragraph, section


def groups_section(
    boards: list[Board], groups: Groups, found: GroupContribution, depth: int, given: bool
) -> str:
    """Who found what nobody else found, and what leaving a group out would do to it."""
    pooled = np.bincount(groups.of_run[groups.pooled], minlength=len(groups.names))
    n_runs = np.bincount(groups.of_run, minlength=len(groups.names))
    columns = [
        Column("group", "text"),
        Column("runs", "count"),
        Column("pooled runs", "count", "runs that count for the pool"),
        Column("relevant found", "count", "relevant documents that some run of it returns"),
        Column("found alone", "count", "relevant documents that no other group returns at all"),
        Column("pooled alone", "count", "judged documents in the pool because of it alone"),
        Column("relevant of these", "count", "relevant ones among them"),
    ]
    order = np.lexsort((-found.found, -found.alone, -found.pooled_alone_relevant))
    rows: list[list[Cell]] = [
        [
            groups.names[at],
            int(n_runs[at]),
            int(pooled[at]),
            int(found.found[at]),
            int(found.alone[at]),
            *((int(found.pooled_alone[at]), int(found.pooled_alone_relevant[at])) if depth else ()),
            *(() if depth else (None, None)),
        ]
        for at in order.tolist()
    ]
    table = live_table("groups-table", "Relevant documents by group", columns, rows)
    if not depth:
        words = (
            "What would happen to a group that had not been pooled cannot be told: the judgments "
            "are no pool of these runs, since even first ranks are unjudged. If you know the depth "
            "to which they were pooled, give it with --pool-depth."
        )
        return section("groups", "Groups", paragraph(words, "note"), table)
    how = "given" if given else "by what was judged"
    words = (
        f"The judgments are a pool of depth {depth} ({how}). Had a group not been pooled, what it "
        "alone brought to the pool would be unjudged: its scores would fall, and their intervals "
        "would still hold what they are now."
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
            (board.scores.measure, _left_out_table(at, board, groups))
            for at, board in enumerate(boards)
        ),
    )


def _left_out_table(at: int, board: Board, groups: Groups) -> str:
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
    rows: list[list[Cell]] = []
    for row in left_out_rows(board, groups):
        without = row["without"]
        change = None if without is None else without - row["value"] + 0.0
        cells = (row["lower"], row["upper"], change, row["place"], row["place_without"])
        rows.append([row["group"], row["run"], row["value"], without, *cells])
    return live_table(
        f"left-out-{at}", f"Groups left out of the pool, {board.scores.measure}", columns, rows
    )
