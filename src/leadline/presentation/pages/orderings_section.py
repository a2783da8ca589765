"""The section on how estimators order the runs."""

from leadline.comparison.board import Board
from leadline.presentation.pages.live_table import Cell, Column, live_table
from leadline.presentation.pages.parts import by_measure, figure, paragraph, section

AGREEMENT = {
    "kendall_tau_b": "Kendall's tau",
    "tau_ap": "tau AP",
    "spearman": "Spearman",
    "rbo": "RBO",
    "leader_drop": "leader falls by",
    "largest_drop": "largest fall",
    "swaps": "pairs swapped",
}
"""Statistics of `leadline correlate` that are shown, and what they are called."""


def orderings_section(boards: list[Board]) -> str:
    """How estimators order the runs, where any are given."""
    if not any(board.estimates for board in boards):
        return ""
    caption = (
        "Place of each run under each estimator, the best on top; the six best runs by the score "
        "are coloured."
    )
    tables = by_measure(
        (board.scores.measure, _agreement_table(at, board)) for at, board in enumerate(boards)
    )
    return section(
        "orderings", "Orderings by estimator", figure("orderings-chart", caption), tables
    )


def _agreement_table(at: int, board: Board) -> str:
    if not board.estimates:
        return paragraph(f"No estimates of {board.scores.measure} were given.", "note")
    columns = [Column("estimators", "text")]
    columns += [Column(words, title=name) for name, words in AGREEMENT.items()]
    rows: list[list[Cell]] = [
        [names, *(statistics.get(name) for name in AGREEMENT)]
        for names, statistics in board.agreements
    ]
    caption = f"How far estimators order the runs alike, {board.scores.measure}"
    return live_table(f"orderings-{at}", caption, columns, rows)
