"""The other sections of a report: what was judged, groups, topics, tests, orderings, next."""

from collections.abc import Sequence

import numpy as np

from leadline.data.judgments import Judgments
from leadline.judging.texts import Texts
from leadline.report.alone import Finds, Groups
from leadline.report.board import Board
from leadline.report.coverage import Coverage
from leadline.report.embedded import left_out_rows
from leadline.report.estimates import agreement
from leadline.report.live_table import Cell, Column, live_table
from leadline.report.parts import amount, by_measure, figure, options, paragraph, section
from leadline.report.worth_judging import WorthJudging


def judged_share(coverage: Coverage, judgments: Judgments, runs: Sequence[str]) -> str:
    """Share judged by run and rank."""
    columns = [Column("run", "text")] + [
        Column(str(first) if first == last else f"{first}\u2013{last}", "share", "ranks")
        for first, last in zip(coverage.first.tolist(), coverage.last.tolist(), strict=True)
    ]
    rows: list[list[Cell]] = [
        [run, *share] for run, share in zip(runs, coverage.share.tolist(), strict=True)
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


def groups_section(
    boards: list[Board], groups: Groups, found: Finds, depth: int, given: bool
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


def significance_section(boards: list[Board]) -> str:
    """All pairs by the test."""
    found = boards[0].pairwise
    if found is None:
        words = "There is one run, so there is nothing to compare."
        return section("significance", "Significance", paragraph(words, "note"))
    columns = [
        Column("other run", "text"),
        Column("difference"),
        Column("lower", title="joint interval of the difference"),
        Column("upper", title="joint interval of the difference"),
        Column("p"),
        Column("p corrected"),
        Column("verdict", "text"),
        Column("do not trust because", "text"),
    ]
    shares = by_measure(
        (
            board.scores.measure,
            paragraph(
                f"{board.pairwise.discriminated:.0%} of "
                f"{amount(len(board.pairwise.first), 'pair')} differ significantly."
            ),
        )
        for board in boards
        if board.pairwise is not None
    )
    tails = "two-tailed" if found.tails == 2 else "one-tailed"
    words = (
        f"Test: {found.test}, {tails}, on {found.basis} scores, level {found.level:g}, "
        f"correction: {found.correct}. Beside it stands what is certain: the interval of the "
        "difference over all ways in which the unjudged listed documents may turn out; ranks "
        "beyond the ends of the lists, which no judgment can close, are left out of it."
    )
    caption = (
        "Row against column. A dot: certain, whatever the unjudged documents are. Pale: "
        "significant, but there is a reason not to trust it. Choose a cell to see its two runs "
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
    names = list(dict.fromkeys(name for _, row in found for name in row))
    columns = [Column("estimators", "text"), *(Column(name) for name in names)]
    rows: list[list[Cell]] = [[who, *(row.get(name) for name in names)] for who, row in found]
    caption = f"How far estimators order the runs alike, {board.scores.measure}"
    return live_table(f"orderings-{at}", caption, columns, rows)


def next_section(worth: WorthJudging, texts: Texts) -> str:
    """The unjudged documents whose judgment would tell most."""
    if not worth.pairs:
        words = "Every document that a run returns was judged."
        return section("next", "What to judge next", paragraph(words))
    if worth.decides:
        words = (
            "These unjudged documents would tell most about which run is best, the most telling "
            f"first (order {worth.order})."
        )
    else:
        words = (
            "Which run is best is certain for the documents that are listed, so no judgment can "
            f"change it. These would narrow the intervals most (order {worth.order})."
        )
    columns = [
        Column("document", "text"),
        Column("step", "count"),
        Column("topic", "text"),
        *([Column("title", "long")] if texts.documents else []),
        Column("weight", digits=6),
        Column("runs", "count", "runs that return it"),
        Column("best rank", "count"),
        Column("by", "text"),
    ]
    rows: list[list[Cell]] = []
    for step, each in enumerate(worth.pairs, 1):
        document = texts.documents.get(each.doc)
        title = "" if document is None else document.title or document.text[:80]
        words_of = [title] if texts.documents else []
        query = texts.topics.get(each.topic, ("", ""))[0]
        topic = f"{each.topic}: {query}" if query else each.topic
        cells = (each.weight, each.n_runs, each.best_rank, each.best_run)
        rows.append([each.doc, step, topic, *words_of, *cells])
    return section(
        "next",
        "What to judge next",
        paragraph(words),
        live_table("next-table", "Unjudged documents worth judging", columns, rows),
    )
