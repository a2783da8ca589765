"""The section on how estimators order the runs."""

from leadline.presentation.pages.board import Board
from leadline.presentation.pages.live_table import Cell, Column, live_table
from leadline.presentation.pages.parts import by_measure, figure, paragraph, section
from leadline.presentation.pages.read_estimates import agreement

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
    each = board.estimates
    if not each:
        return paragraph(f"No estimates of {board.scores.measure} were given.", "note")
    found = [
        (f"{one.name} and {other.name}", agreement(one, other))
        for place, one in enumerate(each)
        for other in each[place + 1 :]
    ]
    columns = [Column("estimators", "text")]
    columns += [Column(words, title=name) for name, words in AGREEMENT.items()]
    rows: list[list[Cell]] = [[who, *(row.get(name) for name in AGREEMENT)] for who, row in found]
    caption = f"How far estimators order the runs alike, {board.scores.measure}"
    return live_table(f"orderings-{at}", caption, columns, rows)
