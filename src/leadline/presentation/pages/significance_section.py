"""The section on all pairs of runs by the test."""

from leadline.comparison.board import Board
from leadline.comparison.pairwise import Pairwise
from leadline.comparison.sureness import SURENESS
from leadline.presentation.pages.live_table import Column, live_table
from leadline.presentation.pages.parts import amount, by_measure, figure, paragraph, section


def significance_section(boards: list[Board]) -> str:
    """All pairs by the test."""
    pairs = boards[0].pairwise
    if pairs is None:
        words = "There is one run, so there is nothing to compare."
        return section("significance", "Significance", paragraph(words, "note"))
    columns = [
        Column("other run", "text"),
        Column("difference"),
        Column("lower", title="bounds of the difference over every completion"),
        Column("upper", title="bounds of the difference over every completion"),
        Column("p"),
        Column("p corrected"),
        Column("in general", "text", "by the test, for topics like these"),
        Column("on these topics", "text", "once all listed documents are judged"),
        Column("caveats", "text"),
    ]
    shares = by_measure(
        (
            board.scores.measure,
            paragraph(
                f"{board.pairwise.discriminated:.0%} of "
                f"{amount(len(board.pairwise.first), 'pair')} differ significantly. Signs of the "
                f"differences on these topics: {_signs(board.pairwise)}."
            ),
        )
        for board in boards
        if board.pairwise is not None
    )
    tails = "two-tailed" if pairs.tails == 2 else "one-tailed"
    tested = f"It tests that {pairs.null}. " if pairs.null else ""
    words = (
        f"Test: {pairs.test}, {tails}, on {pairs.basis} scores, level {pairs.level:g}, "
        f"correction: {pairs.correct}. {tested}"
        "The bounds (lower, upper) hold the difference on these topics for every completion of the "
        "judgments; ranks beyond the ends of the lists, which no judgment can close, are left out."
    )
    caption = (
        "Row against column. A dot: certain, whatever the unjudged documents are. Pale: "
        "significant, but with a caveat. Choose a cell to see its two runs "
        "topic by topic."
    )
    legend = [
        ("up", "row is better"),
        ("down", "row is worse"),
        ("none", "no significant difference"),
    ]
    return section(
        "significance",
        "Significance",
        paragraph(words),
        shares,
        figure("significance-chart", caption, legend),
        '<p id="pairs-words" role="status"></p>',
        live_table("pairs-table", "Run A against every other run", columns, []),
    )


def _signs(pairs: Pairwise) -> str:
    """How many are certain, likely and open."""
    return ", ".join(f"{pairs.certainty.count(word):,} {word}" for word in SURENESS)
