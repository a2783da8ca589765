"""The section on two chosen runs, topic by topic; the script fills it."""

from leadline.comparison.board import Board
from leadline.presentation.pages.live_table import Column, live_table
from leadline.presentation.pages.parts import figure, options, section


def topics_section(boards: list[Board], has_queries: bool) -> str:
    """Two runs, topic by topic."""
    scores = boards[0].scores
    if len(scores.runs) < 2:
        return ""
    names = [(run, scores.runs[run]) for run in boards[0].order.tolist()]
    columns = [
        Column("topic", "text"),
        *([Column("query", "long")] if has_queries else []),
        Column("run A"),
        Column("run B"),
        Column("difference"),
        Column("lower", title="the least that the difference can become"),
        Column("upper", title="the most that the difference can become"),
        Column("sign", "text"),
    ]
    caption = (
        "Bars: score of run A minus score of run B, largest first. Lines: how far the difference "
        "can still go when all listed documents are judged; a document that both return moves "
        "both. A question mark stands above topics whose sign could flip."
    )
    legend = [("up", "A is better"), ("down", "B is better"), ("open", "the sign could flip (?)")]
    return section(
        "topics",
        "Two runs, topic by topic",
        '<div class="tools">'
        f'<label>Run A <select id="run-a">{options(names)}</select></label>'
        f'<label>Run B <select id="run-b">{options(names)}</select></label>'
        '<button type="button" id="swap">swap</button></div>'
        '<p id="topics-words" role="status"></p>',
        figure("topics-chart", caption, legend),
        live_table("topics-table", "Differences by topic", columns, []),
    )
