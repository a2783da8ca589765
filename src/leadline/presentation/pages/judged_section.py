"""The section on what was judged."""

from leadline.collection.judged_by_rank import JudgedByRank
from leadline.comparison.board import Board
from leadline.presentation.pages.live_table import Cell, Column, live_table
from leadline.presentation.pages.parts import figure, paragraph, section
from leadline.tables.judgments import Judgments


def judged_section(judged: JudgedByRank, judgments: Judgments, board: Board) -> str:
    """Share judged by run and rank; the runs as they stand on the board."""
    columns = [Column("run", "text")] + [
        Column(str(first) if first == last else f"{first}\u2013{last}", "share", "ranks")
        for first, last in zip(judged.first.tolist(), judged.last.tolist(), strict=True)
    ]
    rows: list[list[Cell]] = [
        [board.scores.runs[run], *judged.share[run].tolist()] for run in board.order.tolist()
    ]
    n, of = int(judgments.judged.sum()), len(judgments.pairs)
    return section(
        "judged",
        "What was judged",
        paragraph(
            f"{n:,} of {of:,} pairs of topic and document that a run or the judgments mention were "
            "judged. A run whose first ranks are pale has a score that rests on little."
        ),
        figure(
            "judged-chart",
            "Rows: runs, best first by the measure chosen. Columns: ranks. The fuller the colour, "
            "the larger the share judged; nothing where no list goes that far.",
            [("heat", "judged"), ("none", "not judged")],
        ),
        live_table("judged-table", "Share judged by rank", columns, rows),
    )
